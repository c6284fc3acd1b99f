package toolset

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/secret"
	"github.com/browserhive/browserhive/internal/session"
)

// Call is one tool call as a door received it.
type Call struct {
	Tool      string
	Args      json.RawMessage
	Principal auth.Principal
	// Client is what the client says of itself; display only.
	Client   Client
	Received time.Time
}

// Client is what a client says of itself.
type Client struct{ Name, Version, Model, Harness, Workspace string }

// clientKey is the client of a call in its context.
type clientKey struct{}

// Outcome is what became of a call. It has either a Result or an Err.
type Outcome struct {
	Call
	// SafeArgs are the arguments without sensitive values.
	SafeArgs json.RawMessage
	// Result is JSON that follows the tool's output schema; a list is not wrapped.
	Result json.RawMessage
	Image  *contract.Image
	Err    *contract.Error
	Took   time.Duration
}

// Call runs a tool. It never panics and always answers within the call's deadline.
func (t *Toolset) Call(ctx context.Context, c Call) Outcome {
	if c.Received.IsZero() {
		c.Received = time.Now()
	}
	c.Client = t.described(c.Client)
	st := &state{id: record.NewID(), call: c, out: Outcome{Call: c}, forget: func() {}}
	ctx, st.shown = secret.WatchTyping(ctx)
	t.chain(ctx, st)
	t.answer(st)
	st.out.Took = time.Since(c.Received)
	t.observe(st)
	t.record(st, t.frame(ctx, st))
	return st.out
}

// state is what the steps of a call hand on.
type state struct {
	id      string // Of the call, in the records.
	call    Call
	bound   *bound
	args    json.RawMessage
	session *session.Session
	secrets *secret.Keep // of the session, or of the call
	forget  func()
	shown   func() bool // whether what was typed may be kept
	out     Outcome
}

// step is one step of every call. next runs the rest.
type step func(ctx context.Context, st *state, next func(context.Context)) *contract.Error

// The steps of a call, in order. Each either answers or hands on.
func (t *Toolset) steps() []step {
	return []step{t.recover, t.find, t.validate, t.deadline, t.acquire, t.turn, t.run}
}

func (t *Toolset) chain(ctx context.Context, st *state) {
	steps := t.steps()
	var at func(i int) func(context.Context)
	at = func(i int) func(context.Context) {
		return func(ctx context.Context) {
			if i == len(steps) {
				return
			}
			if err := steps[i](ctx, st, at(i+1)); err != nil {
				st.out.Err = err
			}
		}
	}
	at(0)(ctx)
}

// recover turns a panic into an answer: a fault of ours in one call must not end the others.
func (t *Toolset) recover(ctx context.Context, st *state, next func(context.Context)) (err *contract.Error) {
	defer func() {
		if p := recover(); p != nil {
			st.out.Result, st.out.Image = nil, nil
			err = t.internal(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	next(ctx)
	return st.out.Err
}

func (t *Toolset) find(ctx context.Context, st *state, next func(context.Context)) *contract.Error {
	b := t.bound[st.call.Tool]
	if b == nil {
		return errcode.ToolNotAvailable{Tool: t.named(st.call.Tool), Requires: "a tool of tools/list"}.Err()
	}
	st.bound = b
	st.out.SafeArgs = contract.Redact(st.call.Args, b.tool.SensitiveArgs)
	if b.tool.Planned {
		return errcode.ToolNotAvailable{Tool: b.tool.Name, Requires: "a later version of BrowserHive"}.Err()
	}
	next(ctx)
	return st.out.Err
}

func (t *Toolset) validate(ctx context.Context, st *state, next func(context.Context)) *contract.Error {
	args, err := st.bound.check(st.call.Args)
	if err != nil {
		return err
	}
	if args, err = st.bound.follow(args); err != nil {
		return err
	}
	st.args = args
	next(ctx)
	return st.out.Err
}

// grace is how much longer than its own timeout a call may run: what a page operation needs to notice
// its timeout and say so with a code of its own.
const grace = 5 * time.Second

// Ceiling is the longest that any call may run.
const Ceiling = tools.CallCeiling * time.Millisecond

// limit is the time that a timeout argument in milliseconds allows.
func limit(ms int64) time.Duration {
	if d := time.Duration(ms) * time.Millisecond; ms > 0 && ms <= tools.CallCeiling {
		return d
	}
	return Ceiling
}

func (t *Toolset) deadline(ctx context.Context, st *state, next func(context.Context)) *contract.Error {
	d := time.Duration(tools.DefaultTimeout) * time.Millisecond
	if st.bound.tool.HasTimeout {
		var a struct{ Timeout *int64 }
		if err := json.Unmarshal(st.args, &a); err == nil && a.Timeout != nil {
			d = limit(*a.Timeout)
		}
		d += grace
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	next(ctx)
	// A part of the call that ran out of time knows only what was left for it.
	if err := st.out.Err; err != nil && (err.Code == errcode.CodeCallTimeout || err.Code == errcode.CodeInternalError && errors.Is(err, context.DeadlineExceeded)) {
		return errcode.CallTimeout{TimeoutMs: d.Milliseconds()}.Err().Because(err.Unwrap())
	}
	return st.out.Err
}

func (t *Toolset) acquire(ctx context.Context, st *state, next func(context.Context)) *contract.Error {
	if st.bound.tool.UsesSession {
		var a struct {
			SessionID string `json:"session_id"`
		}
		if err := json.Unmarshal(st.args, &a); err != nil {
			return t.internal(err)
		}
		s, err := t.opts.Sessions.Acquire(a.SessionID, st.call.Principal)
		if err != nil {
			return t.classify(err)
		}
		st.session = s
		// A session that closes takes its calls with it.
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.Context(), cancel)()
	}
	t.remember(st)
	ctx = context.WithValue(ctx, keepKey{}, st.secrets)
	ctx = auth.With(ctx, st.call.Principal)
	ctx = record.WithCause(ctx, record.Cause{CallID: st.id, Tool: st.bound.tool.Name})
	ctx = context.WithValue(ctx, clientKey{}, st.call.Client)
	next(ctx)
	return st.out.Err
}

// turn puts the calls that change one tab in order. The tab is decided here, once: a call without tab_id
// acts on the tab that was active when its turn was asked for.
func (t *Toolset) turn(ctx context.Context, st *state, next func(context.Context)) *contract.Error {
	if st.bound.tool.ChangesTab {
		var a struct {
			TabID *string `json:"tab_id"`
		}
		if err := json.Unmarshal(st.args, &a); err != nil {
			return t.internal(err)
		}
		p, err := st.session.Browser().Page(tabID(a.TabID))
		if err != nil {
			return t.classify(err)
		}
		if st.args, err = contract.SetMember(st.args, "tab_id", p.ID()); err != nil {
			return t.internal(err)
		}
		done, err := st.session.Turn(ctx, p.ID())
		if err != nil {
			return t.classify(err)
		}
		defer done()
	}
	next(ctx)
	return st.out.Err
}

func (t *Toolset) run(ctx context.Context, st *state, _ func(context.Context)) *contract.Error {
	res, err := st.bound.run(ctx, st.session, st.args)
	if err != nil {
		return t.classify(err)
	}
	raw, err := contract.Encode(res.Value)
	if err != nil {
		return t.internal(fmt.Errorf("result of %s: %w", st.bound.tool.Name, err))
	}
	st.learn(raw, st.bound.tool.SensitiveResult)
	st.out.Result, st.out.Image = raw, res.Image
	return nil
}

// classify makes a contract error of what a handler returned. What has no code is a fault of ours, apart
// from a context that ended.
func (t *Toolset) classify(err error) *contract.Error {
	var e *contract.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return errcode.CallCancelled{}.Err().Because(err)
	}
	return t.internal(err)
}

// internal answers a fault of ours with a reference; the cause goes to the log alone.
func (t *Toolset) internal(cause error) *contract.Error {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails, and a reference need not be secret
	return errcode.InternalError{Ref: hex.EncodeToString(b[:])}.Err().Because(cause)
}

// checkedLength is the longest result in bytes that is held to its schema outside of tests. What is longer
// is so by the text of a page; to check that would cost more than everything else that is done here.
const checkedLength = 4 << 10

// observe tells the log what became of a call, and holds the answer to the contract.
func (t *Toolset) observe(st *state) {
	o := &st.out
	attrs := []any{"tool", t.named(o.Tool), "principal", o.Principal.Name, "ms", o.Took.Milliseconds()}
	if st.session != nil {
		attrs = append(attrs, "session_id", st.session.ID)
	}
	if st.bound != nil && (len(o.Result) <= checkedLength || t.opts.OnBreach != nil) {
		if fault := st.bound.breach(o); fault != "" {
			t.opts.Log.Error("the answer breaks the contract", "tool", o.Tool, "fault", fault)
			if t.opts.OnBreach != nil {
				t.opts.OnBreach(o.Tool, fault)
			}
		}
	}
	if o.Err == nil {
		t.opts.Log.Log(context.Background(), slog.LevelInfo, "tool called", attrs...)
		return
	}
	attrs = append(attrs, "code", string(o.Err.Code))
	level := slog.LevelInfo
	if cause := o.Err.Unwrap(); cause != nil {
		attrs = append(attrs, "cause", cause.Error())
	}
	if o.Err.Code == errcode.CodeInternalError {
		level = slog.LevelError
		attrs = append(attrs, "ref", o.Err.Message)
	}
	t.opts.Log.Log(context.Background(), level, "tool failed", attrs...)
}

// record hands what became of a call to the records.
func (t *Toolset) record(st *state, frame *contract.Image) {
	if t.opts.Recorder == nil {
		st.forget()
		return
	}
	o := &st.out
	args, result := st.kept()
	r := record.Outcome{
		ID: st.id, Tool: o.Tool, Owner: o.Principal.Name, At: o.Received, Took: o.Took, Args: args, Result: result,
		Image: o.Image, Frame: frame, Err: o.Err, Client: o.Client.facts(),
	}
	// What the caller named, also where there is no such session; launch_session answers the one it made.
	var named struct {
		SessionID string `json:"session_id"`
		TabID     string `json:"tab_id"`
	}
	sources := []json.RawMessage{o.Args, st.args}
	if len(o.Result) <= checkedLength {
		sources = append(sources, o.Result)
	}
	for _, raw := range sources {
		_ = json.Unmarshal(raw, &named) // Without the members there is none.
	}
	r.SessionID, r.TabID = t.named(named.SessionID), t.named(named.TabID)
	if st.bound != nil {
		r.SensitiveResult = st.bound.tool.SensitiveResult
	}
	// The caller is not told that the session is somebody else's; the record is.
	var denied *contract.Error
	if o.Err != nil && errors.As(o.Err.Unwrap(), &denied) && denied.Code == errcode.CodeSessionAccessDenied {
		r.Err = denied
	}
	t.opts.Recorder.Call(r, st.forget)
}

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

// clip bounds a name that a caller chose.
func clip(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
