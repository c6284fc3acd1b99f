package browser

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
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

// InjectedWorlds counts the worlds of the page beside its own that listen to its window, as the driver's script does
// from the moment that it is there.
func (p *Page) InjectedWorlds() (count int, err error) {
	session, err := p.b.pw.NewCDPSession(p.pw)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, session.Detach()) }()
	var mu sync.Mutex
	var worlds []float64
	session.On("Runtime.executionContextCreated", func(event map[string]any) {
		created, _ := event["context"].(map[string]any)
		own, _ := created["auxData"].(map[string]any)
		if id, ok := created["id"].(float64); ok && own["isDefault"] != true {
			mu.Lock()
			worlds = append(worlds, id)
			mu.Unlock()
		}
	})
	if _, err := session.Send("Runtime.enable", nil); err != nil { // It tells of those that are there before it answers.
		return 0, err
	}
	mu.Lock()
	defer mu.Unlock()
	for _, id := range worlds {
		answer, err := session.Send("Runtime.evaluate", map[string]any{"expression": "window", "contextId": id})
		if err != nil {
			return 0, err
		}
		window, _ := answer.(map[string]any)["result"].(map[string]any)
		answer, err = session.Send("DOMDebugger.getEventListeners", map[string]any{"objectId": window["objectId"]})
		if err != nil {
			return 0, err
		}
		if listeners, _ := answer.(map[string]any)["listeners"].([]any); len(listeners) > 0 {
			count++
		}
	}
	return count, nil
}
