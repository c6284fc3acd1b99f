package server

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/toolset"
)

// installed is what the host has of what sessions run on.
type installed struct {
	root string
	env  func(string) string

	mu     sync.Mutex
	looked bool
	known  install.Installation
}

// findTimeout bounds a look at the host: three programs are asked for their version.
const findTimeout = 10 * time.Second

// find looks at the host, and remembers what it has found while that is there.
func (i *installed) find() install.Installation {
	i.mu.Lock()
	defer i.mu.Unlock()
	k := i.known
	if !k.Patched || !present(k.DriverDir, k.Node, k.Chromium) || k.PatchrightDir != "" && !present(k.PatchrightDir) {
		ctx, cancel := context.WithTimeout(context.Background(), findTimeout)
		defer cancel()
		i.known, i.looked = install.Find(ctx, i.root, i.env), true
	}
	return i.known
}

// missing reports whether the last look found that something is missing. It does not look itself.
func (i *installed) missing() bool {
	if !i.mu.TryLock() {
		return false // A look is under way.
	}
	defer i.mu.Unlock()
	return i.looked && i.known.Missing() != nil
}

func present(paths ...string) bool {
	for _, p := range paths {
		if _, err := os.Stat(p); p == "" || err != nil {
			return false
		}
	}
	return true
}

// expectLaunch makes ready what a launch takes longest for, because one is likely soon.
func (s *Server) expectLaunch() {
	q := toolset.DefaultLaunch()
	q.Channel, q.Headless = types.Channel(s.cfg.DefaultChannel), s.cfg.DefaultHeadless // As the tool follows them.
	if q.Headless || s.display() {
		s.sessions.Expect(q)
	}
}

// browserState is how far the browser of the next session is. It returns at once.
func (s *Server) browserState() types.HealthBrowser {
	ready, starting := s.sessions.Readiness()
	switch {
	case ready:
		return types.HealthBrowserReady
	case s.installed.missing():
		return types.HealthBrowserMissing
	case starting:
		return types.HealthBrowserStarting
	}
	return types.HealthBrowserCold
}
