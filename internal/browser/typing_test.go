package browser_test

import (
	"slices"
	"testing"

	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/secret"
)

// What is typed is noted as shown only where the field is known to show it.
func TestTypingIsShown(t *testing.T) {
	t.Parallel()
	var told []string
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{OnSecret: func(text string) { told = append(told, text) }}))
	open(t, page, markup(`<input id=name><input id=pw type=password><input id=dots style="-webkit-text-security:disc">
		<input id=new autocomplete=new-password><div id=host></div><x-field id=custom tabindex=0></x-field>
		<iframe id=same srcdoc="<input id=inner><input type=password id=hidden>"></iframe><iframe id=other sandbox srcdoc="<input>"></iframe>
		<script>
			document.querySelector('#host').attachShadow({mode: 'open'}).innerHTML = '<input id=open><input id=openpw type=password>'
			document.querySelector('#custom').attachShadow({mode: 'closed'}).innerHTML = '<input>'
		</script>`))
	const inFrame, inShadow = "document.querySelector('#same').contentDocument", "document.querySelector('#host').shadowRoot"
	for _, test := range []struct {
		focus string // "" where the call names the field
		field string
		shown bool
	}{
		{"", "#name", true}, {"", "#pw", false}, {"", "#dots", false}, {"", "#new", false},
		{"document.querySelector('#name')", "", true}, {"document.querySelector('#pw')", "", false},
		{inFrame + ".querySelector('#inner')", "", true}, {inFrame + ".querySelector('#hidden')", "", false},
		{inShadow + ".querySelector('#open')", "", true}, {inShadow + ".querySelector('#openpw')", "", false},
		{"document.querySelector('#other')", "", false}, {"document.querySelector('#custom')", "", false},
	} {
		if test.focus != "" {
			evaluate(t, page, "("+test.focus+").focus()")
		}
		ctx, shown := secret.WatchTyping(t.Context())
		if err := page.Press(ctx, test.field, "a", soon); err != nil {
			t.Errorf("%+v: %v", test, err)
		}
		if shown() != test.shown {
			t.Errorf("a key on %s%s: shown is %t", test.focus, test.field, !test.shown)
		}
		if test.field == "" {
			continue
		}
		for what, enter := range map[string]func() error{
			"fill": func() error { return page.Fill(ctx, test.field, "text of "+test.field, soon) },
			"type": func() error { return page.Type(ctx, test.field, "more of "+test.field, 0, soon) },
		} {
			ctx, shown = secret.WatchTyping(t.Context())
			if err := enter(); err != nil || shown() != test.shown {
				t.Errorf("%s %s: %v, shown is %t", what, test.field, err, shown())
			}
			if slices.Contains(told, "text of "+test.field) == test.shown && what == "fill" {
				t.Errorf("%s: told %q", test.field, told)
			}
		}
	}
	ctx, shown := secret.WatchTyping(t.Context())
	if err := page.Fill(ctx, "#none", "lost", brief); err == nil || shown() {
		t.Errorf("a field that is not there: %v, shown is %t", err, shown())
	}
	for key, want := range map[string]bool{"a": true, "Shift+A": true, "é": true, "Enter": false, "Control+a": false, "ArrowDown": false} {
		if browser.KeyText(key) != want {
			t.Errorf("%s enters a character: %t", key, !want)
		}
	}
}
