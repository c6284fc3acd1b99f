package browser

import (
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/outline"
)

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	const open = contract.Code("")
	tests := []struct {
		address string
		code    contract.Code
		pattern string
	}{
		{"http://example.com/", open, ""},
		{"HTTPS://example.com/?q=file:///etc/passwd", open, ""},
		{"about:blank", open, ""},
		{"ABOUT:BLANK#top", open, ""},
		{"data:text/html,<p>hi", open, ""},
		{"blob:http://127.0.0.1/5d1e", open, ""},
		{"  http://example.com/\n", open, ""},
		{"file:///etc/passwd", errcode.CodeURLBlocked, "scheme:file"},
		{"FILE:///etc/passwd", errcode.CodeURLBlocked, "scheme:file"},
		{" \x00file:///etc/passwd", errcode.CodeURLBlocked, "scheme:file"},
		{"fi\nle:///etc/passwd", errcode.CodeURLBlocked, "scheme:file"},
		{"f\ti\rle:/etc/passwd", errcode.CodeURLBlocked, "scheme:file"},
		{"file:etc/passwd", errcode.CodeURLBlocked, "scheme:file"},
		{"view-source:http://example.com/", errcode.CodeURLBlocked, "scheme:view-source"},
		{"view-source:file:///etc/passwd", errcode.CodeURLBlocked, "scheme:view-source"},
		{"chrome://version", errcode.CodeURLBlocked, "scheme:chrome"},
		{"chrome-untrusted://print", errcode.CodeURLBlocked, "scheme:chrome-untrusted"},
		{"devtools://devtools/bundled/inspector.html", errcode.CodeURLBlocked, "scheme:devtools"},
		{"about:version", errcode.CodeURLBlocked, "scheme:about"},
		{"about:blankish", errcode.CodeURLBlocked, "scheme:about"},
		{"about:srcdoc", errcode.CodeURLBlocked, "scheme:about"},
		{"filesystem:http://example.com/temporary/x", errcode.CodeURLBlocked, "scheme:filesystem"},
		{"javascript:alert(1)", errcode.CodeURLBlocked, "scheme:javascript"},
		{"mailto:someone@example.com", errcode.CodeURLBlocked, "scheme:mailto"},
		{"ftp://example.com/", errcode.CodeURLBlocked, "scheme:ftp"},
		{"", errcode.CodeInvalidArguments, ""},
		{"example.com", errcode.CodeInvalidArguments, ""},
		{"localhost:3000/app", errcode.CodeInvalidArguments, ""},
		{"/etc/passwd", errcode.CodeInvalidArguments, ""},
	}
	for _, test := range tests {
		address, err := checkAddress(test.address)
		if got := contract.CodeOf(err); got != test.code {
			t.Errorf("%q: code %q, want %q", test.address, got, test.code)
		}
		if test.pattern != "" && !strings.Contains(err.Error(), "'"+test.pattern+"'") {
			t.Errorf("%q: %v lacks the pattern %q", test.address, err, test.pattern)
		}
		if err == nil && !mayShow(address) {
			t.Errorf("%q may be opened but not shown", address)
		}
	}
}

func TestMayShow(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"": true, errorPage: true, "about:blank": true, "http://a/": true, "blob:null/1": true,
		"chrome-error://other/": false, "about:version": false, "file:///etc/passwd": false,
		"chrome://settings/": false, "view-source:http://a/": false, "nonsense": false,
	} {
		if got := mayShow(address); got != want {
			t.Errorf("%q: %v, want %v", address, got, want)
		}
	}
}

func TestRecordedAddressHoldsNoSecret(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://user:pass@example.com/a?token=1#x": "http://example.com/a",
		"http://example.com/a":                     "http://example.com/a",
		"data:text/html;base64,c2VjcmV0":           "data:text/html;base64",
		"file:///etc/passwd?x":                     "file:///etc/passwd",
	} {
		if got := recorded(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
	if got := recorded("http://example.com/" + strings.Repeat("é", 4000)); len(got) > recordedLength {
		t.Errorf("%d bytes kept", len(got))
	}
}

func TestResolveSelector(t *testing.T) {
	t.Parallel()
	for selector, want := range map[string]string{
		"e12": "aria-ref=e12", "f1e12": "aria-ref=f1e12", "ref=e12": "aria-ref=e12", "aria-ref=f3e1": "aria-ref=f3e1",
		"@e12": "aria-ref=e12", "[ref=e12]": "aria-ref=e12", " e1 ": "aria-ref=e1",
	} {
		if got, isRef := outline.Selector(selector); got != want || !isRef {
			t.Errorf("%q: %q, %v", selector, got, isRef)
		}
	}
	for _, selector := range []string{
		"#e12", "e", "12", "e12 b", "[ref=e12", "ref=e12]", "@e12]", "text=e12", "aria-ref=e12 >> b", "em1x", "ee1", "",
	} {
		if got, isRef := outline.Selector(selector); got != selector || isRef {
			t.Errorf("%q: %q, %v", selector, got, isRef)
		}
	}
}

func FuzzCheckAddress(f *testing.F) {
	for _, seed := range []string{"http://a/", "file:///x", "fi\nle:x", "\x01about:blank", "a:1", ":"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		cleaned, err := checkAddress(address)
		if err == nil && !mayShow(cleaned) {
			t.Errorf("%q may be opened as %q but not shown", address, cleaned)
		}
	})
}
