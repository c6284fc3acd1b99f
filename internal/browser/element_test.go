package browser_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/contract"
)

const elements = `data:text/html,<!doctype html><title>Elements</title>
<button id=ok onclick="this.textContent = [event.button, event.detail, event.shiftKey, event.offsetX, event.offsetY].join()">OK</button>
<button id=hidden style="display:none">Hidden</button>
<button id=disabled disabled>Disabled</button>
<div style="position:relative"><button id=covered>Covered</button><div id=cover style="position:absolute;inset:0">Cover</div></div>
<input id=text value=old><input id=readonly readonly><p id=p>Paragraph</p>
<input id=keys onkeydown="this.dataset.last = (event.ctrlKey ? 'Control+' : '') %2B event.key">
<i class=many></i><i class=many></i>`

func TestElements(t *testing.T) {
	t.Parallel()
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, elements)
	click := func(selector string, o browser.ClickOptions, timeout time.Duration) error {
		return page.Click(t.Context(), selector, o, timeout)
	}
	x, y := 3.0, 4.0
	for _, test := range []struct {
		o    browser.ClickOptions
		want string
	}{
		{browser.ClickOptions{}, `"0,1,false`},
		{browser.ClickOptions{Count: 2, Modifiers: []string{"Shift"}}, `"0,2,true`},
		{browser.ClickOptions{Button: "left", X: &x, Y: &y}, `"0,1,false,`},
	} {
		if err := click("#ok", test.o, soon); err != nil {
			t.Errorf("click %+v: %v", test.o, err)
		}
		if got := evaluate(t, page, "document.querySelector('#ok').textContent"); !strings.HasPrefix(got, test.want) {
			t.Errorf("click %+v: the page saw %s, want %s", test.o, got, test.want)
		}
	}
	for name, do := range map[string]func() error{
		"fill":  func() error { return page.Fill(t.Context(), "#text", "new", soon) },
		"type":  func() error { return page.Type(t.Context(), "#text", "er", time.Millisecond, soon) },
		"press": func() error { return page.Press(t.Context(), "#keys", "Control+a", soon) },
		"focus": func() error { return page.Press(t.Context(), "", "Tab", soon) },
	} {
		if err := do(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := evaluate(t, page, "document.querySelector('#keys').dataset.last"); got != `"Control+a"` && got != `"Tab"` {
		t.Errorf("the page saw the key %s", got)
	}
	for _, test := range []struct {
		name   string
		do     func() error
		code   contract.Code
		detail string
	}{
		{"none", func() error { return click("#none", browser.ClickOptions{}, brief) }, errcode.CodeElementNotFound, `"count":0`},
		{"several", func() error { return click(".many", browser.ClickOptions{}, soon) }, errcode.CodeElementNotFound, `"count":2`},
		{"none, with one limit in both places", func() error {
			ctx, cancel := context.WithTimeout(t.Context(), brief)
			defer cancel()
			return page.Click(ctx, "#none", browser.ClickOptions{}, brief)
		}, errcode.CodeElementNotFound, `"count":0`},
		{"hidden", func() error { return click("#hidden", browser.ClickOptions{}, brief) }, errcode.CodeElementNotActionable, "hidden"},
		{"disabled", func() error { return click("#disabled", browser.ClickOptions{}, brief) }, errcode.CodeElementNotActionable, "disabled"},
		{"covered", func() error { return click("#covered", browser.ClickOptions{}, brief) }, errcode.CodeElementNotActionable, "covered by \\u003cdiv id=\\\"cover\\\""},
		{"read-only", func() error { return page.Fill(t.Context(), "#readonly", "x", brief) }, errcode.CodeElementNotActionable, "read-only"},
		{"no field", func() error { return page.Fill(t.Context(), "#p", "x", soon) }, errcode.CodeElementNotActionable, "not an"},
		{"css", func() error { return click("###", browser.ClickOptions{}, soon) }, errcode.CodeInvalidArguments, `"path":"selector"`},
		{"xpath", func() error { return click("xpath=//[", browser.ClickOptions{}, soon) }, errcode.CodeInvalidArguments, `"path":"selector"`},
		{"engine", func() error { return click("nonsense=1", browser.ClickOptions{}, soon) }, errcode.CodeInvalidArguments, `"path":"selector"`},
		{"role", func() error { return click("role=button[name=", browser.ClickOptions{}, soon) }, errcode.CodeInvalidArguments, `"path":"selector"`},
		{"key", func() error { return page.Press(t.Context(), "#keys", "Nonsense", soon) }, errcode.CodeInvalidArguments, `"path":"key"`},
		{"page key", func() error { return page.Press(t.Context(), "", "Nonsense", soon) }, errcode.CodeInvalidArguments, `"path":"key"`},
		{"wait for none", func() error { return page.WaitForSelector(t.Context(), "#none", "visible", brief) }, errcode.CodeWaitTimeout, "#none to be visible"},
		{"wait for several", func() error { return page.WaitForSelector(t.Context(), ".many", "attached", soon) }, errcode.CodeElementNotFound, `"count":2`},
		{"wait for css", func() error { return page.WaitForSelector(t.Context(), "###", "visible", soon) }, errcode.CodeInvalidArguments, `"path":"selector"`},
		{"wait", func() error { return page.WaitForSelector(t.Context(), "#none", "hidden", soon) }, "", ""},
		{"wait", func() error { return page.WaitForSelector(t.Context(), "#ok", "visible", soon) }, "", ""},
		{"wait", func() error { return page.WaitForSelector(t.Context(), "#hidden", "attached", soon) }, "", ""},
		{"wait", func() error { return page.WaitForSelector(t.Context(), "#none", "detached", soon) }, "", ""},
	} {
		err := test.do()
		if got := contract.CodeOf(err); got != test.code {
			t.Errorf("%s: %v, want the code %q", test.name, err, test.code)
			continue
		}
		var coded *contract.Error
		if errors.As(err, &coded) && !strings.Contains(string(coded.Details), test.detail) {
			t.Errorf("%s: details %s lack %s", test.name, coded.Details, test.detail)
		}
	}
}

func TestFormByRole(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, site.URL)
	if err := page.Fill(t.Context(), "role=textbox[name=Name]", "Ada <3", soon); err != nil {
		t.Fatal(err)
	}
	if err := page.Press(t.Context(), "[name=name]", "Enter", soon); err != nil {
		t.Fatal(err)
	}
	if err := page.WaitForSelector(t.Context(), "#name", "visible", soon); err != nil {
		t.Fatal(err)
	}
	html, err := page.Content(t.Context())
	if err != nil || !strings.Contains(html, `<p id="name">Ada &lt;3</p>`) {
		t.Errorf("%v: %s", err, html)
	}
}
