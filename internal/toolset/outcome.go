package toolset

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/record"
)

// checkedLength is the longest result in bytes that is held to its schema outside of tests. What is longer
// is so by the text of a page; to check that would cost more than everything else that is done here.
const checkedLength = 4 << 10

// observe tells the log what became of a call, and holds the answer to the contract.
func (t *Toolset) observe(ctx context.Context, c *call, rest next) *contract.Error {
	err := rest(ctx)
	c.took = time.Since(c.Received)
	attrs := []any{"tool", t.named(c.Tool), "principal", c.Principal.Name, "ms", c.took.Milliseconds()}
	if c.session != nil {
		attrs = append(attrs, "session_id", c.session.ID)
	}
	if c.bound != nil && (len(c.answer.Result) <= checkedLength || t.opts.OnBreach != nil) {
		if fault := c.bound.breach(c.answer); fault != "" {
			t.opts.Log.Error("the answer breaks the contract", "tool", c.Tool, "fault", fault)
			if t.opts.OnBreach != nil {
				t.opts.OnBreach(c.Tool, fault)
			}
		}
	}
	if err == nil {
		t.opts.Log.Log(context.Background(), slog.LevelInfo, "tool called", attrs...)
		return nil
	}
	attrs = append(attrs, "code", string(err.Code))
	level := slog.LevelInfo
	if cause := err.Unwrap(); cause != nil {
		attrs = append(attrs, "cause", cause.Error())
	}
	if err.Code == errcode.CodeInternalError {
		level = slog.LevelError
		attrs = append(attrs, "ref", err.Message)
	}
	t.opts.Log.Log(context.Background(), level, "tool failed", attrs...)
	return err
}

// record hands what became of a call to the records.
func (t *Toolset) record(ctx context.Context, c *call, rest next) *contract.Error {
	err := rest(ctx)
	if t.opts.Recorder == nil {
		c.forget()
		return err
	}
	o := record.Outcome{
		ID: c.id, Tool: c.Tool, Owner: c.Principal.Name, At: c.Received, Took: c.took, Image: c.answer.Image,
		Frame: c.frame, Err: err, Client: c.Client.facts(),
	}
	o.Args, o.Result = c.kept()
	o.SessionID, o.TabID = c.subject()
	o.SessionID, o.TabID = t.named(o.SessionID), t.named(o.TabID)
	if c.bound != nil {
		o.SensitiveResult = c.bound.tool.SensitiveResult
	}
	// The caller is not told that the session is somebody else's; the record is.
	var denied *contract.Error
	if err != nil && errors.As(err.Unwrap(), &denied) && denied.Code == errcode.CodeSessionAccessDenied {
		o.Err = denied
	}
	t.opts.Recorder.Call(o, c.forget)
	return err
}

// subject is the session and the tab that a call was about, "" for none: those that it named, also where there
// is no such session, and those that it opened, which the result names.
func (c *call) subject() (sessionID, tabID string) {
	sessionID, tabID = c.args.String("session_id"), c.tabID()
	if len(c.answer.Result) > checkedLength {
		return sessionID, tabID
	}
	named := struct {
		SessionID string `json:"session_id"`
		TabID     string `json:"tab_id"`
	}{sessionID, tabID}
	_ = json.Unmarshal(c.answer.Result, &named) // Without the members there is none.
	return named.SessionID, named.TabID
}

// tabID is the tab that the call uses, or names; "" for the active one.
func (c *call) tabID() string {
	if c.page != nil {
		return c.page.ID()
	}
	return c.args.String("tab_id")
}

// Client is what a client says of itself.
type Client struct{ Name, Version, Model, Harness, Workspace string }

// clientKey is the client of a call in its context.
type clientKey struct{}

// facts are what there is, by name.
func (c Client) facts() map[string]string {
	facts := map[string]string{}
	for name, value := range map[string]string{
		"name": c.Name, "version": c.Version, "model": c.Model, "harness": c.Harness, "workspace": c.Workspace,
	} {
		if value != "" {
			facts[name] = value
		}
	}
	return facts
}

// named is a name that a caller chose, within bounds: half of a secret would not be recognised later on.
func (t *Toolset) named(s string) string { return clip(t.opts.Secrets.Scrub(s)) }

// described is what a client says of itself, within bounds.
func (t *Toolset) described(c Client) Client {
	return Client{t.named(c.Name), t.named(c.Version), t.named(c.Model), t.named(c.Harness), t.named(c.Workspace)}
}

// maxName bounds a name that a caller chose, in characters.
const maxName = 80

func clip(s string) string {
	if r := []rune(s); len(r) > maxName {
		return string(r[:maxName]) + "…"
	}
	return s
}
