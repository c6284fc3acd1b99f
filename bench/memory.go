package main

import (
	"strconv"
	"time"
)

// idleFor is how long sessions stand idle before their memory is read. A page that has loaded gives some back.
const idleFor = 2 * time.Second

// repeats is how often a whole server is started for one row of memory and of crash.
const repeats = 3

// memory measures what idle sessions that show a static page cost: the proportional set size of server,
// driver and browsers.
func (b *bench) memory() error {
	t := table{
		title: "Memory of idle sessions that show a static page, in MB (proportional set size).",
		head:  []string{"browser", "sessions", "n", "together", "per session", "server", "driver", "browsers"},
	}
	for _, kind := range []struct{ name, stealth, executable string }{
		{"stripped headless shell, stealth off", "off", b.shell},
		{"full Chromium, stealth off", "off", b.found.Chromium},
		{"full Chromium, stealth standard", "standard", b.found.Chromium},
	} {
		if kind.executable == "" {
			continue
		}
		for _, sessions := range []int{1, 4} {
			var together, per, server, driver, browsers sample
			for range repeats {
				u, err := b.idle(sessions, kind.stealth, kind.executable)
				if err != nil {
					return err
				}
				sum := u.server + u.driver + u.browsers
				together, per = append(together, sum), append(per, sum/float64(sessions))
				server, driver, browsers = append(server, u.server), append(driver, u.driver), append(browsers, u.browsers)
			}
			t.add(kind.name, sessions, repeats, together, per, server, driver, browsers)
		}
	}
	t.print()
	return nil
}

// usage is memory in MB by what uses it.
type usage struct{ server, driver, browsers float64 }

// idle is what so many idle sessions use. With as many as there may be, no spare counts in.
func (b *bench) idle(sessions int, stealth, executable string) (u usage, err error) {
	err = b.with(func(p *product) error {
		for range sessions {
			id, err := p.launch(map[string]any{"launch_options": map[string]any{"executablePath": executable}})
			if err != nil {
				return err
			}
			if err := p.on(id, "navigate", map[string]any{"url": b.site.URL})(); err != nil {
				return err
			}
		}
		rest(idleFor)
		family, err := p.family()
		if err != nil {
			return err
		}
		for _, one := range family {
			size, err := one.pss()
			if err != nil {
				return err
			}
			switch {
			case one.isServer():
				u.server += size
			case one.isDriver():
				u.driver += size
			default:
				u.browsers += size
			}
		}
		return nil
	}, "--stealth", stealth, "--maxSessions", strconv.Itoa(sessions))
	return u, err
}
