package main

import "fmt"

// calls measures what is done with a page, over MCP and by the driver alone in turns, so that whatever else
// the machine does hits both. Both browsers are there all the time.
func (b *bench) calls() error {
	t := table{
		title: "Calls, in ms: one session, a static page of 300 elements.",
		head:  []string{"operation", "n", "over MCP", "driver alone", "difference of medians", "ratio"},
	}
	err := b.with(func(p *product) error {
		d, err := b.direct.Launch()
		if err != nil {
			return err
		}
		defer func() { _ = d.Close() }() // the driver's end would close it as well
		id, err := p.launch(nil)
		if err != nil {
			return err
		}
		for _, s := range []struct {
			name           string
			overMCP, alone func() error
		}{
			{"navigate", p.on(id, "navigate", map[string]any{"url": b.site.URL}), func() error { return d.Navigate(b.site.URL) }},
			{"click", p.on(id, "click", map[string]any{"selector": "#go"}), func() error { return d.Click("#go") }},
			{"evaluate", p.on(id, "evaluate", map[string]any{"expression": "1 + 1"}), func() error { return d.Evaluate("1 + 1") }},
			{"snapshot", p.on(id, "snapshot", nil), func() error { _, err := d.Snapshot(); return err }},
		} {
			overMCP, alone, err := inTurns(b.rounds, s.overMCP, s.alone)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			t.add(s.name, b.rounds, overMCP, alone, number(overMCP.median()-alone.median()), number(overMCP.median()/alone.median()))
		}
		var status sample
		for range b.rounds {
			if err := status.took(func() error { _, err := p.call("server_status", nil); return err }); err != nil {
				return err
			}
		}
		t.add("server_status", b.rounds, status, "", "", "")
		return nil
	}, "--maxSessions", "1") // so that no spare starts meanwhile
	if err != nil {
		return err
	}
	t.print()
	return nil
}

// inTurns measures two ways to do the same. The first round of each only warms up.
func inTurns(times int, one, other func() error) (first, second sample, err error) {
	rest(calm)
	for i := range times + 1 {
		ways := []func() error{func() error { return first.took(one) }, func() error { return second.took(other) }}
		if i%2 == 1 {
			ways[0], ways[1] = ways[1], ways[0]
		}
		for _, do := range ways {
			if err := do(); err != nil {
				return nil, nil, err
			}
		}
	}
	return first[1:], second[1:], nil
}
