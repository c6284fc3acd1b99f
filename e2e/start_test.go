package e2e

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// A server that cannot start says why and exits with the code that its error has.
func TestRefusesToStart(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	taken := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	for name, c := range map[string]struct {
		setup
		code   int
		output string
	}{
		"port in use":      {setup{args: []string{"--port", taken}}, 3, "[PORT_IN_USE]"},
		"insecure bind":    {setup{args: []string{"--host", "0.0.0.0"}}, 3, "[INSECURE_BIND_REFUSED]"},
		"admin over stdio": {setup{stdio: true, args: []string{"--admin"}}, 3, "[ADMIN_REQUIRES_HTTP]"},
		"unknown flag":     {setup{args: []string{"--maxSesions", "4"}}, 64, "maxSessions"},
		"bad value":        {setup{args: []string{"--maxSessions", "0"}}, 64, "maxSessions"},
		"bad variable":     {setup{env: []string{"BROWSERHIVE_SESSION_LEASE=soon"}}, 64, "BROWSERHIVE_SESSION_LEASE"},
		"data dir a file":  {setup{dataDir: "/dev/null"}, 1, "[DATA_DIR_UNWRITABLE]"},
	} {
		t.Run(name, func(t *testing.T) {
			work(t)
			code, output := refusal(t, c.setup)
			if code != c.code || !strings.Contains(output, c.output) {
				t.Errorf("exit %d, output %s", code, output)
			}
		})
	}
}
