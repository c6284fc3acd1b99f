package toolset

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/browser"
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
	// Client is how the client describes itself; it is only shown.
	Client   Client
	Received time.Time
}

// Answer is what the caller is told: either a Result or an Err.
type Answer struct {
	// Result is JSON that follows the tool's output schema; a list is not wrapped.
	Result json.RawMessage
	Image  *contract.Image
	Err    *contract.Error
}

// Call runs a tool. It always answers within the call's deadline, also when a handler panics.
func (t *Toolset) Call(ctx context.Context, c Call) Answer {
	if c.Received.IsZero() {
		c.Received = time.Now()
	}
	c.Client = t.described(c.Client)
	run := &call{Call: c, id: record.NewID(), args: contract.ParseArguments(c.Args), forget: func() {}}
	ctx, run.shown = secret.WatchTyping(ctx)
	run.answer.Err = t.run(ctx, run, steps)
	return run.answer
}

// call is a call on its way through the steps, and what they found out about it.
type call struct {
	Call

	id      string // in the records
	bound   *bound // nil for an unknown tool
	args    contract.Arguments
	session *session.Session // nil where the tool uses none
	page    *browser.Page    // nil where the tool uses none
	secrets *secret.Keep     // of the session, or of the call
	forget  func()           // ends what the call does to keep its secrets known
	shown   func() bool      // whether what was typed may be kept
	answer  Answer
	took    time.Duration
	frame   *contract.Image // what the page showed when the call was done; nil for nothing
}

// next runs the rest of the steps, and returns the error that the call answers, nil for none.
type next func(ctx context.Context) *contract.Error

// step is something that is done with every call. It runs the steps after it, unless it answers by itself, and
// returns the error that the call answers.
type step struct {
	name string
	// after says that the step does its work when the steps that it runs are done.
	after bool
	// does is what it does, in the figure of docs/architecture.md, which is this list.
	does string
	// codes are those that it answers by itself.
	codes []contract.Code
	do    func(t *Toolset, ctx context.Context, c *call, rest next) *contract.Error
}

// steps are those of every call, from the outermost to the handler. Of those that do their work afterwards, the
// last does it first.
var steps = []step{
	{"record", true, "queue the call for the records, without its secrets", nil, (*Toolset).record},
	{"frame", true, "take a picture of the page, where screenshotTrace asks for it", nil, (*Toolset).takeFrame},
	{"observe", true, "log the call, and hold the answer to the contract", nil, (*Toolset).observe},
	{"scrub", true, "take the secrets of other principals out of the answer", nil, (*Toolset).scrub},
	{"recover", false, "answer a panic with a reference", []contract.Code{errcode.CodeInternalError}, (*Toolset).recover},
	{"find", false, "look the tool up by name", []contract.Code{errcode.CodeToolNotAvailable}, (*Toolset).find},
	{"validate", false, "check the arguments against the tool's JSON Schema", []contract.Code{errcode.CodeInvalidArguments, errcode.CodeInvalidSlug, errcode.CodeUnknownChannel}, (*Toolset).validate},
	{"deadline", false, "bound the call: its own timeout, and " + grace.String() + " more", []contract.Code{errcode.CodeCallTimeout}, (*Toolset).deadline},
	{"acquire", false, "look the session up by id and owner, and renew its lease", []contract.Code{errcode.CodeSessionNotFound, errcode.CodeSessionDead, errcode.CodeSessionNotAvailable}, (*Toolset).acquire},
	{"page", false, "look the page up by tab_id, or take the active one", []contract.Code{errcode.CodeTabNotFound, errcode.CodeBrowserCrashed}, (*Toolset).findPage},
	{"turn", false, "wait for earlier calls that change the same tab", nil, (*Toolset).turn},
	{"handle", false, "run the tool; internal/browser gives errors of the driver their code", nil, (*Toolset).handle},
}

// run takes a call through some steps.
func (t *Toolset) run(ctx context.Context, c *call, todo []step) *contract.Error {
	if len(todo) == 0 {
		return c.answer.Err
	}
	c.answer.Err = todo[0].do(t, ctx, c, func(ctx context.Context) *contract.Error { return t.run(ctx, c, todo[1:]) })
	return c.answer.Err
}

// recover turns a panic into an answer: a fault of ours in one call must not end the others.
func (t *Toolset) recover(ctx context.Context, c *call, rest next) (err *contract.Error) {
	defer func() {
		if p := recover(); p != nil {
			c.answer = Answer{}
			err = t.internal(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	return rest(ctx)
}

func (t *Toolset) find(ctx context.Context, c *call, rest next) *contract.Error {
	c.bound = t.bound[c.Tool]
	switch {
	case c.bound == nil:
		return errcode.ToolNotAvailable{Tool: t.named(c.Tool), Requires: "a tool of tools/list"}.Err()
	case c.bound.tool.Planned:
		return errcode.ToolNotAvailable{Tool: c.bound.tool.Name, Requires: "a later version of BrowserHive"}.Err()
	}
	return rest(ctx)
}

func (t *Toolset) validate(ctx context.Context, c *call, rest next) *contract.Error {
	args, err := c.bound.check(c.args)
	if err != nil {
		return err
	}
	c.args = args
	return rest(ctx)
}

// grace is how much longer than its own timeout a call may run: what a page operation needs to notice
// its timeout and say so with a code of its own.
const grace = 5 * time.Second

// MaxTimeout is the longest that any call may run.
const MaxTimeout = tools.CallCeiling * time.Millisecond

// limit is the time that a timeout argument in milliseconds allows.
func limit(ms int64) time.Duration {
	if d := time.Duration(ms) * time.Millisecond; ms > 0 && ms <= tools.CallCeiling {
		return d
	}
	return MaxTimeout
}

func (t *Toolset) deadline(ctx context.Context, c *call, rest next) *contract.Error {
	timeout := time.Duration(tools.DefaultTimeout) * time.Millisecond
	if c.bound.tool.HasTimeout {
		if ms, given := c.args.Int("timeout"); given {
			timeout = limit(ms)
		}
		timeout += grace
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := rest(ctx)
	// A part of the call that ran out of time knows only what was left for it.
	if err != nil && (err.Code == errcode.CodeCallTimeout || err.Code == errcode.CodeInternalError && errors.Is(err, context.DeadlineExceeded)) {
		return errcode.CallTimeout{TimeoutMs: timeout.Milliseconds()}.Err().Because(err.Unwrap())
	}
	return err
}

func (t *Toolset) acquire(ctx context.Context, c *call, rest next) *contract.Error {
	if c.bound.tool.UsesSession {
		s, err := t.opts.Sessions.Acquire(c.args.String("session_id"), c.Principal)
		if err != nil {
			return t.classify(err)
		}
		c.session = s
		// A session that closes takes its calls with it.
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(s.Context(), cancel)()
	}
	t.remember(c)
	ctx = context.WithValue(ctx, keepKey{}, c.secrets)
	ctx = auth.With(ctx, c.Principal)
	ctx = record.WithCause(ctx, record.Cause{CallID: c.id, Tool: c.bound.tool.Name})
	ctx = context.WithValue(ctx, clientKey{}, c.Client)
	return rest(ctx)
}

// findPage decides which page the call acts on: without tab_id the one that is active now, whatever becomes
// active while the call waits. A call that reads on in an earlier answer needs none.
func (t *Toolset) findPage(ctx context.Context, c *call, rest next) *contract.Error {
	if c.bound.tool.UsesPage && (!c.bound.tool.ReadsOn || c.args.String("cursor") == "") {
		p, err := c.session.Browser().Page(c.args.String("tab_id"))
		if err != nil {
			return t.classify(err)
		}
		c.page = p
	}
	return rest(ctx)
}

// turn puts the calls that change one tab in order.
func (t *Toolset) turn(ctx context.Context, c *call, rest next) *contract.Error {
	if c.bound.tool.ChangesTab && c.page != nil {
		done, err := c.session.Turn(ctx, c.page.ID())
		if err != nil {
			return t.classify(err)
		}
		defer done()
		if c.page, err = c.session.Browser().Page(c.page.ID()); err != nil { // It closed while the call waited.
			return t.classify(err)
		}
	}
	return rest(ctx)
}

func (t *Toolset) handle(ctx context.Context, c *call, _ next) *contract.Error {
	res, err := c.bound.run(ctx, c.session, c.page, c.args)
	if err != nil {
		return t.classify(err)
	}
	raw, err := contract.Encode(res.Value)
	if err != nil {
		return t.internal(fmt.Errorf("result of %s: %w", c.bound.tool.Name, err))
	}
	c.learn(contract.Strings(raw, c.bound.tool.SensitiveResult))
	c.answer.Result, c.answer.Image = raw, res.Image
	return nil
}

// classify turns the error of a handler into one of the contract. An error without a code is a fault of ours,
// unless a context was cancelled or a value does not fit the handler's arguments.
func (t *Toolset) classify(err error) *contract.Error {
	var e *contract.Error
	var value *contract.ValueError
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &value):
		return invalidArguments(value.Issue)
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
