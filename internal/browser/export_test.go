package browser

// OpenPastPolicy opens an address without the checks of Goto, as a person at the address bar would.
func (p *Page) OpenPastPolicy(address string) error {
	_, err := p.pw.Goto(address)
	return err
}
