package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/internal/stealth"
)

// stateTimeout bounds calls on the state of a browser, which it answers within milliseconds.
const stateTimeout = 30 * time.Second

// ask runs a call that concerns the whole browser.
func ask[T any](ctx context.Context, b *Browser, what string, call func() (T, error)) (T, error) {
	value, err := await(ctx, b, nil, stateTimeout, func(*float64) (T, error) { return call() })
	switch {
	case err == nil || coded(err):
		return value, err
	case errors.Is(err, errUnanswered):
		return value, callTimeout(stateTimeout).Because(err)
	case targetGone(err):
		return value, b.gone(err)
	}
	return value, fmt.Errorf("%s: %w", what, err)
}

type (
	// Cookie is a cookie of a browser.
	Cookie = playwright.Cookie
	// CookieInput is a cookie to add, with a URL or with Domain and Path.
	CookieInput = playwright.OptionalCookie
	// SameSite is Strict, Lax or None.
	SameSite = playwright.SameSiteAttribute
)

// Cookies returns the browser's cookies, or those that requests to the addresses would carry. Errors:
// INVALID_ARGUMENTS for an address that is not http or https.
func (b *Browser) Cookies(ctx context.Context, urls []string) ([]Cookie, error) {
	for i, address := range urls {
		if !hasCookies(address) {
			return nil, invalidArgument("urls."+strconv.Itoa(i), "give an absolute http or https URL", nil)
		}
	}
	return ask(ctx, b, "reading cookies", func() ([]Cookie, error) { return b.pw.Cookies(urls...) })
}

// hasCookies reports whether there can be cookies for an address.
func hasCookies(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// SetCookies adds cookies, all of them or none. Errors: INVALID_ARGUMENTS with the path of the field
// that is at fault, below cookies.
func (b *Browser) SetCookies(ctx context.Context, cookies []CookieInput) error {
	for i, c := range cookies {
		if field, fault := cookieFault(c); fault != "" {
			return invalidArgument(fmt.Sprintf("cookies.%d.%s", i, field), fault, nil)
		}
	}
	_, err := ask(ctx, b, "setting cookies", func() (struct{}, error) {
		err := b.pw.AddCookies(cookies)
		if err == nil || targetGone(err) {
			return struct{}{}, err
		}
		path := "cookies" // Chromium does not tell which of them.
		if len(cookies) == 1 {
			path = "cookies.0"
		}
		message, _ := driverMessage(err)
		return struct{}{}, invalidArgument(path, "the browser refuses a cookie: "+selectorFault(message), nil)
	})
	return err
}

const (
	// cookieLength is how many bytes Chromium allows for the name and value of a cookie together.
	cookieLength = 4096
	// lastExpiry is the last second that Playwright takes for an expiry, in the year 9999.
	lastExpiry = 253402300799
)

// cookieFault says what is wrong with a cookie and in which field, or "". It never repeats the value.
func cookieFault(c CookieInput) (field, fault string) {
	domain, path, address := orEmpty(c.Domain), orEmpty(c.Path), orEmpty(c.URL)
	secure := c.Secure != nil && *c.Secure || strings.HasPrefix(strings.ToLower(address), "https:")
	control := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
	switch {
	case strings.ContainsFunc(c.Name, control) || strings.ContainsAny(c.Name, ";="):
		return "name", "must not contain control characters, ; or ="
	case strings.ContainsFunc(c.Value, control) || strings.Contains(c.Value, ";"):
		return "value", "must not contain control characters or ;"
	case c.Name == "" && c.Value == "":
		return "name", "name and value must not both be empty"
	case len(c.Name)+len(c.Value) > cookieLength:
		return "value", fmt.Sprintf("name and value must not exceed %d bytes together", cookieLength)
	case address == "" && domain == "":
		return "url", "give url, or domain and path"
	case address == "" && path == "":
		return "path", "give path together with domain"
	case address != "" && domain != "":
		return "domain", "give either url or domain"
	case address != "" && path != "":
		return "path", "give either url or path"
	case address != "" && !hasCookies(address):
		return "url", "must be an absolute http or https URL"
	case strings.ContainsAny(domain, " /\\@?#") || strings.ContainsFunc(domain, control):
		return "domain", "is no host"
	case path != "" && path[0] != '/':
		return "path", "must begin with /"
	case c.Expires != nil && (*c.Expires < 0 && *c.Expires != -1 || *c.Expires > lastExpiry):
		return "expires", "must be -1 or seconds since the Unix epoch"
	case c.SameSite != nil && *c.SameSite == "None" && !secure:
		return "sameSite", "None needs secure"
	case strings.HasPrefix(c.Name, "__Secure-") && !secure:
		return "secure", "the prefix __Secure- needs it"
	case strings.HasPrefix(c.Name, "__Host-") && (!secure || domain != "" && (domain[0] == '.' || path != "/")):
		return "name", "the prefix __Host- needs secure, the path / and a domain without a leading dot"
	}
	return "", ""
}

// maxViewport is the longest side of a viewport in CSS pixels: the width of an 8K display, the largest
// that a page may be laid out for. A screenshot of that square is 236 MB before it is compressed.
const maxViewport = 7680

// SetViewport lays the page out in a size in CSS pixels, each side brought into 1 to 7680, and returns
// that size. A side of 0 would mean the window's own to Chromium.
func (p *Page) SetViewport(ctx context.Context, width, height int64) (Viewport, error) {
	size := Viewport{Width: int(min(max(width, 1), maxViewport)), Height: int(min(max(height, 1), maxViewport))}
	return read(ctx, p, "the viewport", func(*float64) (Viewport, error) {
		return size, p.pw.SetViewportSize(size.Width, size.Height)
	})
}

// ownedHeaders are request headers that Chromium sets itself. It fails every request that is told to
// carry another value.
var ownedHeaders = []string{
	"connection", "content-length", "cookie2", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
}

// SetHeaders adds headers to every request of all tabs, also of later ones, in place of those that an
// earlier call added, and returns how many are in force. On a browser with a stealth identity those that
// state it stay as they are and are returned in rejected, sorted. Errors: INVALID_ARGUMENTS with the
// path headers.<name>.
func (b *Browser) SetHeaders(ctx context.Context, headers map[string]string) (applied int, rejected []string, err error) {
	kept, seen := map[string]string{}, map[string]bool{}
	for name, value := range headers {
		lower := strings.ToLower(name)
		fault := headerFault(lower, value)
		if seen[lower] {
			fault = "is given twice, in different spellings"
		}
		seen[lower] = true
		switch {
		case fault != "":
			return 0, nil, invalidArgument("headers."+name, fault, nil)
		case b.stealthy && stealth.StatesIdentity(lower):
			rejected = append(rejected, name)
		default:
			kept[name] = value
		}
	}
	slices.Sort(rejected)
	_, err = ask(ctx, b, "setting headers", func() (struct{}, error) { return struct{}{}, b.pw.SetExtraHTTPHeaders(kept) })
	return len(kept), rejected, err
}

// headerFault says what is wrong with a header, or "". It never repeats the value.
func headerFault(name, value string) string {
	token := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}
	switch {
	case name == "" || strings.ContainsFunc(name, func(r rune) bool { return !token(r) }):
		return "is no name of a header"
	case slices.Contains(ownedHeaders, name):
		return "is set by the browser itself"
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return "has a value with control characters"
	case value != strings.TrimSpace(value):
		return "has a value that begins or ends with a space"
	}
	return ""
}
