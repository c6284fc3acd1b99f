package auth_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/auth/authtest"
)

// What happens to an identity leaves a row.
func TestAudit(t *testing.T) {
	t.Parallel()
	a, cookie, c := settled(t, opened(t))
	ctx := t.Context()
	_, _, err := a.Login(ctx, home, auth.Admin, "wrong")
	if code(err) != errcode.CodeInvalidCredentials {
		t.Fatal(err)
	}
	if _, _, err := a.Login(ctx, home, auth.Admin, ownPassword); err != nil {
		t.Fatal(err)
	}
	if n, err := a.RevokeOtherSessions(ctx, c, home); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	_, credential, err := a.CreateToken(ctx, c.By(home), "ci", types.PrincipalKindAgent)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.RevokeToken(ctx, c.By(home), credential.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.CreateGrant(ctx, c, home, types.GrantRouteTrace, "shop-1"); err != nil {
		t.Fatal(err)
	}
	if err := a.Logout(ctx, c, home); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.ResetPassword(ctx); err != nil {
		t.Fatal(err)
	}
	if _, ok := a.Cookie(cookie, home); ok {
		t.Error("signed out, and still in")
	}
	got := a.Rows(t, `SELECT action || ' ' || iif(ok, 'true', 'false') || ' ' || principal_id || ' by "' || ifnull(actor, '') || '" from ' ||
		ifnull(remote_addr, '') || iif(json_extract(details, '$.must_change_password') = 'true', ', to be changed', '') FROM auth_audit ORDER BY id`)
	want := []string{
		`token.create true agent-1 by "" from `,
		`password.seed true admin by "" from `,
		`login true admin by "admin" from 127.0.0.1, to be changed`,
		`password.change true admin by "admin" from 127.0.0.1, to be changed`,
		`login false admin by "" from 127.0.0.1`,
		`login true admin by "admin" from 127.0.0.1`,
		`session.revoke true admin by "admin" from 127.0.0.1`,
		`token.create true ci by "admin" from 127.0.0.1`,
		`token.revoke true ci by "admin" from 127.0.0.1`,
		`grant.create true admin by "admin" from 127.0.0.1`,
		`logout true admin by "admin" from 127.0.0.1`,
		`password.reset true admin by "" from `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Whoever knocks from wherever leaves some rows a minute, with how often he did.
func TestRefusalsFold(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	synctest.Test(t, func(t *testing.T) {
		a, _, c := settled(t, dir)
		defer a.Close()
		time.Sleep(time.Until(time.Now().Truncate(time.Minute).Add(time.Minute)))
		login := func(address string) {
			t.Helper()
			from := auth.Origin{Address: address, UserAgent: strings.Repeat("long", 1000) + " wrong password"}
			if _, _, err := a.Login(t.Context(), from, auth.Admin, "wrong password"); err == nil {
				t.Fatal("signed in")
			}
		}
		const rows = `SELECT json_extract(details, '$.reason') || ' ' || json_extract(details, '$.count') || ' ' || ifnull(remote_addr, 'others')
			FROM auth_audit WHERE NOT ok AND action = 'login' ORDER BY id`
		for i := range 40 { // 5 wrong passwords, and 35 that were not looked at.
			login("192.0.2.1")
			if want := fmt.Sprintf("wrong_password %d 192.0.2.1", i+1); i < 5 && !slices.Equal(a.Rows(t, rows), []string{want}) {
				t.Fatalf("%q, not %s", a.Rows(t, rows), want)
			}
		}
		if got, want := a.Rows(t, rows), []string{"wrong_password 5 192.0.2.1", "rate_limited 32 192.0.2.1"}; !slices.Equal(got, want) {
			t.Errorf("%q, not %q", got, want)
		}
		for i := range 300 {
			login(fmt.Sprintf("198.51.%d.%d", i/250, i%250))
		}
		if n := len(a.Rows(t, rows)); n > 20 || n < 16 {
			t.Errorf("%d rows in a minute", n)
		}
		if got := a.Rows(t, "SELECT '' || count(*) FROM auth_audit WHERE length(details) > 1000"); got[0] != "0" {
			t.Errorf("%s rows have what a client wrote at length", got[0])
		}
		time.Sleep(time.Minute)
		login("192.0.2.1")
		if got := a.Rows(t, rows); got[len(got)-1] != "wrong_password 1 192.0.2.1" {
			t.Errorf("the next minute: %q", got)
		}
		for range 7 {
			if _, err := a.ChangePassword(t.Context(), c, home, "wrong", "yet another password"); err == nil {
				t.Fatal("changed")
			}
		}
		got := a.Rows(t, "SELECT json_extract(details, '$.reason') || ' ' || json_extract(details, '$.count') || ' ' || actor FROM auth_audit WHERE NOT ok AND action = 'password.change' ORDER BY id")
		if want := []string{"wrong_password 5 admin", "rate_limited 2 admin"}; !slices.Equal(got, want) {
			t.Errorf("%q, not %q", got, want)
		}
	})
}

// No password, token, cookie or grant stands in any file of the data directory but the one that is for it.
func TestNoSecretOnDisk(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	a := authtest.OpenIn(t, dir, auth.Options{Dashboard: true, Agents: true, Tokens: nil})
	seed := a.First.Password
	cookie, c, err := a.Login(t.Context(), home, auth.Admin, seed)
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := a.CreateToken(t.Context(), by, "ci", types.PrincipalKindOperator)
	if err != nil {
		t.Fatal(err)
	}
	grant, _, err := a.CreateGrant(t.Context(), c, home, types.GrantRouteTrace, "shop-1")
	if err != nil {
		t.Fatal(err)
	}
	a.Cookie(cookie, home)
	a.Bearer(token)
	secrets := map[string]string{"seed": seed, "cookie": cookie, "token": token, "first token": a.First.Token, "grant": grant, "own": ownPassword}
	for name, s := range secrets {
		if name != "own" && strings.Contains(a.Secrets.Scrub("x "+s+" y"), s) {
			t.Errorf("the redactor does not know the %s", name)
		}
	}
	look := func(allowed string) (seen int) {
		t.Helper()
		err := filepath.WalkDir(dir.Root, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for name, s := range secrets {
				switch {
				case !strings.Contains(string(raw), s):
				case name == "seed" && path == allowed:
					seen++
				default:
					t.Errorf("%s holds the %s", path, name)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	if look(seedPath(dir)) != 1 {
		t.Error("the generated password is nowhere, so this test finds nothing")
	}
	if _, err := a.ChangePassword(t.Context(), c, home, seed, ownPassword); err != nil {
		t.Fatal(err)
	}
	look("")
	a.Close()
	look("")
}
