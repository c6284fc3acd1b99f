package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBlocklist(t *testing.T) {
	work(t)
	site := newSite(t)
	site.page("/secret/page", "Secret", "secret")
	site.page("/fine", "Fine", `<a href="/secret/page">in</a>`)
	site.mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/secret/page", http.StatusFound) })
	host := strings.TrimPrefix(site.URL, "http://")
	list := filepath.Join(t.TempDir(), "list.txt")
	put := func(content string) {
		t.Helper()
		if err := os.WriteFile(list, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("# closed\n" + host + "/secret/*\n*\n")
	p := start(t, setup{args: []string{"--blocklist", list, "--blocklistWatch"}})
	if !p.await("would match every address") {
		t.Error("a useless line is not reported")
	}
	a := p.connect(stateful)
	id := a.launch()
	for _, c := range []struct{ path, named string }{{"/secret/page?token=1", "/secret/page"}, {"/SECRET/./page", "/SECRET/./page"}, {"/away", "/secret/page"}} {
		f := a.refused("URL_BLOCKED", "navigate", args{"session_id": id, "url": site.URL + c.path})
		if f.Details["pattern"] != host+"/secret/*" || f.Details["url"] != site.URL+c.named {
			t.Errorf("%s: %v", c.path, f.Details)
		}
	}
	a.call("navigate", args{"session_id": id, "url": site.URL + "/fine"})
	a.call("click", args{"session_id": id, "selector": "a"})
	if site.received("/secret/page").URL != nil {
		t.Error("the site was asked for what is blocked")
	}
	// A reload reaches sessions that run.
	put(host + "/form\n")
	eventually(t, func() bool {
		_, f := a.try("navigate", args{"session_id": id, "url": site.URL + "/form"})
		return f != nil && f.Code == "URL_BLOCKED"
	}, func() string { return "the new list is not in force" })
	a.call("navigate", args{"session_id": id, "url": site.URL + "/secret/page"})
	// What a list no longer allows does not open again, and a list that is gone stays in force.
	if err := os.Remove(list); err != nil {
		t.Fatal(err)
	}
	if !p.await("the old one stays in force") {
		t.Error("the failed reload is not logged")
	}
	a.refused("URL_BLOCKED", "navigate", args{"session_id": id, "url": site.URL + "/form"})
	put(host + "/secret/*\n" + host + "/other\n")
	p.await(`"rules":2`)
	a.refused("URL_BLOCKED", "reload", args{"session_id": id})
	a.call("navigate", args{"session_id": id, "url": site.URL + "/fine"})
	a.refused("URL_BLOCKED", "go_back", args{"session_id": id})
}

func TestBlocklistThatCannotBeRead(t *testing.T) {
	work(t)
	code, output := refusal(t, setup{args: []string{"--blocklist", filepath.Join(t.TempDir(), "missing.txt")}})
	if code != 3 || !strings.Contains(output, "BLOCKLIST_LOAD_FAILED") {
		t.Errorf("exit %d: %s", code, output)
	}
}
