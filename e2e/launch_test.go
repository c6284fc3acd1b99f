package e2e

import "testing"

// What a launch cannot have is refused with the code that says which part of it.
func TestLaunchRefusals(t *testing.T) {
	work(t)
	a := start(t, setup{args: []string{"--maxSessions", "1"}}).connect(stateful)
	for _, c := range []struct {
		code string
		in   args
	}{
		{"INVALID_SLUG", args{"slug": "Shop!"}},
		{"INVALID_SLUG", args{"slug": "x"}},
		{"UNKNOWN_CHANNEL", args{"slug": "shop", "channel": "firefox"}},
		{"INVALID_ARGUMENTS", args{"slug": "Shop!", "channel": "firefox"}},
		{"INVALID_ARGUMENTS", args{}},
		{"INVALID_ARGUMENTS", args{"slug": "shop", "colour": "green"}},
		{"INVALID_ARGUMENTS", args{"slug": "shop", "headless": "yes"}},
		{"INVALID_PERSISTENCE_CONFIG", args{"slug": "shop", "restore_profile": "work"}},
		{"AUTH_STATE_NOT_FOUND", args{"slug": "shop", "persistence_mode": "persistent", "restore_profile": "work"}},
		{"UNSAFE_LAUNCH_ARG", args{"slug": "shop", "launch_options": args{"env": args{}}}},
	} {
		a.refused(c.code, "launch_session", c.in)
	}
	if live := a.call("server_status", nil).fields["sessions"].(map[string]any)["live"]; live != 0.0 {
		t.Errorf("%v sessions after refusals", live)
	}

	id := a.launch()
	full := a.refused("SESSION_LIMIT_REACHED", "launch_session", args{"slug": "second"})
	if full.Details["limit"] != 1.0 || full.Details["live"] != 1.0 {
		t.Errorf("SESSION_LIMIT_REACHED: %v", full.Details)
	}
	if got := a.call("close_session", args{"session_id": "nobody-00000000"}).fields["closed"]; got != false {
		t.Errorf("an unknown session was closed: %v", got)
	}
	if got := a.call("close_session", args{"session_id": id}).fields["closed"]; got != true {
		t.Errorf("closed: %v", got)
	}
	if got := a.call("close_session", args{"session_id": id}).fields["closed"]; got != false {
		t.Errorf("closed twice: %v", got)
	}
	a.refused("SESSION_NOT_FOUND", "session_info", args{"session_id": id})
	// The place is free again.
	next := a.call("launch_session", args{"slug": "next", "disable_evaluate": true}).fields["session_id"].(string)
	a.refused("EVALUATE_DISABLED", "evaluate", args{"session_id": next, "expression": "1"})
}

// Two sessions share nothing, and each has a browser of its own.
func TestSessionsAreIsolated(t *testing.T) {
	work(t)
	site := newSite(t)
	a := tenant(t).connect(stateless)
	one, two := a.launch(), a.launch()
	for _, id := range []string{one, two} {
		a.call("navigate", args{"session_id": id, "url": site.URL + "/form"})
	}
	a.evaluate(one, "document.cookie = 'who=one'; localStorage.who = 'one'")
	if got := a.evaluate(two, "document.cookie + String(localStorage.who)"); got != "undefined" {
		t.Errorf("the other session sees %v", got)
	}
	if got := a.evaluate(one, "document.cookie + localStorage.who"); got != "who=oneone" {
		t.Errorf("the session itself sees %v", got)
	}
}
