package browser

import (
	"os"
	"path/filepath"
)

// OpenPastPolicy opens an address without the checks of Goto, as a person at the address bar would.
func (p *Page) OpenPastPolicy(address string) error {
	_, err := p.pw.Goto(address)
	return err
}

// HasNoDialog reports whether no dialog of the tab waits for an answer.
func (p *Page) HasNoDialog() bool {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	return p.dialog == nil
}

// TraceCut reports whether the first part of the trace was dropped for the second.
func (b *Browser) TraceCut() bool {
	parts := filepath.Join(b.tmp, "traced")
	_, gone := os.Stat(filepath.Join(parts, "part-1"))
	_, there := os.Stat(filepath.Join(parts, "part-2"))
	return os.IsNotExist(gone) && there == nil
}
