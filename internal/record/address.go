package record

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/secret"
)

// maxURL is how many bytes of an address are recorded. What is longer, such as a data URL, is cut.
const maxURL = 2048

// cleanURL is an address as it is kept: without user, password and fragment, and without the query
// parameters that are not allowed by name. Of a data or blob URL only its kind is kept.
func cleanURL(address string, allowed []string) string {
	u, err := url.Parse(address)
	if err != nil {
		before, _, _ := strings.Cut(address, "?")
		before, _, _ = strings.Cut(before, "#")
		return cut(withoutUser(before), maxURL)
	}
	if u.Scheme == "data" || u.Scheme == "javascript" {
		kind, _, _ := strings.Cut(u.Opaque, ",")
		return cut(u.Scheme+":"+kind, maxURL)
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	if u.RawQuery != "" {
		var kept []string
		for part := range strings.SplitSeq(u.RawQuery, "&") {
			name, _, _ := strings.Cut(part, "=")
			if name, err := url.QueryUnescape(name); err == nil && slices.Contains(allowed, name) {
				kept = append(kept, part)
			}
		}
		u.RawQuery = strings.Join(kept, "&")
	}
	u.ForceQuery = false
	if u.Host == "" && strings.HasPrefix(u.Path, "//") { // Written out, the path would be read as a host, with a user.
		u.Path, u.RawPath = "/"+strings.TrimLeft(u.Path, "/"), ""
	}
	return cut(u.String(), maxURL)
}

// addresses finds what looks like an address of the web within a text, up to the quote, space or backslash
// behind it. A part of it may have been a secret.
var addresses = regexp.MustCompile(`(?i)\b(?:https?|wss?|ftp)://(?:[^\s"'<>\\` + "`]|" + regexp.QuoteMeta(secret.Redacted) + `)+`)

// cleanURLs cleans every address within a text that has a user, a query or a fragment.
func cleanURLs(text string, allowed []string) string {
	return addresses.ReplaceAllStringFunc(text, func(address string) string {
		if !strings.ContainsAny(address, "?#@") {
			return address
		}
		return cleanURL(address, allowed)
	})
}

// withoutUser drops what stands before an @ in the host of an address that does not parse.
func withoutUser(address string) string {
	scheme, rest, ok := strings.Cut(address, "//")
	if !ok {
		return address
	}
	host, path, slash := strings.Cut(rest, "/")
	host = host[strings.LastIndex(host, "@")+1:]
	if slash {
		path = "/" + path
	}
	return scheme + "//" + host + path
}

// domainOf is the host of an address in lower case, nil where it has none.
func domainOf(address string) *string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	return &host
}

// categoryOf is what kind of place an address leads to.
func categoryOf(address string) types.PageCategory {
	u, err := url.Parse(address)
	if err != nil {
		return types.PageCategoryOther
	}
	switch u.Scheme {
	case "ftp":
		return types.PageCategoryFtp
	case "http", "https":
	default:
		return types.PageCategoryOther
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		if ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() {
			return types.PageCategoryLocal
		}
		return types.PageCategoryIP
	}
	for _, suffix := range []string{".localhost", ".local", ".internal", ".lan", ".home.arpa"} {
		if strings.HasSuffix(host, suffix) {
			return types.PageCategoryLocal
		}
	}
	if !strings.Contains(host, ".") {
		return types.PageCategoryLocal
	}
	return types.PageCategoryPublic
}
