package browser_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/contract"
)

func TestEvaluate(t *testing.T) {
	t.Parallel()
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, `data:text/html,<meta http-equiv="Content-Security-Policy" content="script-src 'none'"><title>E</title><p id=p class=c>text</p>`)
	for script, want := range map[string]string{
		"1 + 1":                                   "2",
		"const a = 1; a + 1":                      "2",
		"() => document.title":                    `"E"`,
		"async () => { await null; return [1] }":  "[1]",
		"function () { return 'f' }":              `"f"`,
		"function named() { return 'n' }":         `"n"`,
		"async function () { return 'a' }":        `"a"`,
		"Promise.resolve(7)":                      "7",
		"undefined":                               "null",
		"null":                                    "null",
		"({b: 1, a: undefined, c: null})":         `{"b":1,"c":null}`,
		"({2: 1, z: 0, y: 0})":                    `{"2":1,"z":0,"y":0}`,
		"[undefined, () => 1, Symbol('s')]":       `[null,"[Function]","Symbol(s)"]`,
		"12345678901234567890n":                   `"12345678901234567890"`,
		"[NaN, Infinity, -Infinity, -0]":          `["NaN","Infinity","-Infinity",0]`,
		"new Date(0)":                             `"1970-01-01T00:00:00.000Z"`,
		"new Date(NaN)":                           `"Invalid Date"`,
		"/a+/gi":                                  `"/a+/gi"`,
		"new Map([['k', new Set([1, 2])]])":       `[["k",[1,2]]]`,
		"new Uint8Array([1, 2])":                  "[1,2]",
		"new Error('e')":                          `{"name":"Error","message":"e"}`,
		"const o = {}; o.self = o; o":             `{"self":"[Circular]"}`,
		"const s = {}; [s, s]":                    "[{},{}]",
		"document.querySelector('p')":             `"\u003cp id=\"p\" class=\"c\"\u003e"`,
		"document.querySelectorAll('p')":          `["\u003cp id=\"p\" class=\"c\"\u003e"]`,
		"window === globalThis ? window : 0":      `"[Window]"`,
		"({get bad() { throw new Error('no') }})": `{"bad":"[Threw Error: no]"}`,
		"new URL('http://a/b')":                   `"http://a/b"`,
		"'\\u2028\\ud800'":                        `"` + "\u2028\ufffd" + `"`,
		"let d = []; for (let i = 0; i < 1e4; i++) d = [d]; JSON.stringify(d).length": "20002",
	} {
		got := evaluate(t, page, script)
		var gotValue, wantValue any
		if json.Unmarshal([]byte(got), &gotValue) != nil || json.Unmarshal([]byte(want), &wantValue) != nil {
			t.Errorf("%s: %s is no JSON", script, got)
			continue
		}
		if strings.ReplaceAll(strings.ReplaceAll(want, `\u003c`, "<"), `\u003e`, ">") != got {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
	for script, message := range map[string]string{
		"throw new TypeError('first\\nsecond')": "TypeError: first",
		"() => { throw 5 }":                     "5",
		"Promise.reject({code: 1})":             `{"code":1}`,
		"a b":                                   "SyntaxError: Unexpected identifier 'b'",
		"nothing.at.all":                        "ReferenceError: nothing is not defined",
		"'x'.repeat(9e6).split('')":             "RangeError: the result is larger than 16 MiB",
	} {
		_, err := page.Evaluate(t.Context(), script)
		wantCode(t, err, errcode.CodeScriptError)
		if err != nil && !strings.HasSuffix(err.Error(), ": "+message) {
			t.Errorf("%s: %v, want %s", script, err, message)
		}
	}
	// Deep, wide and hostile values come back as something.
	for _, script := range []string{
		"let d = []; for (let i = 0; i < 1e4; i++) d = [d]; d",
		"window.navigator", "document.documentElement.style", "globalThis.constructor",
		"new Proxy({}, {ownKeys() { throw new Error('no') }, get() { throw new Error('no') }})",
		"JSON.stringify = () => 'broken'; ({a: 'b'})",
	} {
		if got, err := page.Evaluate(t.Context(), script); err != nil && contract.CodeOf(err) != errcode.CodeScriptError || err == nil && !json.Valid(got) {
			t.Errorf("%s: %s, %v", script, got, err)
		}
	}
}

func TestEvaluateEndsWithItsPageOrItsTime(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, site.URL)
	_, err := page.Evaluate(t.Context(), "new Promise(() => setTimeout(() => location.href = '/popup'))")
	wantCode(t, err, errcode.CodeScriptError)
	until(t, "the navigation", func() bool { return page.URL() == site.URL+"/popup" })
	if err := page.WaitForLoadState(t.Context(), "load", soon); err != nil {
		t.Fatal(err)
	}

	for _, script := range []string{"new Promise(() => {})", "while (true);"} {
		ctx, cancel := context.WithTimeout(t.Context(), brief)
		_, err := page.Evaluate(ctx, script)
		cancel()
		wantCode(t, err, errcode.CodeCallTimeout)
	}
	// The endless loop is stopped, so that the tab can be used again.
	if got := evaluate(t, page, "'still here'"); got != `"still here"` {
		t.Errorf("afterwards %s", got)
	}
	open(t, page, site.URL)
}
