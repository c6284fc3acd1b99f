package browser

import (
	"strings"
	"unicode/utf8"

	"github.com/browserhive/browserhive/gen/tools"
)

// shownText is a short text of a page, such as a title, as answers show it: a page may make it as long as
// it likes.
func shownText(text string) string {
	if len(text) <= tools.TitleLimit || utf8.RuneCountInString(text) <= tools.TitleLimit {
		return text
	}
	return string([]rune(text)[:tools.TitleLimit]) + "…"
}

// shownAddress is a page's address as answers show it.
func shownAddress(address string) string {
	if len(address) <= tools.AddressLimit {
		return address
	}
	return strings.ToValidUTF8(address[:tools.AddressLimit], "") + "…"
}
