package browser

import (
	"net/url"
	"regexp"
	"strings"
)

// documentSchemes are the schemes whose documents may open. Of about:, only about:blank may: the others
// are pages of the browser itself.
var documentSchemes = map[string]bool{"http": true, "https": true, "data": true, "blob": true}

// errorPage is where Chromium goes when a navigation fails.
const errorPage = "chrome-error://chromewebdata/"

var (
	schemePattern = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*):`)
	// A host and a port look like a scheme with a path.
	hostPortPattern = regexp.MustCompile(`^[A-Za-z0-9.-]+:[0-9]+(?:[/?#]|$)`)
)

// checkAddress answers whether a tool may open the address, before the browser hears of it: nil, or
// URL_BLOCKED with the pattern scheme:<name>, or INVALID_ARGUMENTS for what is no absolute URL. It
// returns the address as Chromium reads it.
func checkAddress(address string) (string, error) {
	address = cleaned(address)
	match := schemePattern.FindStringSubmatch(address)
	if match == nil || hostPortPattern.MatchString(address) {
		return "", invalidArgument("url", "give an absolute URL, beginning with http:// or https://", nil)
	}
	scheme := strings.ToLower(match[1])
	if documentSchemes[scheme] || isBlank(address) {
		return address, nil
	}
	return "", blocked(address, "scheme:"+scheme)
}

// cleaned drops what Chromium drops before it parses an address: control characters and spaces around
// it, and tabs and line breaks anywhere, so that "fi\nle:" is seen for what it is.
func cleaned(address string) string {
	address = strings.TrimFunc(address, func(r rune) bool { return r <= ' ' })
	return strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(address)
}

// mayShow reports whether a page may stand at the address: what checkAddress lets open, a page that
// has not been anywhere yet, and the error page.
func mayShow(address string) bool {
	if address == "" || address == errorPage {
		return true
	}
	match := schemePattern.FindStringSubmatch(address)
	return match != nil && documentSchemes[strings.ToLower(match[1])] || isBlank(address)
}

func isBlank(address string) bool {
	before, _, _ := strings.Cut(address, "#")
	before, _, _ = strings.Cut(before, "?")
	return strings.EqualFold(before, "about:blank")
}

// schemeOf returns the scheme of an address in lower case.
func schemeOf(address string) string {
	scheme, _, _ := strings.Cut(address, ":")
	return strings.ToLower(scheme)
}

// recordedLength bounds the address in an error; a data: URL may have megabytes.
const recordedLength = 512

// recorded returns the address in the form that errors and records keep: without credentials, query
// and fragment, and for data: without the content.
func recorded(address string) string {
	if schemeOf(address) == "data" {
		head, _, _ := strings.Cut(address, ",")
		address = head
	}
	address, _, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	if parsed, err := url.Parse(address); err == nil && parsed.User != nil {
		parsed.User = nil
		address = parsed.String()
	}
	if len(address) > recordedLength {
		address = strings.ToValidUTF8(address[:recordedLength], "")
	}
	return address
}
