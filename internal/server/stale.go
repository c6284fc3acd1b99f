package server

import (
	"context"
	"sync"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
)

// stalePause is how often processes of an earlier server that could not be ended are looked at: they only cost
// memory, and whoever ends them by hand sees the server agree within a minute.
const stalePause = time.Minute

func (s *Server) startStale(context.Context) error {
	s.watchStale(stalePause)
	return nil
}

// watchStale records that browsers of an earlier server are left, until none is. Where all were ended, what an
// earlier start recorded is over.
func (s *Server) watchStale(pause time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	if left := s.noteStale(0); left > 0 {
		watching.Go(func() {
			tick := time.NewTicker(pause)
			defer tick.Stop()
			for left > 0 {
				select {
				case <-tick.C:
					left = s.noteStale(left)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	s.stopWatching = func() {
		cancel()
		watching.Wait()
	}
}

// noteStale records how many are left, if that has changed from before, and returns it.
func (s *Server) noteStale(before int) int {
	left := s.stale.Left()
	switch {
	case left == 0:
		s.store.Recover(errcode.CodeStaleBrowserProcesses)
	case left != before:
		s.store.Degrade(errcode.StaleBrowserProcesses{Count: int64(left)}.Err(), types.SeverityWarn)
	}
	return left
}

func (s *Server) stopStale(context.Context) error {
	s.stopWatching()
	return nil
}
