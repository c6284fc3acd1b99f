package server

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/internal/blocklist"
)

// blocklistInterval is how often a watched blocklist is looked at. A change takes effect within two intervals: one
// to notice it, and one in which the file has to stay unchanged.
const blocklistInterval = time.Second

// loadBlocklist runs before the browsers start, so that none runs without the blocklist.
func (s *Server) loadBlocklist(context.Context) error {
	if s.cfg.Blocklist == "" {
		return nil
	}
	list, err := blocklist.Load(s.cfg.Blocklist, s.module("blocklist"))
	if err != nil {
		return err
	}
	if s.cfg.BlocklistWatch {
		list.Watch(blocklistInterval)
	}
	s.blocklist = list
	return nil
}

func (s *Server) releaseBlocklist(context.Context) error {
	if s.blocklist != nil {
		s.blocklist.Stop()
	}
	return nil
}
