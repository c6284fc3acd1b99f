package browser_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/hosttest"
)

// markup is the address of a page with the body.
func markup(body string) string {
	return "data:text/html;charset=utf-8," + url.PathEscape("<!doctype html><title>Page</title>"+body)
}

func TestFillTakesEveryKindOfField(t *testing.T) {
	t.Parallel()
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, markup(`<input id=date type=date><input id=time type=time><input id=both type=datetime-local>
		<input id=month type=month><input id=week type=week><input id=color type=color>
		<input id=range type=range min=0 max=50 step=5><input id=number type=number><input id=text><textarea id=area></textarea>
		<label>Labelled <input id=inner></label><div id=editor contenteditable>old <b>text</b></div>
		<script>document.oninput = e => (e.target.dataset.told = 'yes')</script>`))
	for _, test := range []struct{ selector, value, want string }{
		{"#date", "2026-01-31", "2026-01-31"},
		{"#time", "13:45", "13:45"},
		{"#both", "2026-01-31T13:45", "2026-01-31T13:45"},
		{"#month", "2026-01", "2026-01"},
		{"#week", "2026-W05", "2026-W05"},
		{"#color", "#FF8800", "#ff8800"},
		{"#range", "35", "35"},
		{"#number", "-1.5", "-1.5"},
		{"#text", "Grüße, 世界 👩‍🚀 𝒜", "Grüße, 世界 👩‍🚀 𝒜"},
		{"#area", "one\ntwo", "one\ntwo"},
		{"text=Labelled", "by label", "by label"},
		{"#editor", "new 😀\nline", "new 😀\nline"},
		{"#editor", "", ""},
	} {
		if err := page.Fill(t.Context(), test.selector, test.value, soon); err != nil {
			t.Errorf("%s: %v", test.selector, err)
		}
		if test.selector == "text=Labelled" {
			test.selector = "#inner"
		}
		got := evaluate(t, page, `(() => { const e = document.querySelector('`+test.selector+`'); return [e.value ?? e.innerText.trim(), e.dataset.told] })()`)
		want, _ := json.Marshal([]string{test.want, "yes"})
		if got != string(want) {
			t.Errorf("%s: %s, want %s", test.selector, got, want)
		}
	}
	for selector, value := range map[string]string{"#date": "31.1.2026", "#time": "noon", "#color": "red", "#range": "51", "#number": "many"} {
		wantCode(t, page.Fill(t.Context(), selector, value, soon), errcode.CodeInvalidArguments)
	}
}

// A click on a checkbox that a page has replaced by a drawing of its own sets it.
func TestHiddenCheckboxes(t *testing.T) {
	t.Parallel()
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, markup(`<style>label { display: block; position: relative; width: 200px } i { display: inline-block; width: 20px; height: 20px; background: red }
			.reader { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0); margin: -1px }</style>
		<label><input id=plain type=checkbox> Plain</label>
		<label><input id=none type=checkbox style="display:none"><i></i> None</label>
		<label><input id=clear type=checkbox style="opacity:0;position:absolute;left:0;top:0;width:20px;height:20px"><i style="position:relative"></i> Clear</label>
		<label><input id=reader class=reader type=checkbox><i></i> Reader</label>
		<input id=outside class=reader type=checkbox><label for=outside>Outside</label>
		<label><input id=link type=checkbox style="display:none"><i></i> I accept <a href="data:text/html,terms">the terms</a></label>
		<label><input id=radio type=radio name=r style="display:none"> Radio</label>
		<div style="height:3000px"></div>
		<label><input id=far type=checkbox style="opacity:0;position:absolute;left:0;top:0;width:20px;height:20px"><i style="position:relative"></i> Far</label>
		<input id=alone type=checkbox style="display:none">
		<label><input id=covered type=checkbox style="display:none"> Covered <div id=cover style="position:fixed;inset:50% 0 0 0;display:none">Cover</div></label>`))
	for _, id := range []string{"plain", "none", "clear", "reader", "outside", "link", "radio", "far"} {
		began := time.Now()
		if err := page.Click(t.Context(), "#"+id, browser.ClickOptions{}, hosttest.Limit(3*time.Second)); err != nil {
			t.Errorf("%s: %v after %v", id, err, time.Since(began))
			continue
		}
		if got := evaluate(t, page, "document.querySelector('#"+id+"').checked"); got != "true" {
			t.Errorf("%s is not set", id)
		}
	}
	if !strings.Contains(page.URL(), "Plain") {
		t.Errorf("the tab is at %s", page.URL())
	}
	wantCode(t, page.Click(t.Context(), "#alone", browser.ClickOptions{}, brief), errcode.CodeElementNotActionable)
}

func TestKeysAreReleasedAfterAFailure(t *testing.T) {
	t.Parallel()
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, markup(`<input id=text><button id=moved onpointerdown="event.preventDefault()" style="display:none">Hidden</button>
		<button id=check onclick="document.title = [event.ctrlKey, event.shiftKey, event.altKey].join()">Check</button>`))
	for name, fail := range map[string]func() error{
		"unknown key":            func() error { return page.Press(t.Context(), "#text", "Control+Shift+Nonsense", soon) },
		"unknown key in the tab": func() error { return page.Press(t.Context(), "", "Alt+Nonsense", soon) },
		"hidden": func() error {
			return page.Click(t.Context(), "#moved", browser.ClickOptions{Modifiers: []string{"Control", "Shift"}}, brief)
		},
	} {
		if fail() == nil {
			t.Errorf("%s: no error", name)
		}
		if err := page.Click(t.Context(), "#check", browser.ClickOptions{}, soon); err != nil {
			t.Error(err)
		}
		if got := evaluate(t, page, "document.title"); got != `"false,false,false"` {
			t.Errorf("%s: keys stay pressed: %s", name, got)
		}
	}
}

func TestLongText(t *testing.T) {
	t.Parallel()
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, markup(`<textarea id=area></textarea><script>area.onkeydown = () => area.dataset.keys = +(area.dataset.keys ?? 0) + 1</script>`))
	text := strings.Repeat("Zeile mit Ümläuten 😀 and plain words.\n", 20_000/39+1)
	text = string([]rune(text)[:20_000])
	began := time.Now()
	if err := page.Type(t.Context(), "#area", text, 0, soon); err != nil {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	t.Logf("20,000 characters: %v; %s keys", time.Since(began), evaluate(t, page, "area.dataset.keys"))
	want, _ := json.Marshal(text)
	if got := evaluate(t, page, "area.value"); got != string(want) {
		t.Errorf("the field holds %d bytes, not %d", len(got), len(want))
	}
}

func TestLoneSurrogates(t *testing.T) {
	t.Parallel()
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, markup(`<p id=p></p><script>p.textContent = 'a\ud800b \udc00 😀'; document.title = 't\ud800'</script>`))
	snapshot, err := page.Snapshot(t.Context(), browser.SnapshotOptions{})
	if err != nil || !utf8.ValidString(snapshot.Tree) || !strings.Contains(snapshot.Tree, "a\ufffdb") {
		t.Errorf("snapshot: %v %q", err, snapshot.Tree)
	}
	html, err := page.Content(t.Context())
	if err != nil || !utf8.ValidString(html) || !strings.Contains(html, "a\ufffdb") {
		t.Errorf("content: %v %q", err, html)
	}
	for _, script := range []string{"p.textContent", "({['k\\ud800']: [p.textContent]})", "'\\\\ud800 \\\\\\ud800'"} {
		got := evaluate(t, page, script)
		if strings.Contains(strings.ReplaceAll(got, `\\`, ""), `\u`) || !strings.Contains(got, "\ufffd") {
			t.Errorf("%s: %s", script, got)
		}
	}
}
