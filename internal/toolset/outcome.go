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

// maxCheckedResult is the longest result, in bytes, that is checked against its schema outside of tests. Longer
// results hold the text of a page, and checking that text would cost more than all other steps together.
const maxCheckedResult = 4 << 10

// observe logs the call, and checks that the answer is one that the contract allows.
func (t *Toolset) observe(ctx context.Context, c *call, rest next) *contract.Error {
	err := rest(ctx)
	c.took = time.Since(c.Received)
	attrs := []any{"tool", t.named(c.Tool), "principal", c.Principal.Name, "ms", c.took.Milliseconds()}
	if c.session != nil {
		attrs = append(attrs, "session_id", c.session.ID)
	}
	if c.bound != nil && (len(c.answer.Result) <= maxCheckedResult || t.opts.OnBreach != nil) {
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

// record queues the outcome of the call for the records.
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
	// The record says that the session is somebody else's; the caller is not told.
	var denied *contract.Error
	if err != nil && errors.As(err.Unwrap(), &denied) && denied.Code == errcode.CodeSessionAccessDenied {
		o.Err = denied
	}
	t.opts.Recorder.Call(o, c.forget)
	return err
}

// subject is the session and the tab that the call was about, "" for none: those that it named, even if they
// do not exist, or those that it opened, which its result names.
func (c *call) subject() (sessionID, tabID string) {
	sessionID, tabID = c.args.String("session_id"), c.tabID()
	if len(c.answer.Result) > maxCheckedResult {
		return sessionID, tabID
	}
	named := struct {
		SessionID string `json:"session_id"`
		TabID     string `json:"tab_id"`
	}{sessionID, tabID}
	_ = json.Unmarshal(c.answer.Result, &named) // A result need not name either.
	return named.SessionID, named.TabID
}

// tabID is the tab that the call uses, or names; "" for the active one.
func (c *call) tabID() string {
	if c.page != nil {
		return c.page.ID()
	}
	return c.args.String("tab_id")
}

// Client is how a client describes itself.
type Client struct{ Name, Version, Model, Harness, Workspace string }

// clientKey is the client of a call in its context.
type clientKey struct{}

// facts are the values that are not empty, by name.
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

// named is a name that a caller chose, without secrets and cut to maxName. Secrets go first: half of one would
// not be recognised later.
func (t *Toolset) named(s string) string { return clip(t.opts.Secrets.Scrub(s)) }

// described is a client's description of itself, without secrets and cut to size.
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
