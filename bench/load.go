package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/browserhive/browserhive/internal/browser/browserbench"
)

// busy is how long sessions are kept busy for one row.
const busy = 3 * time.Second

// crowds are how many sessions work at once.
var crowds = []int{1, 4, 8}

// load measures how many calls sessions get done at once, each calling as fast as it can, and how even they
// come off: the share of the slowest session is 1 when all get the same. Beside it the driver alone does the
// same with as many browsers.
func (b *bench) load() error {
	t := table{
		title: fmt.Sprintf("Sessions at once, each calling without a pause for %v.", busy),
		head:  []string{"operation", "sessions", "calls/s", "ms per call", "slowest session's share", "driver alone, calls/s", "ms per call", "slowest's share"},
	}
	err := b.with(func(p *product) error {
		most := slices.Max(crowds)
		ids, err := p.open(most, b.site.URL)
		if err != nil {
			return err
		}
		alone, err := b.openAlone(most)
		defer func() {
			for _, d := range alone {
				_ = d.Close() // the driver's end would close it as well
			}
		}()
		if err != nil {
			return err
		}
		for _, o := range []struct {
			name  string
			call  func(i int) error
			alone func(i int) error
		}{
			{"evaluate", func(i int) error { return p.on(ids[i], "evaluate", map[string]any{"expression": "1 + 1"})() }, func(i int) error { return alone[i].Evaluate("1 + 1") }},
			{"click", func(i int) error { return p.on(ids[i], "click", map[string]any{"selector": "#go"})() }, func(i int) error { return alone[i].Click("#go") }},
		} {
			for _, n := range crowds {
				served, err := keepBusy(n, o.call)
				if err != nil {
					return err
				}
				direct, err := keepBusy(n, o.alone)
				if err != nil {
					return err
				}
				t.add(o.name, n, number(served.rate()), served.times, number(served.share()), number(direct.rate()), direct.times, number(direct.share()))
			}
		}
		return nil
	}, "--maxSessions", strconv.Itoa(slices.Max(crowds)))
	if err != nil {
		return err
	}
	t.print()
	return nil
}

// openAlone launches browsers of the driver alone and shows each a page.
func (b *bench) openAlone(count int) (all []*browserbench.Browser, err error) {
	for range count {
		d, err := b.direct.Launch()
		if err != nil {
			return all, err
		}
		all = append(all, d)
		if err := d.Navigate(b.site.URL); err != nil {
			return all, err
		}
	}
	return all, nil
}

// crowd is what some sessions got done at once.
type crowd struct {
	times sample
	done  []int // calls by session
}

// keepBusy keeps so many sessions busy and notes what they got done.
func keepBusy(sessions int, call func(i int) error) (*crowd, error) {
	rest(calm)
	own, errs := make([]sample, sessions), make([]error, sessions)
	var all sync.WaitGroup
	end := time.Now().Add(busy)
	for i := range sessions {
		all.Go(func() {
			for errs[i] == nil && time.Now().Before(end) {
				errs[i] = own[i].took(func() error { return call(i) })
			}
		})
	}
	all.Wait()
	c := &crowd{}
	for _, s := range own {
		c.done = append(c.done, len(s))
		c.times = append(c.times, s...)
	}
	return c, errors.Join(errs...)
}

func (c *crowd) rate() float64 { return float64(len(c.times)) / busy.Seconds() }

// share is how much of an equal share the session got that got least.
func (c *crowd) share() float64 {
	return float64(slices.Min(c.done)) * float64(len(c.done)) / float64(len(c.times))
}
