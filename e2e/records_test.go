package e2e

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // Records are read as they lie on the disk.
)

// rows reads one column of text from the program's database.
func (p *product) rows(query string, values ...any) []string {
	p.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(p.dataDir, "browserhive.db")+"?_pragma=query_only(1)&_pragma=busy_timeout(5000)")
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	found, err := db.Query(query, values...)
	if err != nil {
		p.t.Fatalf("%s: %v", query, err)
	}
	defer found.Close()
	var list []string
	for found.Next() {
		var s sql.NullString
		if err := found.Scan(&s); err != nil {
			p.t.Fatal(err)
		}
		list = append(list, s.String)
	}
	if err := found.Err(); err != nil {
		p.t.Fatal(err)
	}
	return list
}

// eventually waits until a query has exactly the rows.
func (p *product) eventually(query string, want ...string) {
	p.t.Helper()
	var got []string
	eventually(p.t, func() bool {
		got = p.rows(query)
		return fmt.Sprint(got) == fmt.Sprint(want)
	}, func() string { return fmt.Sprintf("%s: %q, not %q", query, got, want) })
}

func TestRecords(t *testing.T) {
	work(t)
	site := newSite(t)
	site.page("/fine", "Fine page", `<a href="/blocked/x">in</a>`)
	site.page("/blocked/x", "Secret", "secret")
	host := strings.TrimPrefix(site.URL, "http://")
	list := filepath.Join(t.TempDir(), "list.txt")
	if err := os.WriteFile(list, []byte(host+"/blocked/*\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, setup{args: []string{"--blocklist", list, "--urlQueryAllowlist", "page"}})
	a := p.connect(stateful)
	id := a.launch()
	a.call("navigate", args{"session_id": id, "url": site.URL + "/fine?page=2&token=s#top"})
	p.eventually("SELECT title FROM pages", "Fine page")
	a.evaluate(id, "history.pushState({}, '', '/pushed?token=s')")
	a.refused("URL_BLOCKED", "navigate", args{"session_id": id, "url": site.URL + "/blocked/x?token=s"})
	a.call("screenshot", args{"session_id": id})
	a.refused("SESSION_NOT_FOUND", "snapshot", args{"session_id": "nobody-12345678"})
	p.eventually("SELECT tool || ':' || coalesce(error_code, 'ok') FROM tool_calls ORDER BY id",
		"launch_session:ok", "navigate:ok", "evaluate:ok", "navigate:URL_BLOCKED", "screenshot:ok", "snapshot:SESSION_NOT_FOUND")
	p.eventually("SELECT DISTINCT url || ' ' || coalesce(title, '') || ' ' || category FROM pages ORDER BY 1",
		site.URL+"/fine?page=2 Fine page local", site.URL+"/pushed Fine page local")
	p.eventually("SELECT b.url || ' ' || b.pattern || ' ' || b.source || ' ' || c.tool FROM blocked_attempts b JOIN tool_calls c ON c.id = b.tool_event_id",
		site.URL+"/blocked/x "+host+"/blocked/* tool navigate")
	p.eventually("SELECT tool_calls || ' ' || errors || ' ' || screenshots || ' ' || blocked || ' ' || state || ' ' || json_extract(client, '$.name') FROM sessions",
		"5 1 1 1 live e2e")
	for _, shot := range p.rows("SELECT path FROM screenshots") {
		if content, err := os.ReadFile(filepath.Join(p.dataDir, filepath.FromSlash(shot))); err != nil || !strings.HasPrefix(string(content), "\x89PNG") {
			t.Errorf("%s: %v", shot, err)
		}
	}
	a.call("close_session", args{"session_id": id})
	p.eventually("SELECT state || ' ' || closed_reason || ' ' || current_url FROM sessions", "closed user "+site.URL+"/pushed")
	b := a.launch()
	p.eventually("SELECT state FROM sessions WHERE id = '"+b+"'", "live")
	if err := p.kill(); err != nil {
		t.Fatal(err)
	}
	<-p.exited
	// The next server finds what this one left.
	next := start(t, setup{dataDir: p.dataDir})
	next.eventually("SELECT state || ' ' || closed_reason FROM sessions WHERE id = '"+b+"'", "closed interrupted")
}

// What a session of another is called is in the record alone.
func TestRecordOfADeniedSession(t *testing.T) {
	work(t)
	p, other := tenant(t), tenant(t)
	id := p.connect(stateful).launch()
	other.connect(stateful).refused("SESSION_NOT_FOUND", "snapshot", args{"session_id": id})
	p.eventually("SELECT owner || ' ' || error_code FROM tool_calls WHERE tool = 'snapshot' AND owner IN ('"+p.principal+"', '"+other.principal+"')",
		other.principal+" SESSION_ACCESS_DENIED")
}
