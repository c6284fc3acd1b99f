package auth_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/auth/authtest"
	"github.com/browserhive/browserhive/internal/contract"
)

func TestChangeErasesTheSeed(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	a, cookie, c := settled(t, dir)
	if c.MustChangePassword {
		t.Error("still to be changed")
	}
	if _, err := os.Stat(seedPath(dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
	if _, ok := a.Cookie(cookie, home); !ok {
		t.Error("the change ended the session that made it")
	}
	a.Close()
	// A change that was cut short after the commit leaves the file; the next start erases it.
	if err := os.WriteFile(seedPath(dir), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	a = authtest.OpenIn(t, dir, auth.Options{Dashboard: true})
	if _, err := os.Stat(seedPath(dir)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
	if _, ok := a.Cookie(cookie, home); !ok {
		t.Error("the restart ended a session")
	}
	password, _, err := a.ResetPassword(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := a.Cookie(cookie, home); ok {
		t.Error("the reset left a session")
	}
	if _, _, err := a.Login(t.Context(), home, auth.Admin, ownPassword); code(err) != errcode.CodeInvalidCredentials {
		t.Errorf("the old password: %v", err)
	}
	if _, c, err := a.Login(t.Context(), home, auth.Admin, password); err != nil || !c.MustChangePassword {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestSessionsExpire(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	synctest.Test(t, func(t *testing.T) {
		a, cookie, c := settled(t, dir)
		defer a.Close()
		alive := func(want bool, what string) {
			t.Helper()
			if _, ok := a.Cookie(cookie, home); ok != want {
				t.Errorf("%s: alive is %t", what, ok)
			}
		}
		begin := c.Expires.Add(-auth.SessionLifetime)
		for time.Until(begin.Add(auth.SessionLifetime)) > 10*time.Minute {
			time.Sleep(10 * time.Minute)
			alive(true, "in use")
		}
		time.Sleep(time.Until(c.Expires) - time.Millisecond)
		alive(true, "just before its time is up")
		time.Sleep(time.Millisecond)
		alive(false, "after 8 hours")
		if c.Live.Err() == nil {
			t.Error("what it had under way goes on")
		}

		var err error
		if cookie, _, err = a.Login(t.Context(), home, auth.Admin, ownPassword); err != nil {
			t.Fatal(err)
		}
		alive(true, "new")
		time.Sleep(auth.SessionIdleTimeout - time.Millisecond)
		alive(true, "idle for almost 15 minutes")
		time.Sleep(auth.SessionIdleTimeout)
		alive(false, "idle for 15 minutes")
		if _, _, err = a.Login(t.Context(), home, auth.Admin, ownPassword); err != nil {
			t.Fatal(err)
		}
		if n := a.Rows(t, "SELECT count(*) FROM operator_sessions"); n[0] != "1" {
			t.Errorf("%s sessions are stored", n[0])
		}
	})
}

// Past its bound, a new session takes the place of the one that was idle the longest.
func TestMostSessions(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	synctest.Test(t, func(t *testing.T) {
		a, first, c := settled(t, dir)
		defer a.Close()
		var second string
		for i := range 64 {
			time.Sleep(time.Second)
			cookie, _, err := a.Login(t.Context(), home, auth.Admin, ownPassword)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				second = cookie
			}
		}
		if n := len(a.Sessions(c)); n != 64 {
			t.Errorf("%d sessions", n)
		}
		if _, ok := a.Cookie(first, home); ok {
			t.Error("the idlest is there")
		}
		if _, ok := a.Cookie(second, home); !ok {
			t.Error("another one is gone")
		}
	})
}

func TestLoginLimits(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	synctest.Test(t, func(t *testing.T) {
		a, _, _ := settled(t, dir)
		defer a.Close()
		login := func(address, password string) contract.Code {
			_, _, err := a.Login(t.Context(), auth.Origin{Address: address}, auth.Admin, password)
			return code(err)
		}
		for i := range 5 {
			if got := login("192.0.2.1", "wrong"); got != errcode.CodeInvalidCredentials {
				t.Fatalf("attempt %d: %s", i, got)
			}
		}
		if got := login("192.0.2.1", ownPassword); got != errcode.CodeRateLimited {
			t.Errorf("the sixth: %s", got)
		}
		time.Sleep(10 * time.Second)
		if got := login("192.0.2.1", ownPassword); got != "" {
			t.Errorf("after a while: %s", got)
		}
		// Right passwords use nothing up.
		for range 20 {
			if got := login("192.0.2.1", ownPassword); got == errcode.CodeRateLimited {
				time.Sleep(10 * time.Second)
			} else if got != "" {
				t.Fatal(got)
			}
		}
		// A flood from everywhere uses up what all have together.
		limited := 0
		for i := range 100 {
			if login(fmt.Sprintf("198.51.100.%d", i), "wrong") == errcode.CodeRateLimited {
				limited++
			}
		}
		if limited == 0 {
			t.Error("there is no total")
		}
		if got := login("203.0.113.1", ownPassword); got != errcode.CodeRateLimited {
			t.Errorf("an unknown address: %s", got)
		}
		// The owner still signs in: from where it did before, and at the host.
		for _, address := range []string{"192.0.2.1", "127.0.0.1", "::1"} {
			if got := login(address, ownPassword); got != "" {
				t.Errorf("%s: %s", address, got)
			}
		}
	})
}

// Guesses of the present password are limited for whoever holds a session.
func TestChangeLimit(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	synctest.Test(t, func(t *testing.T) {
		a, _, c := settled(t, dir)
		defer a.Close()
		change := func(current string) contract.Code {
			_, err := a.ChangePassword(t.Context(), c, home, current, "yet another password")
			return code(err)
		}
		for range 5 {
			if got := change("wrong"); got != errcode.CodeBadCurrentPassword {
				t.Fatal(got)
			}
		}
		if got := change(ownPassword); got != errcode.CodeRateLimited {
			t.Error(got)
		}
		time.Sleep(10 * time.Second)
		if got := change(ownPassword); got != "" {
			t.Error(got)
		}
	})
}

func TestGrants(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	synctest.Test(t, func(t *testing.T) {
		a, _, c := settled(t, dir)
		defer a.Close()
		grant := func() string {
			t.Helper()
			text, expires, err := a.CreateGrant(t.Context(), c, home, types.GrantRouteTrace, "shop-1")
			if err != nil {
				t.Fatal(err)
			}
			if left := time.Until(expires); left > 10*time.Minute || left < 9*time.Minute {
				t.Errorf("it lasts %v", left)
			}
			return text
		}
		text := grant()
		if a.UseGrant(text, types.GrantRouteScreenshot, "shop-1") || a.UseGrant(text, types.GrantRouteTrace, "shop-2") {
			t.Error("it opens something else")
		}
		if !a.UseGrant(text, types.GrantRouteTrace, "shop-1") {
			t.Error("it opens nothing")
		}
		if a.UseGrant(text, types.GrantRouteTrace, "shop-1") {
			t.Error("it opens twice")
		}
		text = grant()
		time.Sleep(10 * time.Minute)
		if a.UseGrant(text, types.GrantRouteTrace, "shop-1") {
			t.Error("it opens after its time")
		}
		text = grant()
		if err := a.Logout(t.Context(), c, home); err != nil {
			t.Fatal(err)
		}
		if a.UseGrant(text, types.GrantRouteTrace, "shop-1") {
			t.Error("it outlives its maker's session")
		}
	})
}

// The file of a generated password is read back, also after an editor of Windows had it, and nothing else is taken
// for one.
func TestSeedPassword(t *testing.T) {
	t.Parallel()
	a := authtest.Open(t, auth.Options{Dashboard: true})
	file, err := os.ReadFile(a.First.File)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(file), strings.ReplaceAll(string(file), "\n", "\r\n"), strings.TrimSpace(string(file))} {
		if got, ok := auth.SeedPassword(text); !ok || got != a.First.Password {
			t.Errorf("%q: %q %v", text, got, ok)
		}
	}
	for _, text := range []string{"", a.First.Password, "Password: x", "User name: admin\nPassword:  a b\n", "User name: admin"} {
		if got, ok := auth.SeedPassword(text); ok {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// A password of the operator's choice makes the account, replaces a generated one with its file, and ends sign-ins.
func TestSetPassword(t *testing.T) {
	t.Parallel()
	a := authtest.Open(t, auth.Options{Dashboard: true})
	cookie, _, err := a.Login(t.Context(), auth.Origin{}, auth.Admin, a.First.Password)
	if err != nil {
		t.Fatal(err)
	}
	const own = "a password of my own"
	if err := a.SetPassword(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	if _, ok := a.Cookie(cookie, auth.Origin{}); ok {
		t.Error("a sign-in with the old password goes on")
	}
	if _, err := os.Stat(a.First.File); !os.IsNotExist(err) {
		t.Errorf("the file is there: %v", err)
	}
	if _, c, err := a.Login(t.Context(), auth.Origin{}, auth.Admin, own); err != nil || c.MustChangePassword {
		t.Errorf("%+v %v", c, err)
	}
	without := authtest.Open(t, auth.Options{})
	if err := without.SetPassword(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	if _, _, err := without.Login(t.Context(), auth.Origin{}, auth.Admin, own); err != nil {
		t.Error(err)
	}
}
