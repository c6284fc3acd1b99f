package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// storages writes into every storage that a login may lie in, and reads it back. The values are short, because
// the server's log redacts secrets from six bytes on, in every line.
const (
	writeStorages = `async () => {
		document.cookie = 'id=jar; max-age=9999';
		document.cookie = 'run=tab';
		localStorage.id = 'local';
		const open = indexedDB.open('login', 1);
		open.onupgradeneeded = () => open.result.createObjectStore('keys');
		await new Promise((ok, no) => { open.onsuccess = ok; open.onerror = no; });
		const write = open.result.transaction('keys', 'readwrite');
		write.objectStore('keys').put('base', 'id');
		await new Promise((ok, no) => { write.oncomplete = ok; write.onabort = no; });
		open.result.close();
	}`
	readStorages = `async () => {
		const open = indexedDB.open('login', 1);
		open.onupgradeneeded = () => open.result.createObjectStore('keys');
		await new Promise((ok, no) => { open.onsuccess = ok; open.onerror = no; });
		const get = open.result.transaction('keys').objectStore('keys').get('id');
		await new Promise((ok, no) => { get.onsuccess = ok; get.onerror = no; });
		return [document.cookie.split('; ').sort().join('+'), localStorage.id, get.result].join(' ');
	}`
)

// launchWith launches a session with arguments and returns its id.
func (a *agent) launchWith(in args) string {
	a.t.Helper()
	all := args{"slug": "test"}
	for k, v := range in {
		all[k] = v
	}
	return a.call("launch_session", all).fields["session_id"].(string)
}

// shows opens the site and wants its storages to hold this.
func (a *agent) shows(site *site, id, want string) {
	a.t.Helper()
	a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
	if got := a.evaluate(id, readStorages); got != want {
		a.t.Errorf("%s holds %q, not %q", id, got, want)
	}
}

const (
	annToken = "ann-0123456789-0123456789-0123456789"
	bobToken = "bob-0123456789-0123456789-0123456789"

	everything = "id=jar+run=tab local base"
	afterClose = "id=jar local base" // cookies without an age end with the browser
)

func TestStorageState(t *testing.T) {
	work(t)
	site := newSite(t)
	a := tenant(t).connect(stateful)
	id := a.launchWith(nil)
	a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
	a.evaluate(id, writeStorages)
	saved := a.call("save_storage_state", args{"session_id": id, "name": "work"}).fields
	info, err := os.Stat(saved["path"].(string))
	if err != nil || info.Mode().Perm() != 0o600 || float64(info.Size()) != saved["size"] || saved["name"] != "work" {
		t.Errorf("saved %v: %v %v", saved, info, err)
	}
	for _, name := range []string{"../x", "a/b", "", ".hidden"} {
		a.refused("PATH_NOT_ALLOWED", "save_storage_state", args{"session_id": id, "name": name})
	}
	if list := a.call("list_saved_auths", nil).fields["saved_auths"].([]any); len(list) != 1 || list[0].(map[string]any)["kind"] != "storage" {
		t.Errorf("listed: %v", list)
	}
	a.call("close_session", args{"session_id": id})

	named := a.launchWith(args{"context_options": args{"storageState": "work"}})
	a.shows(site, named, everything)
	if tabs := a.call("session_info", args{"session_id": named}).fields["page_count"]; tabs != 1.0 {
		t.Errorf("%v tabs after a restore", tabs)
	}
	inline := a.launchWith(args{"incognito": true, "context_options": args{"storageState": args{
		"cookies": []any{args{"name": "id", "value": "given", "domain": "127.0.0.1", "path": "/"}},
		"origins": []any{args{"origin": site.URL, "localStorage": []any{args{"name": "id", "value": "given"}}}},
	}}})
	a.shows(site, inline, "id=given given ")
	fresh := a.launchWith(nil)
	a.shows(site, fresh, "  ")

	for _, state := range []any{"nothing", "../work", "/etc/passwd", "work.json"} {
		f := a.refused("AUTH_STATE_NOT_FOUND", "launch_session", args{"slug": "test", "context_options": args{"storageState": state}})
		if f.Details["kind"] != "storage" {
			t.Errorf("%v: %v", state, f.Details)
		}
	}
	for _, origin := range []string{"file:///etc", "chrome://settings", "http://a:b@127.0.0.1", "nonsense"} {
		a.refused("INVALID_ARGUMENTS", "launch_session", args{"slug": "test", "context_options": args{"storageState": args{
			"origins": []any{args{"origin": origin, "localStorage": []any{}}},
		}}})
	}
	a.refused("INVALID_ARGUMENTS", "launch_session", args{"slug": "test", "context_options": args{"storageState": args{"cookies": []any{args{"name": 1}}}}})
	a.refused("UNSAFE_LAUNCH_ARG", "launch_session", args{"slug": "test", "context_options": args{"storageState": args{"credentials": []any{}}}})
}

// A storage-state session saves itself when it closes, for its owner alone.
func TestStorageStateMode(t *testing.T) {
	work(t)
	site := newSite(t)
	p := start(t, setup{args: []string{
		"--persistence", "storage-state", "--auth", "token", "--authTokens", "ann:" + annToken + ",bob:" + bobToken,
	}})
	ann, bob := p.connectAs(annToken, stateful), p.connectAs(bobToken, stateful)
	id := ann.launchWith(args{"slug": "shop"})
	ann.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
	ann.evaluate(id, writeStorages)
	if out := ann.call("close_session", args{"session_id": id}); out.fields["login_saved"] != true {
		t.Errorf("%v", out.fields)
	}
	next := ann.launchWith(args{"slug": "next", "context_options": args{"storageState": "shop"}, "persistence_mode": "memory"})
	ann.shows(site, next, everything)
	last := ann.launchWith(args{"slug": "last"})
	ann.call("navigate", args{"session_id": last, "url": site.URL + "/form"})
	if list := bob.call("list_saved_auths", nil).fields["saved_auths"].([]any); len(list) != 0 {
		t.Errorf("bob sees %v", list)
	}
	bob.refused("AUTH_STATE_NOT_FOUND", "launch_session", args{"slug": "shop", "context_options": args{"storageState": "shop"}})
	// A server that stops closes its sessions too.
	if code := p.stop(p.terminate); code != 0 {
		t.Errorf("exit %d", code)
	}
	if found, _ := filepath.Glob(filepath.Join(p.dataDir, "auth-states", "*", "last.json")); len(found) != 1 {
		t.Error("the stop saved nothing")
	}
}

func TestPersistentProfile(t *testing.T) {
	work(t)
	site := newSite(t)
	site.mux.HandleFunc("/worker.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, "onfetch = e => e.request.mode === 'navigate' && e.respondWith(new Response('from the worker'))")
	})
	tokens := []string{"--auth", "token", "--authTokens", "ann:" + annToken + ",bob:" + bobToken}
	p := start(t, setup{args: tokens})
	a := p.connectAs(annToken, stateful)
	persistent := func(restore string) args {
		return args{"slug": "test", "persistence_mode": "persistent", "restore_profile": restore}
	}
	id := a.launchWith(args{"persistence_mode": "persistent"})
	a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
	a.evaluate(id, writeStorages)
	a.evaluate(id, "navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => true)")

	saved := a.call("save_full_profile", args{"session_id": id, "name": "work"}).fields
	info, err := os.Stat(saved["path"].(string))
	if err != nil || info.Mode().Perm() != 0o600 || float64(info.Size()) != saved["size"] {
		t.Errorf("saved %v: %v %v", saved, info, err)
	}
	a.refused("PATH_NOT_ALLOWED", "save_full_profile", args{"session_id": id, "name": "../x"})
	if f := a.refused("INVALID_PERSISTENCE_CONFIG", "launch_session", persistent(id)); f.Details["reason"] == "" {
		t.Error("no reason")
	}
	copied := a.launchWith(persistent("work"))
	a.shows(site, copied, everything)
	if got := a.evaluate(copied, "navigator.serviceWorker.getRegistrations().then(all => all.length)"); got != 1.0 {
		t.Errorf("%v service workers", got)
	}
	a.call("close_session", args{"session_id": copied})
	memory := a.launchWith(nil)
	a.refused("INVALID_PERSISTENCE_CONFIG", "save_full_profile", args{"session_id": memory, "name": "work"})
	a.call("close_session", args{"session_id": memory})
	if _, err := os.Stat(filepath.Join(p.dataDir, "sessions", memory)); !os.IsNotExist(err) {
		t.Errorf("a memory session left something: %v", err)
	}

	// The profile stays after a close and across a server that died, and opens with the lock of a browser
	// that died on another host.
	a.call("close_session", args{"session_id": id})
	profile := filepath.Join(p.dataDir, "sessions", id, "userdata")
	if err := os.Symlink("elsewhere-1", filepath.Join(profile, "SingletonLock")); err != nil {
		t.Fatal(err)
	}
	if err := p.kill(); err != nil {
		t.Fatal(err)
	}
	<-p.exited
	p = start(t, setup{dataDir: p.dataDir, args: tokens})
	a, b := p.connectAs(annToken, stateful), p.connectAs(bobToken, stateful)
	again := a.launchWith(persistent(id))
	a.shows(site, again, afterClose)
	if info, err := os.Stat(profile + ".json"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the record: %v %v", info, err)
	}
	foreign := b.refused("AUTH_STATE_NOT_FOUND", "launch_session", persistent(id))
	unknown := b.refused("AUTH_STATE_NOT_FOUND", "launch_session", persistent("test-00000000"))
	if foreign.Details["kind"] != "profile" || foreign.Hint != unknown.Hint {
		t.Errorf("%v, %v", foreign, unknown)
	}
	b.refused("AUTH_STATE_NOT_FOUND", "launch_session", persistent("work"))
	b.refused("AUTH_STATE_NOT_FOUND", "launch_session", persistent("../"+id))
}

func TestPersistenceContradictions(t *testing.T) {
	work(t)
	a := start(t, setup{args: []string{"--persistence", "persistent"}}).connect(stateful)
	for _, in := range []args{
		{"incognito": true, "persistence_mode": "persistent"},
		{"restore_profile": "work", "persistence_mode": "memory"},
		{"restore_profile": "work", "persistence_mode": "storage-state"},
		{"restore_profile": "work", "incognito": true},
		{"context_options": args{"storageState": "work"}},
		{"context_options": args{"storageState": args{"cookies": []any{}}}, "persistence_mode": "persistent"},
	} {
		in["slug"] = "test"
		if f := a.refused("INVALID_PERSISTENCE_CONFIG", "launch_session", in); f.Details["reason"] == "" {
			t.Errorf("%v: no reason", in)
		}
	}
	// incognito stands above the server's setting.
	if got := a.call("launch_session", args{"slug": "test", "incognito": true}).fields["persistence_mode"]; got != "memory" {
		t.Errorf("incognito is %v", got)
	}
	if got := a.call("server_status", nil).fields["persistence_mode"]; got != "persistent" {
		t.Errorf("the server's mode is %v", got)
	}
}

// A session of another principal answers as one that does not exist; the log alone knows better.
func TestForeignSessionsAreUnknown(t *testing.T) {
	work(t)
	p, other := tenant(t), tenant(t)
	ann, bob := p.connect(stateful), other.connect(stateful)
	id := ann.launch()
	const none = "test-00000000"
	ask := func(session string) string {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		res, err := bob.session.CallTool(ctx, &mcp.CallToolParams{Name: "session_info", Arguments: args{"session_id": session}})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(raw), session, "<id>")
	}
	if foreign, unknown := ask(id), ask(none); foreign != unknown || !strings.Contains(foreign, "SESSION_NOT_FOUND") {
		t.Errorf("a foreign session:\n%s\nan unknown one:\n%s", foreign, unknown)
	}
	if got := bob.call("close_session", args{"session_id": id}).fields["closed"]; got != false {
		t.Errorf("closed by a stranger: %v", got)
	}
	if got := bob.call("list_sessions", nil).fields["sessions"].([]any); len(got) != 0 {
		t.Errorf("bob lists %v", got)
	}
	if !p.await("SESSION_ACCESS_DENIED", id) {
		t.Error("the log does not tell")
	}
	// A client that comes back with the same token has its session.
	if got := p.connect(stateful).call("session_info", args{"session_id": id}).fields["session_id"]; got != id {
		t.Errorf("got %v", got)
	}
}
