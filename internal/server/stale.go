package server

import (
	"context"
	"sync"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
)

// staleInterval is how often the server looks whether left-over processes are still there. They only cost memory,
// and when somebody ends them by hand the server notices within a minute.
const staleInterval = time.Minute

func (s *Server) startStale(context.Context) error {
	s.watchStale(staleInterval)
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
