package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var screen strings.Builder
		p := &program{screen: &screen}
		show := p.progress()
		shown := func() string {
			synctest.Wait()
			text := screen.String()
			screen.Reset()
			return text
		}
		show.begin("Quick")
		time.Sleep(900 * time.Millisecond)
		show.pause()
		time.Sleep(5 * time.Second)
		if s := shown(); s != "" {
			t.Errorf("a step of less than a second is shown: %q", s)
		}
		show.begin("Slow")
		time.Sleep(2100 * time.Millisecond)
		if s := shown(); !strings.HasSuffix(s, "\r\x1b[KSlow… 2 s") {
			t.Errorf("%q", s)
		}
		show.at(3<<20, 6<<20)
		time.Sleep(time.Second)
		if s := shown(); !strings.HasSuffix(s, "Slow… 3.0 MiB of 6.0 MiB, 3 s") {
			t.Errorf("%q", s)
		}
		show.at(4<<20, 0)
		time.Sleep(time.Second)
		if s := shown(); !strings.HasSuffix(s, "Slow… 4.0 MiB, 4 s") {
			t.Errorf("%q", s)
		}
		show.begin("Entries")
		show.tick()
		show.tick()
		time.Sleep(1100 * time.Millisecond)
		if s := shown(); !strings.HasPrefix(s, "\r\x1b[K") || !strings.HasSuffix(s, "Entries… 2, 1 s") {
			t.Errorf("%q", s)
		}
		show.end()
		if s := shown(); s != "\r\x1b[K" {
			t.Errorf("the line stays: %q", s)
		}
	})
}

func TestNoProgressWithoutATerminal(t *testing.T) {
	t.Parallel()
	show := (&program{}).progress()
	show.begin("Step")
	show.at(1, 2)
	show.tick()
	show.end()
}
