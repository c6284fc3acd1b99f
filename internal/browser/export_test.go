package browser

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
