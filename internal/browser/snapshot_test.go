package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/contract"
)

// pages serves one document for each path.
func pages(t *testing.T, bodies map[string]string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Test</title>"+bodies[r.URL.Path])
	}))
	t.Cleanup(func() {
		server.CloseClientConnections() // Browsers keep theirs open.
		server.Close()
	})
	return server
}

func shows(t *testing.T, page *browser.Page, o browser.SnapshotOptions) string {
	t.Helper()
	snapshot, err := page.Snapshot(t.Context(), o)
	if err != nil {
		t.Fatalf("snapshot %+v: %v", o, err)
	}
	return snapshot.Tree
}

// refOf is the ref in the line of a tree that matches.
func refOf(t *testing.T, tree, line string) string {
	t.Helper()
	match := regexp.MustCompile(line + `.*\[ref=((?:f\d+)?e\d+)\]`).FindStringSubmatch(tree)
	if match == nil {
		t.Fatalf("no %s in\n%s", line, tree)
	}
	return match[1]
}

// A ref of a document that is gone matches nothing in the next one, in the page and in iframes of its own
// origin and of another one, though both documents have the same elements.
func TestRefsOfOlderDocuments(t *testing.T) {
	t.Parallel()
	site := pages(t, map[string]string{
		"/one": `<button onclick="document.title='one'">Press</button>`,
		"/two": `<button onclick="document.title='two'">Press</button>`,
	})
	// The same server under another name is another origin, and another site.
	foreign := strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	frames := pages(t, map[string]string{"/": fmt.Sprintf(`<iframe id=near></iframe><iframe id=far src="%s/one"></iframe>`, foreign)})
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	const button = `button "Press"`

	for _, place := range []string{"blank", "page", "near", "far", "far to near"} {
		var move func(to string)
		switch place {
		case "blank", "page":
			if place == "blank" { // A tab that has been nowhere has a document, too.
				evaluate(t, page, `document.body.innerHTML = '<button>Press</button>'`)
			} else {
				open(t, page, site.URL+"/one")
			}
			move = func(to string) { open(t, page, site.URL+to) }
		default:
			open(t, page, frames.URL)
			id, address := strings.Fields(place)[0], site.URL
			if place == "far" {
				address = foreign
			}
			move = func(to string) {
				loaded := evaluate(t, page, fmt.Sprintf(
					`new Promise(done => { const f = document.getElementById('%s'); f.onload = () => done(1); f.src = '%s%s' })`, id, address, to))
				if loaded != "1" {
					t.Fatal(loaded)
				}
			}
			if place == "near" {
				move("/one")
			}
		}
		old := refOf(t, shows(t, page, browser.SnapshotOptions{}), button)
		move("/two")
		for _, moment := range []string{"before", "after"} {
			wantCode(t, page.Click(t.Context(), old, browser.ClickOptions{}, soon), errcode.CodeElementNotFound)
			if _, err := page.Snapshot(t.Context(), browser.SnapshotOptions{Selector: old}); err == nil {
				t.Errorf("%s, %s: the old ref %s is read", place, moment, old)
			} else {
				wantCode(t, err, errcode.CodeElementNotFound)
			}
			now := refOf(t, shows(t, page, browser.SnapshotOptions{}), button)
			if now == old {
				t.Fatalf("%s: the new document has the old ref %s", place, old)
			}
		}
	}
}

// A part that is read leaves the refs of the rest as they are, for elements that are still there.
func TestSnapshotOfAPart(t *testing.T) {
	t.Parallel()
	site := pages(t, map[string]string{
		"/": `<nav aria-label=Main><a href=/>Home</a></nav>
			<main><form aria-label=Login><div><button type=button onclick="document.title='pressed'">In</button></div></form></main>
			<ul><li><b>a</b> one<li><b>b</b> two</ul>`,
	})
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, site.URL)
	full := shows(t, page, browser.SnapshotOptions{})
	home, form := refOf(t, full, `link "Home"`), refOf(t, full, `form "Login"`)
	for _, selector := range []string{"form", form, "role=form"} {
		part := shows(t, page, browser.SnapshotOptions{Selector: selector})
		if !strings.HasPrefix(part, "- form \"Login\" [ref="+form+"]") || !strings.Contains(part, `button "In"`) || strings.Contains(part, "Home") {
			t.Errorf("%s: %s", selector, part)
		}
	}
	if err := page.Hover(t.Context(), home, soon); err != nil {
		t.Errorf("a ref outside of the part: %v", err)
	}
	evaluate(t, page, `document.querySelector('a').outerHTML = '<a href=/>Home</a>'`)
	shows(t, page, browser.SnapshotOptions{Selector: "form"})
	wantCode(t, page.Hover(t.Context(), home, soon), errcode.CodeElementNotFound)

	for selector, code := range map[string]contract.Code{
		"li": errcode.CodeElementNotFound, "#none": errcode.CodeElementNotFound, "e999": errcode.CodeElementNotFound,
		"li >>": errcode.CodeInvalidArguments,
	} {
		_, err := page.Snapshot(t.Context(), browser.SnapshotOptions{Selector: selector})
		wantCode(t, err, code)
	}
	shallow := shows(t, page, browser.SnapshotOptions{Depth: 2})
	if strings.Contains(shallow, "button") || !strings.Contains(shallow, `form "Login"`) {
		t.Errorf("depth 2:\n%s", shallow)
	}
}

// What takes clicks without a role, in shadow roots, and in iframes is there and can be clicked.
func TestSnapshotFindsWhatCanBeClicked(t *testing.T) {
	t.Parallel()
	site := pages(t, map[string]string{
		"/inner": `<body><div id=shadow></div><script>
			shadow.attachShadow({mode: 'open'}).innerHTML = '<button onclick="this.textContent=\'Pressed inside\'">Deep</button>'</script>`,
	})
	foreign := strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	main := pages(t, map[string]string{"/": fmt.Sprintf(`<style>.p {cursor: pointer}</style>
		<p>Some <span onclick="this.textContent='Was 1'">Text 1</span> in a line</p>
		<div><div onclick="this.textContent='Was 2'">Text 2</div></div>
		<div><div class=p id=three>Text 3</div></div>
		<p>Or <span tabindex=0 onkeydown="this.textContent='Was 4'">Text 4</span></p>
		<a href="/" onclick="return false"><span class=p>Text 5</span></a>
		<my-box></my-box>
		<iframe src="%s/inner"></iframe>
		<script>
			three.addEventListener('click', () => three.textContent = 'Was 3');
			document.querySelector('my-box').attachShadow({mode: 'open'}).innerHTML = '<span onclick="this.textContent=\'Was 6\'">Text 6</span>';
		</script>`, foreign)})
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, main.URL)
	for _, o := range []browser.SnapshotOptions{{}, {Interactive: true}} {
		open(t, page, main.URL)
		for i := 1; i <= 6; i++ {
			if i == 5 {
				continue
			}
			tree := shows(t, page, o)
			match := regexp.MustCompile(fmt.Sprintf(`- generic \[ref=(\w+)\] \[cursor=pointer\]: Text %d`, i)).FindStringSubmatch(tree)
			if match == nil {
				t.Errorf("text %d of %+v:\n%s", i, o, tree)
				continue
			}
			if i == 4 {
				if err := page.Press(t.Context(), match[1], "x", soon); err != nil {
					t.Error(err)
				}
			} else if err := page.Click(t.Context(), match[1], browser.ClickOptions{}, soon); err != nil {
				t.Error(err)
			}
			if now := shows(t, page, o); !strings.Contains(now, fmt.Sprintf("Was %d", i)) {
				t.Errorf("text %d was not reached:\n%s", i, now)
			}
		}
		tree := shows(t, page, o)
		if err := page.Click(t.Context(), refOf(t, tree, `button "Deep"`), browser.ClickOptions{}, soon); err != nil {
			t.Error(err)
		}
		if now := shows(t, page, o); !strings.Contains(now, "Pressed inside") {
			t.Errorf("the button in the iframe's shadow root was not reached:\n%s", now)
		}
	}
}

// No snapshot shows what a password field holds, in whatever way it is read.
func TestSnapshotHidesPasswords(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-hunter2"
	site := pages(t, map[string]string{"/": `
		<label>Old <input id=a type=password value=` + secret + `></label>
		<label>New <input id=b autocomplete="section-x new-password"></label>
		<label>Dots <input id=c style="-webkit-text-security: disc"></label>
		<label>Combo <input id=d type=password role=combobox></label>
		<label>Name <input id=e></label>
		<button aria-labelledby="a d">x</button>
		<label>All <input type=checkbox> of <input id=f type=password> them</label>`})
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, site.URL)
	all := func() {
		t.Helper()
		for _, o := range []browser.SnapshotOptions{{}, {Interactive: true}, {Changes: true}, {Selector: "#a"}, {Selector: "#d"}} {
			if tree := shows(t, page, o); strings.Contains(tree, "hunter2") {
				t.Errorf("%+v:\n%s", o, tree)
			}
		}
	}
	all()
	for _, id := range []string{"b", "c", "d", "f"} {
		if err := page.Fill(t.Context(), "#"+id, secret, soon); err != nil {
			t.Fatal(err)
		}
		all()
	}
	if tree := shows(t, page, browser.SnapshotOptions{}); !regexp.MustCompile(`textbox "Old" \[ref=\w+\]: •{8}\n`).MatchString(tree) {
		t.Errorf("a password of %d characters:\n%s", len(secret), tree)
	}
	evaluate(t, page, `document.querySelectorAll('[type=password]').forEach(e => e.type = 'text')`) // "Show password".
	all()
	if err := page.Fill(t.Context(), "#e", "no secret", soon); err != nil {
		t.Fatal(err)
	}
	evaluate(t, page, `a.value = ''`)
	tree := shows(t, page, browser.SnapshotOptions{})
	if !strings.Contains(tree, "no secret") || !regexp.MustCompile(`(?m)textbox "Old" \[ref=\w+\]$`).MatchString(tree) {
		t.Errorf("other fields, and an empty password:\n%s", tree)
	}
}

func TestSnapshotOfWhatHasChanged(t *testing.T) {
	t.Parallel()
	site := pages(t, map[string]string{"/": `<h1>Shop</h1><section aria-label=Cart><ul id=list><li><button>One</button><li><button>Two</button><li><button>Three</button></ul>
		<p id=sum>Nothing</p></section><label>Name <input></label>`})
	page := activePage(t, browsertest.Launch(t, browsertest.Drivers(t), browser.LaunchOptions{}))
	open(t, page, site.URL)
	changes := browser.SnapshotOptions{Changes: true}
	first, err := page.Snapshot(t.Context(), changes)
	if err != nil || first.Changes || !strings.Contains(first.Tree, `heading "Shop"`) {
		t.Fatalf("the first has nothing to compare with: %+v, %v", first, err)
	}
	for _, step := range []struct {
		script   string
		has, not []string
	}{
		{"0", []string{"# since the last snapshot: 0 new, 0 changed, 0 removed"}, []string{"ref="}},
		{"sum.textContent = 'Something'", []string{"0 new, 1 changed, 0 removed", `region "Cart"`, "Something", "# changed"}, []string{"Shop", "One", "Name"}},
		{"list.insertAdjacentHTML('beforeend', '<li><button>Four</button> now')", []string{`button "Four"`, "# new"}, []string{`"One"`, "Something", "Shop"}},
		{"list.children[1].remove()", []string{"# removed: listitem [ref="}, []string{`"One"`, "Four", "Shop"}},
		{"list.prepend(list.children[1])", []string{"# moved", `"Three"`}, []string{"Shop", "Something"}},
		{"document.querySelector('input').value = 'Ada'", []string{`textbox "Name"`, "Ada", "# changed"}, []string{"Shop", "Cart"}},
		{"document.querySelector('h1').textContent = 'Store'", []string{`heading "Store"`, "# new", `# removed: heading "Shop" [ref=`}, []string{"Cart"}},
	} {
		evaluate(t, page, step.script)
		got, err := page.Snapshot(t.Context(), changes)
		if err != nil || !got.Changes {
			t.Fatalf("%s: %+v, %v", step.script, got, err)
		}
		for _, want := range step.has {
			if !strings.Contains(got.Tree, want) {
				t.Errorf("%s: no %q in\n%s", step.script, want, got.Tree)
			}
		}
		for _, other := range step.not {
			if strings.Contains(got.Tree, other) {
				t.Errorf("%s: %q in\n%s", step.script, other, got.Tree)
			}
		}
	}
	// Other options, or another document, are no ground to compare on.
	for name, prepare := range map[string]func() browser.SnapshotOptions{
		"options":  func() browser.SnapshotOptions { return browser.SnapshotOptions{Changes: true, Interactive: true} },
		"document": func() browser.SnapshotOptions { open(t, page, site.URL+"/"); return changes },
	} {
		got, err := page.Snapshot(t.Context(), prepare())
		if err != nil || got.Changes || !strings.Contains(got.Tree, `button "One"`) {
			t.Errorf("after other %s: %+v, %v", name, got, err)
		}
	}
}
