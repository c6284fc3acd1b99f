package e2e

import (
	"syscall"
	"testing"
)

// The profile of a session whose browser was killed opens again.
func TestProfileOfACrashedSession(t *testing.T) {
	work(t)
	site := newSite(t)
	p := tenant(t)
	a := p.connect(stateful)
	id := a.launchWith(args{"persistence_mode": "persistent"})
	a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
	a.evaluate(id, writeStorages)
	if err := syscall.Kill(p.browser(id).pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if !p.await(`"reason":"crash"`, id) {
		t.Fatal("the server is gone")
	}
	again := a.launchWith(args{"persistence_mode": "persistent", "restore_profile": id})
	a.call("navigate", args{"session_id": again, "url": site.URL + "/form"})
	// What the browser had written by then is a matter of seconds; that the profile is in use is not.
	if got := a.evaluate(again, "indexedDB.databases().then(all => all.map(db => db.name).join())"); got != "login" {
		t.Errorf("the profile has the databases %q", got)
	}
}
