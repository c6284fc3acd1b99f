package blocklist

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// Address is a web address in the form that rules are compared with: lower case, without credentials and
// fragment, the host as browsers send it, the default port left out, and no percent sign where none is
// needed. Addresses that a browser treats as the same have the same form.
type Address struct {
	Scheme, Host, Port, Path, Query string
}

// Normalise reads an address. ok is false for what is not http or https.
func Normalise(address string) (a Address, ok bool) {
	address = strings.TrimFunc(address, func(r rune) bool { return r <= ' ' })
	address = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(address)
	scheme, rest, found := strings.Cut(address, ":")
	scheme = strings.ToLower(scheme)
	if !found || (scheme != "http" && scheme != "https") {
		return Address{}, false
	}
	// Browsers take any number of slashes of either kind before the host.
	rest = strings.TrimLeft(rest, `/\`)
	rest, _, _ = strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	rest = strings.ReplaceAll(rest, `\`, "/")
	authority, path, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = authority[i+1:]
	}
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.HasSuffix(authority, "]") {
		host, port = authority[:i], authority[i+1:]
	}
	host, ok = normaliseHost(host)
	if !ok {
		return Address{}, false
	}
	if n, err := strconv.ParseUint(port, 10, 16); err == nil {
		port = strconv.FormatUint(n, 10) // 0080 is 80
	} else if port != "" {
		return Address{}, false
	}
	if port == defaultPorts[scheme] {
		port = ""
	}
	return Address{scheme, host, port, resolveDots("/" + unescape(path)), unescape(query)}, true
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

func normaliseHost(h string) (string, bool) {
	if u, err := url.PathUnescape(h); err == nil {
		h = u
	}
	h = strings.TrimRight(strings.ToLower(h), ".")
	if ip, err := netip.ParseAddr(strings.Trim(h, "[]")); err == nil {
		if ip = ip.Unmap(); ip.Is6() {
			return "[" + ip.String() + "]", true
		}
		return ip.String(), true
	}
	if ip, ok := numericHost(h); ok {
		return ip, true
	}
	ascii, err := idna.Lookup.ToASCII(h)
	if err != nil {
		// Lookup is stricter than browsers, for instance about underscores; keep the name as it is.
		ascii = h
	}
	return ascii, ascii != "" && !strings.ContainsFunc(ascii, forbidden)
}

// forbidden are the characters that no host may hold (WHATWG URL, forbidden domain code points): a browser
// does not open such an address.
func forbidden(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune(`#/:<>?@[\]^|%`, r)
}

// numericHost reads IPv4 addresses the way browsers do: 2130706433, 0x7f.1 and 0177.0.0.1 are 127.0.0.1.
func numericHost(h string) (string, bool) {
	parts := strings.Split(h, ".")
	if len(parts) > 4 {
		return "", false
	}
	var nums []uint64
	for _, p := range parts {
		base, digits := 10, p
		switch {
		case strings.HasPrefix(p, "0x"):
			base, digits = 16, p[2:]
		case len(p) > 1 && p[0] == '0':
			base, digits = 8, p[1:]
		}
		if digits == "" {
			digits = "0"
		}
		n, err := strconv.ParseUint(digits, base, 64)
		if err != nil {
			return "", false
		}
		nums = append(nums, n)
	}
	last := len(nums) - 1
	value := nums[last]
	if value >= 1<<(8*(4-last)) {
		return "", false
	}
	for i, n := range nums[:last] {
		if n > 255 {
			return "", false
		}
		value |= n << (8 * (3 - i))
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}).String(), true
}

// unescape decodes needless escapes and lowers the case, which rules ignore.
func unescape(s string) string {
	if d, err := url.PathUnescape(s); err == nil {
		s = d
	}
	return strings.ToLower(s)
}

// resolveDots takes out . and .. as browsers do before they ask.
func resolveDots(p string) string {
	var out []string
	segments := strings.Split(p, "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch s {
		case ".":
			if last {
				out = append(out, "")
			}
		case "..":
			if len(out) > 1 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, s)
		}
	}
	p = strings.Join(out, "/")
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return p
}

func (a Address) portOrDefault() string {
	if a.Port == "" {
		return defaultPorts[a.Scheme]
	}
	return a.Port
}

func (a Address) withoutScheme() string {
	s := a.Host
	if a.Port != "" {
		s += ":" + a.Port
	}
	s += a.Path
	if a.Query != "" {
		s += "?" + a.Query
	}
	return s
}

// String is the address in its normal form.
func (a Address) String() string { return a.Scheme + "://" + a.withoutScheme() }
