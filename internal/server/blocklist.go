package server

import (
	"context"
	"time"

	"github.com/browserhive/browserhive/internal/blocklist"
)

// blocklistPause is how often the blocklist's file is looked at when it is watched. A change is in force
// within two of these: one to notice it, and one in which the file has to stay the same.
const blocklistPause = time.Second

// loadBlocklist comes before the browsers, so that none runs without the list that was asked for.
func (s *Server) loadBlocklist(context.Context) error {
	if s.cfg.Blocklist == "" {
		return nil
	}
	list, err := blocklist.Load(s.cfg.Blocklist, s.module("blocklist"))
	if err != nil {
		return err
	}
	if s.cfg.BlocklistWatch {
		list.Watch(blocklistPause)
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
