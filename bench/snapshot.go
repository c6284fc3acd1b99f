package main

import "fmt"

// sizes are pages, in elements.
var sizes = []int{100, 2_000, 20_000}

// snapshot measures snapshots of small and large pages, and what an agent has to read of them.
func (b *bench) snapshot() error {
	t := table{
		title: "Snapshot of a page, in ms, and the size of its text.",
		head:  []string{"elements", "n", "over MCP", "driver alone", "KiB over MCP", "KiB of the driver"},
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
		for _, size := range sizes {
			url := fmt.Sprintf("%s/nodes/%d", b.site.URL, size)
			if err := p.on(id, "navigate", map[string]any{"url": url})(); err != nil {
				return err
			}
			if err := d.Navigate(url); err != nil {
				return err
			}
			var text, whole string
			overMCP, alone, err := inTurns(max(b.rounds/3, few), func() error {
				res, err := p.call("snapshot", map[string]any{"session_id": id})
				text, _ = res["tree"].(string)
				return err
			}, func() (err error) {
				whole, err = d.Snapshot()
				return err
			})
			if err != nil {
				return err
			}
			t.add(size, len(overMCP), overMCP, alone, kib(text), kib(whole))
		}
		return nil
	}, "--maxSessions", "1")
	if err != nil {
		return err
	}
	t.print()
	return nil
}

func kib(text string) string { return number(float64(len(text)) / 1024) }
