package auth_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/auth/authtest"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
)

// TestMain makes passwords cheap: their cost is for attackers.
func TestMain(m *testing.M) {
	auth.MakePasswordsCheap()
	os.Exit(m.Run())
}

const ownPassword = "a password of my own"

var (
	home = auth.Origin{Address: "127.0.0.1", UserAgent: "test"}
	by   = auth.Actor{Principal: auth.Admin, Origin: home}
)

func TestConfiguredTokens(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("a", 32), strings.Repeat("b:", 20)
	a := authtest.Open(t, auth.Options{Tokens: []string{"one:" + one, "two:" + two}, Agents: true})
	for token, want := range map[string]string{one: "one", two: "two", "": "", "x": "", one + "a": "", one[1:]: ""} {
		c, ok := a.Bearer(token)
		if ok != (want != "") || c.Principal != want {
			t.Errorf("%q: %q", token, c.Principal)
		}
	}
	if a.First.Token != "" {
		t.Error("there were tokens, and one was made")
	}
	if _, _, err := a.CreateToken(t.Context(), by, "one", types.PrincipalKindAgent); !errors.Is(err, auth.ErrTaken) {
		t.Errorf("a name twice: %v", err)
	}
	if rows, _, err := a.Tokens(t.Context(), auth.CredentialQuery{Span: auth.Span{Limit: 10}}); err != nil || len(rows) != 0 {
		t.Errorf("they are stored: %v, %v", rows, err)
	}
	_, _, err := auth.Open(t.Context(), auth.Options{Store: a.Store, Seed: a.Dir.SeedFile(), Tokens: []string{"secretsecret"}})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a malformed pair: %v", err)
	}
}

func TestOwns(t *testing.T) {
	t.Parallel()
	p := auth.Principal{Name: "one"}
	if !p.Owns("one") || p.Owns("two") || p.Owns(auth.Local) {
		t.Error("a token owns what it made and nothing else")
	}
	if !auth.Anyone.Owns("two") {
		t.Error("without authentication everybody sees everything")
	}
	if (auth.Principal{}).Owns("one") {
		t.Error("nobody owns nothing")
	}
}

func seedPath(dir *datadir.Dir) string { return filepath.Join(dir.Root, "admin", "credentials.txt") }

func TestFirstStart(t *testing.T) {
	t.Parallel()
	o := auth.Options{Agents: true, Dashboard: true}
	a := authtest.Open(t, o)
	if len(a.First.Password) != 24 || a.First.File != seedPath(a.Dir) || len(a.First.Token) < 40 {
		t.Errorf("%+v", a.First)
	}
	text, err := os.ReadFile(a.First.File)
	if err != nil || !strings.Contains(string(text), a.First.Password) {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Stat(a.First.File); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if c, ok := a.Bearer(a.First.Token); !ok || c.Principal != auth.FirstAgent || c.Kind != types.PrincipalKindAgent {
		t.Errorf("%+v", c)
	}
	token, password := a.First.Token, a.First.Password
	a.Close()

	// The second start shows nothing, and what the first one made still holds.
	a = authtest.OpenIn(t, a.Dir, o)
	if a.First != (auth.First{}) {
		t.Errorf("%+v", a.First)
	}
	c, ok := a.Bearer(token)
	if !ok {
		t.Fatal("the token is lost")
	}
	if _, c, err := a.Login(t.Context(), home, auth.Admin, password); err != nil || !c.MustChangePassword {
		t.Errorf("%+v, %v", c, err)
	}
	rows, _, err := a.Tokens(t.Context(), auth.CredentialQuery{Span: auth.Span{Limit: 10}})
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	if err := a.RevokeToken(t.Context(), by, rows[0].ID); err != nil {
		t.Fatal(err)
	}
	if c.Live.Err() == nil {
		t.Error("what the token has under way goes on")
	}
	a.Close()
	if a = authtest.OpenIn(t, a.Dir, o); a.First.Token != "" {
		t.Error("a token that was revoked came back")
	}
	if _, ok := a.Bearer(token); ok {
		t.Error("a revoked token is valid")
	}
}

// The last use of a token is stored once a minute at most.
func TestLastUse(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	synctest.Test(t, func(t *testing.T) {
		a := authtest.OpenIn(t, dir, auth.Options{Agents: true})
		defer a.Close()
		used := func() (at time.Time) {
			t.Helper()
			if err := a.Store.AddEntry(t.Context(), auth.Entry{ID: rand.Text(), Action: "wait"}); err != nil {
				t.Fatal(err) // It comes after what was queued before.
			}
			rows, _, err := a.Tokens(t.Context(), auth.CredentialQuery{Span: auth.Span{Limit: 1}})
			if err != nil || len(rows) != 1 {
				t.Fatal(rows, err)
			}
			return rows[0].LastUsed
		}
		if !used().IsZero() {
			t.Error("used before it was")
		}
		begin := time.Now().Truncate(time.Millisecond)
		a.Bearer(a.First.Token)
		first := used()
		if !first.Equal(begin) {
			t.Errorf("%v, want %v", first, begin)
		}
		time.Sleep(50 * time.Second)
		a.Bearer(a.First.Token)
		if got := used(); !got.Equal(first) {
			t.Errorf("stored again after %v", got.Sub(first))
		}
		time.Sleep(20 * time.Second)
		a.Bearer(a.First.Token)
		if got := used(); !got.After(first.Add(time.Minute)) {
			t.Errorf("not stored after a minute: %v", got)
		}
	})
}

func opened(t *testing.T) *datadir.Dir {
	t.Helper()
	dir, err := datadir.Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func code(err error) contract.Code { return contract.CodeOf(err) }

// settled is an authority whose operator has a password of their own, and the session that set it.
func settled(t *testing.T, dir *datadir.Dir) (*authtest.Authority, string, auth.Caller) {
	t.Helper()
	a := authtest.OpenIn(t, dir, auth.Options{Dashboard: true, Agents: true})
	cookie, c, err := a.Login(t.Context(), home, auth.Admin, a.First.Password)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = a.ChangePassword(t.Context(), c, home, a.First.Password, ownPassword); err != nil {
		t.Fatal(err)
	}
	return a, cookie, c
}

// Whatever runs at the same moment, what is revoked stays revoked and what is valid stays valid.
func TestAtTheSameMoment(t *testing.T) {
	t.Parallel()
	a, cookie, c := settled(t, opened(t))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 10 {
				token, credential, err := a.CreateToken(t.Context(), by, fmt.Sprintf("t-%d-%d", i, n), types.PrincipalKindAgent)
				if err != nil {
					t.Error(err)
					return
				}
				if _, ok := a.Bearer(token); !ok {
					t.Error("a new token is not valid")
				}
				if err := a.RevokeToken(t.Context(), by, credential.ID); err != nil {
					t.Error(err)
				}
				if _, ok := a.Bearer(token); ok {
					t.Error("a revoked token is valid")
				}
			}
		})
		all.Go(func() {
			for range 5 {
				own, _, err := a.Login(t.Context(), home, auth.Admin, ownPassword)
				if code(err) == errcode.CodeRateLimited {
					continue // So many at once look like guesses until they are found right.
				}
				if err != nil {
					t.Error(err)
					return
				}
				mine, ok := a.Cookie(own, home)
				if _, still := a.Cookie(cookie, home); !ok || !still {
					t.Error("a session is lost")
				}
				if err := a.Logout(t.Context(), mine, home); err != nil {
					t.Error(err)
				}
				a.Sessions(c)
			}
		})
	}
	all.Wait()
	if n := len(a.Sessions(c)); n != 1 {
		t.Errorf("%d sessions are left", n)
	}
}

// broken is a store that a full disk is behind.
type broken struct{ auth.Store }

func (broken) RevokeCredential(context.Context, string, auth.Entry) error { return errors.New("full") }

func (broken) EndOperatorSessions(context.Context, []string, auth.Entry) error {
	return errors.New("full")
}

// What is revoked is over even when the disk does not take it.
func TestRevocationHoldsWithoutADisk(t *testing.T) {
	t.Parallel()
	dir := opened(t)
	a, cookie, _ := settled(t, dir)
	token := a.First.Token
	rows, _, err := a.Tokens(t.Context(), auth.CredentialQuery{Span: auth.Span{Limit: 1}})
	if err != nil || len(rows) != 1 {
		t.Fatal(err)
	}
	b, _, err := auth.Open(t.Context(), auth.Options{Store: broken{a.Store}, Seed: dir.SeedFile()})
	if err != nil {
		t.Fatal(err)
	}
	c, ok := b.Cookie(cookie, home)
	if !ok {
		t.Fatal("no session")
	}
	if err := b.Logout(t.Context(), c, home); err == nil {
		t.Error("the failure is hidden")
	}
	if err := b.RevokeToken(t.Context(), by, rows[0].ID); err == nil {
		t.Error("the failure is hidden")
	}
	if _, ok := b.Cookie(cookie, home); ok {
		t.Error("the session goes on")
	}
	if _, ok := b.Bearer(token); ok {
		t.Error("the token goes on")
	}
}
