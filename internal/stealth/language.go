package stealth

import (
	"strings"
)

// fallbackLanguage is what Chromium itself uses on a host whose locale is unset or C.
const fallbackLanguage = "en-US"

// HostLocale returns the language tag of the host, such as en-CA for LANG=en_CA.UTF-8. env reads one
// variable of the environment. A host without a locale gives en-US, as it does in Chromium.
func HostLocale(env func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		value := env(name)
		if value == "" {
			continue
		}
		if tag := languageTag(value); tag != "" {
			return tag
		}
		break
	}
	return fallbackLanguage
}

// languageTag turns a POSIX locale name into a language tag, or "" for C and POSIX.
func languageTag(locale string) string {
	name := before(before(locale, "."), "@")
	if name == "C" || name == "POSIX" {
		return ""
	}
	language, region, _ := strings.Cut(strings.ReplaceAll(name, "_", "-"), "-")
	if !isLetters(language, 2, 3) {
		return ""
	}
	if !isLetters(region, 2, 2) {
		return strings.ToLower(language)
	}
	return strings.ToLower(language) + "-" + strings.ToUpper(region)
}

// Languages returns the preferred languages of a browser set to the tag, best first: the tag, then
// its language alone, as Chromium's Accept-Language does (en-CA gives en-CA, en).
func Languages(tag string) []string {
	if tag == "" {
		tag = fallbackLanguage
	}
	if language := before(tag, "-"); language != tag {
		return []string{tag, language}
	}
	return []string{tag}
}

func isLetters(s string, low, high int) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return low <= len(s) && len(s) <= high
}
