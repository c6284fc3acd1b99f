package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"time"

	"github.com/browserhive/browserhive/gen/types"
)

// GrantLifetime is how long a grant that nobody uses is good for.
const GrantLifetime = 10 * time.Minute

// maxGrants is how many grants wait at once: a dashboard page asks for one per image.
const maxGrants = 4096

// grant opens one resource once. It lives in memory alone: a restart ends it.
type grant struct {
	route    types.GrantRoute
	resource string
	expires  time.Time
	// proof is what its maker proved itself with; without that, the grant is void.
	proof  string
	forget func()
}

// CreateGrant makes a grant for a resource that the caller may see. It fails with RATE_LIMITED when too many
// wait.
func (a *Authority) CreateGrant(ctx context.Context, c Caller, from Origin, route types.GrantRoute, resource string) (text string, expires time.Time, err error) {
	text, expires = rand.Text()+rand.Text(), time.Now().Add(GrantLifetime)
	key := sha256.Sum256([]byte(text))
	g := &grant{route, resource, expires, c.proof, a.opts.Secrets.AddFor(c.Principal, text)}
	if wait := a.keep(key, g); wait > 0 {
		g.forget()
		return "", time.Time{}, limited(wait)
	}
	ctx, done := storing(ctx)
	defer done()
	e := entry(ActionGrantCreate, true, c.Principal, c.By(from), "route", string(route), "resource_id", resource)
	if err := a.opts.Store.AddEntry(ctx, e); err != nil {
		a.UseGrant(text, route, resource)
		return "", time.Time{}, err
	}
	a.tell(e)
	return text, expires, nil
}

// keep takes a grant in, or says how long until there is room.
func (a *Authority) keep(key [sha256.Size]byte, g *grant) (wait time.Duration) {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.grants) >= maxGrants {
		first := g.expires
		for k, one := range a.grants {
			if !now.Before(one.expires) {
				a.dropGrant(k)
			} else if one.expires.Before(first) {
				first = one.expires
			}
		}
		if len(a.grants) >= maxGrants {
			return first.Sub(now)
		}
	}
	a.grants[key] = g
	return 0
}

// UseGrant reports whether the text is a grant for the resource. It is one no longer afterwards.
func (a *Authority) UseGrant(text string, route types.GrantRoute, resource string) bool {
	key := sha256.Sum256([]byte(text))
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.grants[key]
	if g == nil || g.route != route || g.resource != resource {
		return false
	}
	a.dropGrant(key)
	return time.Now().Before(g.expires)
}

// dropGrants voids the grants of whoever proved itself so. The caller holds the lock.
func (a *Authority) dropGrants(proof string) {
	for key, g := range a.grants {
		if g.proof == proof {
			a.dropGrant(key)
		}
	}
}

func (a *Authority) dropGrant(key [sha256.Size]byte) {
	if g := a.grants[key]; g != nil {
		g.forget()
		delete(a.grants, key)
	}
}
