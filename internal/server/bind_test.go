package server

import (
	"net"
	"testing"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// A port that is taken has a code of its own; all else that the system refuses is BIND_FAILED.
func TestBindErrors(t *testing.T) {
	t.Parallel()
	first := &Server{cfg: config.Config{Host: "127.0.0.1"}}
	l, err := first.bind(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	for code, s := range map[contract.Code]*Server{
		errcode.CodePortInUse: {cfg: config.Config{Host: "127.0.0.1", Port: port}},
		// An address for documents, which no host has.
		errcode.CodeBindFailed: {cfg: config.Config{Host: "192.0.2.1"}},
	} {
		if l, err := s.bind(t.Context()); contract.CodeOf(err) != code {
			t.Errorf("%s: %v, %v", code, l, err)
		}
	}
}
