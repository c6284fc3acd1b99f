package main

import (
	"errors"

	"github.com/browserhive/browserhive/internal/browser/browserbench"
)

// launchTimes are the times of launches of one kind, and of the first page after each.
type launchTimes struct {
	answer, page sample
}

// launch measures launches and the first page after them: by the driver alone and cold in turns, then with
// a spare. Each browser is closed before the next one starts.
func (b *bench) launch() error {
	var alone, cold, warm launchTimes
	err := b.with(func(p *product) error {
		for i := range b.launches + 1 {
			turn := []func() error{func() error { return b.launchAlone(&alone) }, func() error { return b.launchSession(p, &cold) }}
			if i%2 == 1 {
				turn[0], turn[1] = turn[1], turn[0]
			}
			for _, do := range turn {
				rest(calm)
				if err := do(); err != nil {
					return err
				}
			}
			if i == 0 {
				alone, cold = launchTimes{}, launchTimes{} // The first of each warms up.
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = b.with(func(p *product) error {
		for range b.launches {
			if err := p.spare(); err != nil {
				return err
			}
			rest(calm)
			if err := b.launchSession(p, &warm); err != nil {
				return err
			}
		}
		return nil
	}, "--spareBrowser")
	if err != nil {
		return err
	}
	t := table{title: "Launch, in ms: until launch_session is answered, and from there until a static page has loaded.", head: []string{"", "n", "answer", "first page"}}
	t.add("cold", len(cold.answer), cold.answer, cold.page)
	t.add("from the spare", len(warm.answer), warm.answer, warm.page)
	t.add("driver alone", len(alone.answer), alone.answer, alone.page)
	t.print()
	return nil
}

func (b *bench) launchSession(p *product, w *launchTimes) (err error) {
	var id string
	if err := w.answer.took(func() (err error) { id, err = p.launch(nil); return err }); err != nil {
		return err
	}
	return errors.Join(w.page.took(p.on(id, "navigate", map[string]any{"url": b.site.URL})), p.on(id, "close_session", nil)())
}

func (b *bench) launchAlone(w *launchTimes) (err error) {
	var d *browserbench.Browser
	if err := w.answer.took(func() (err error) { d, err = b.direct.Launch(); return err }); err != nil {
		return err
	}
	return errors.Join(w.page.took(func() error { return d.Navigate(b.site.URL) }), d.Close())
}
