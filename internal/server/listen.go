package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"
)

// Time limits of connections. There is none on answers: a call may wait for an operator for hours, and
// has a deadline of its own.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
)

// maxHeader bounds the headers of a request; browsers and MCP clients send a few kilobytes.
const maxHeader = 64 << 10

// bind takes the port, or fails with PORT_IN_USE or BIND_FAILED.
func (s *Server) bind(ctx context.Context) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address(strings.Trim(s.cfg.Host, "[]"), s.cfg.Port))
	if err != nil {
		return nil, s.bindError(err)
	}
	return l, nil
}

func (s *Server) listen(ctx context.Context) error {
	l, err := s.bind(ctx)
	if err != nil {
		return err
	}
	s.listener = l
	// The base context ends streams that only wait, once sessions are closed.
	base, release := context.WithCancel(context.Background())
	srv := &http.Server{
		Handler: s.rest.Handler(), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog:    nil,
	}
	s.httpServer, s.releaseStreams = srv, release
	go func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.done <- s.bindError(err)
		}
	}()
	return nil
}

// stopListening lets the answers of closing sessions out and then ends what is left. The port stays open
// until then, so that health says draining rather than nothing; the door refuses all else.
func (s *Server) stopListening(ctx context.Context) error {
	// Sessions close first, so that every call in flight gets its answer on an open connection.
	err := s.sessions.Stop(ctx)
	// Streams that only wait for the server end now.
	flushed, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	s.releaseStreams()
	if serr := s.httpServer.Shutdown(flushed); serr != nil {
		_ = s.httpServer.Close()
	}
	return err
}

// startSocket opens the socket in the data directory, over which commands of the same user reach this server. A
// host that has no room for one goes without: the port is what the server is for.
func (s *Server) startSocket(ctx context.Context) error {
	l, err := s.dir.Listen(ctx)
	if err != nil {
		s.log.Warn("commands on this host cannot reach the server: there is no socket", "err", err)
		return nil
	}
	srv := &http.Server{Handler: s.rest.Local(), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader}
	s.socketServer = srv
	go func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Warn("commands on this host can no longer reach the server", "err", err)
		}
	}()
	return nil
}

// stopSocket lets the answers under way out.
func (s *Server) stopSocket(ctx context.Context) error {
	if s.socketServer == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := s.socketServer.Shutdown(ctx); err != nil {
		return s.socketServer.Close()
	}
	return nil
}
