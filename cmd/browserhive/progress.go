package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// progressDelay is how long a step may take before its progress is shown.
	progressDelay = time.Second
	// progressEvery is how often it is shown: a clock that ticks, without flicker.
	progressEvery = 250 * time.Millisecond
)

// progress shows on one line of a terminal what a long command is at. Without a terminal it does nothing.
type progress struct {
	w    io.Writer // nil shows nothing
	quit chan struct{}
	done chan struct{}

	mu          sync.Mutex
	step        string // "" between steps
	began       time.Time
	count, most int64 // bytes or entries; most is 0 when it is not known
	bytes       bool
	shown       bool
}

// progress starts to show; end stops it.
func (p *program) progress() *progress {
	g := &progress{w: p.screen, quit: make(chan struct{}), done: make(chan struct{})}
	if g.w == nil {
		close(g.done)
		return g
	}
	go g.run()
	return g
}

func (g *progress) run() {
	defer close(g.done)
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			g.show()
		case <-g.quit:
			return
		}
	}
}

// begin names the step that runs now.
func (g *progress) begin(step string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.clear()
	g.step, g.began, g.count, g.most, g.bytes = step, time.Now(), 0, 0, false
}

// at tells how many bytes of the step are there; of is 0 when nobody knows how many there will be.
func (g *progress) at(count, of int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count, g.most, g.bytes = count, of, true
}

// tick counts one more entry.
func (g *progress) tick() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count++
}

// pause takes the line away, so that something else can be printed, until the next step begins.
func (g *progress) pause() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.clear()
	g.step = ""
}

// end takes the line away and stops.
func (g *progress) end() {
	if g.w != nil {
		close(g.quit)
	}
	<-g.done
	g.pause()
}

func (g *progress) clear() {
	if g.shown {
		_, _ = io.WriteString(g.w, "\r\x1b[K") // A terminal that is gone cannot be told.
		g.shown = false
	}
}

func (g *progress) show() {
	g.mu.Lock()
	defer g.mu.Unlock()
	took := time.Since(g.began)
	if g.step == "" || took < progressDelay {
		return
	}
	state := fmt.Sprintf("%d s", int(took.Seconds()))
	switch {
	case g.bytes && g.most > 0:
		state = fmt.Sprintf("%s of %s, %s", size(g.count), size(g.most), state)
	case g.bytes:
		state = fmt.Sprintf("%s, %s", size(g.count), state)
	case g.count > 0:
		state = fmt.Sprintf("%d, %s", g.count, state)
	}
	_, _ = fmt.Fprintf(g.w, "\r\x1b[K%s… %s", g.step, state)
	g.shown = true
}
