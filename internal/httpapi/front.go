package httpapi

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"strings"
)

// healthPath is where the operation getHealth answers beside the path that the contract gives it.
const healthPath = "/health"

// front says to whoever opens the address what it is and where its doors are: as a page to a browser, as text to
// everything else. It tells nothing that a first request to those doors would not.
func (s *Server) front(w http.ResponseWriter, r *http.Request) {
	base := "http"
	if s.secure(r) {
		base = "https"
	}
	base += "://" + s.host(r)
	need := "No token is needed."
	if s.opts.Tokens {
		need = "Each request needs a token: 'browserhive admin tokens create <name>' issues one."
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Accept")
	mcp, health := base+MCPPath, base+healthPath
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		text := "This is BrowserHive, browser sessions for AI agents.\nMCP (Streamable HTTP): " + mcp + "\n" + need + "\nHealth: " + health + "\n"
		_, _ = io.WriteString(w, text) //nolint:gosec // plain text, and the host in it passed the guard; a client that is gone cannot be told
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><title>BrowserHive</title>
<h1>BrowserHive</h1>
<p>Browser sessions for AI agents. Point an MCP client (Streamable HTTP) at <code>%s</code>. %s</p>
<p>Health: <a href="%s">%s</a></p>
</html>
`, html.EscapeString(mcp), html.EscapeString(need), html.EscapeString(health), html.EscapeString(health))
}
