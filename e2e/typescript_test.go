package e2e

import (
	"bytes"
	"encoding/json"
	"image/png"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/tools"
)

// refusalSeen is how the TypeScript client saw a call that failed.
type refusalSeen struct {
	IsError bool
	Text    string
	Meta    *struct {
		Code, Message, Hint string
		Retryable           string
		Details             map[string]any
	}
}

// errand is what client.mjs prints.
type errand struct {
	Instructions string
	Server       struct{ Name, Version string }
	Tools        []string
	Session      struct {
		SessionID string `json:"session_id"`
		Headless  bool
	}
	Navigate struct {
		URL, Title string
		Status     int
	}
	Tree       string
	Evaluate   string
	Screenshot struct{ Width, Height, Bytes int }
	Image      struct {
		MIMEType string
		Data     []byte
	}
	Listed struct {
		Sessions []struct {
			SessionID string `json:"session_id"`
		}
	}
	Closed struct {
		SessionID string `json:"session_id"`
		Closed    bool
	}
	Gone, Blocked, Planned, Invalid, After refusalSeen
}

// The official TypeScript client, which nobody here wrote, gets its work done over both transports.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	t.Run("http", func(t *testing.T) {
		work(t)
		p := start(t, setup{})
		checkErrand(t, site, map[string]any{"url": p.url + "/mcp"})
	})
	t.Run("stdio", func(t *testing.T) {
		work(t)
		env := map[string]string{"TMPDIR": shortDir(t)}
		for _, pair := range installation(t) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		checkErrand(t, site, map[string]any{
			"command": browserhive, "args": []string{"--transport", "stdio", "--dataDir", shortDir(t)}, "env": env, "cwd": t.TempDir(),
		})
	})
}

func checkErrand(t *testing.T, site *site, server map[string]any) {
	t.Helper()
	how, err := json.Marshal(server)
	if err != nil {
		t.Fatal(err)
	}
	out, err := node(t, patience, "client.mjs", string(how), site.URL+"/form")
	if err != nil {
		t.Fatal(err)
	}
	var saw errand
	if err := json.Unmarshal([]byte(out), &saw); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if saw.Server.Name != "browserhive" || !strings.Contains(saw.Instructions, "launch_session") {
		t.Errorf("server %+v, instructions %q", saw.Server, saw.Instructions)
	}
	if len(saw.Tools) != len(tools.Catalogue) {
		t.Errorf("%d tools", len(saw.Tools))
	}
	if n := saw.Navigate; n.Status != 200 || n.Title != "A form" || n.URL != site.URL+"/form" {
		t.Errorf("navigate: %+v", n)
	}
	if saw.Evaluate != "Thank you, Ada Lovelace" {
		t.Errorf("the page says %q", saw.Evaluate)
	}
	if got := site.received("/thanks"); got.FormValue("name") != "Ada Lovelace" {
		t.Errorf("the site received %v", got.Form)
	}
	checkPicture(t, saw)
	if len(saw.Listed.Sessions) != 1 || saw.Listed.Sessions[0].SessionID != saw.Session.SessionID {
		t.Errorf("list_sessions: %+v", saw.Listed)
	}
	if !saw.Closed.Closed || saw.Closed.SessionID != saw.Session.SessionID {
		t.Errorf("close_session: %+v", saw.Closed)
	}
	for code, r := range map[string]refusalSeen{
		"ELEMENT_NOT_FOUND": saw.Gone, "URL_BLOCKED": saw.Blocked, "TOOL_NOT_AVAILABLE": saw.Planned,
		"INVALID_ARGUMENTS": saw.Invalid, "SESSION_NOT_FOUND": saw.After,
	} {
		if !r.IsError || r.Meta == nil || r.Meta.Code != code || !strings.HasPrefix(r.Text, "["+code+"] ") || r.Meta.Message == "" {
			t.Errorf("%s: %+v %+v", code, r, r.Meta)
		}
	}
	if saw.Blocked.Meta != nil && saw.Blocked.Meta.Details["pattern"] != "scheme:file" {
		t.Errorf("URL_BLOCKED: %v", saw.Blocked.Meta.Details)
	}
}

func checkPicture(t *testing.T, saw errand) {
	t.Helper()
	picture, err := png.DecodeConfig(bytes.NewReader(saw.Image.Data))
	if err != nil || saw.Image.MIMEType != "image/png" {
		t.Errorf("the image is no PNG: %v, %s", err, saw.Image.MIMEType)
	}
	if s := saw.Screenshot; s.Width != picture.Width || s.Height != picture.Height || s.Bytes != len(saw.Image.Data) || s.Width == 0 {
		t.Errorf("stated %+v, the picture is %dx%d with %d bytes", s, picture.Width, picture.Height, len(saw.Image.Data))
	}
}
