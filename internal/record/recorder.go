package record

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/secret"
)

// Options say what may be kept.
type Options struct {
	// Results is how much of a result is kept, a value of the setting recordToolResults.
	Results string
	// QueryAllowlist names the query parameters that stay in recorded addresses.
	QueryAllowlist []string
	// Secrets scrubs every text; nil knows none.
	Secrets *secret.Redactor
	// Images keeps an image of a session under a name and returns its path below the data directory.
	Images func(session, name string, content []byte) (path string, err error)
	// Traces keeps what write writes as the trace of a session, all of it or nothing, and returns its size.
	Traces func(session string, write func(io.Writer) error) (size int64, err error)
	Log    *slog.Logger
}

// Recorder turns what happens into records. Its methods may be called from several goroutines and return
// at once, apart from Trace and Stop.
type Recorder struct {
	opts  Options
	store Store
	queue queue
}

// New returns a recorder that gives its records to the store. It has to be stopped.
func New(o Options, s Store) *Recorder {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	r := &Recorder{opts: o, store: s}
	r.queue.start(r.call)
	return r
}

// Stop returns when all calls are recorded, or when ctx ends, with its error. Later ones are recorded at once,
// without images.
func (r *Recorder) Stop(ctx context.Context) error { return r.queue.stop(ctx) }

// Outcome is what became of a call.
type Outcome struct {
	ID          string
	Tool, Owner string
	SessionID   string // "" for none
	TabID       string // "" for none
	At          time.Time
	Took        time.Duration
	// Args are without the values that the contract marks as sensitive.
	Args json.RawMessage
	// Result is nil when the call failed. SensitiveResult are the paths in it that hold what must not be
	// kept.
	Result          json.RawMessage
	SensitiveResult []string
	// Image is what the call answered, and Frame what its page showed afterwards; nil for none.
	Image, Frame *contract.Image
	Err          *contract.Error
	Client       map[string]string
}

// Call records a call, off its path: to take secrets and addresses out of a long result takes a millisecond,
// and an image has to go to the disk. Then it calls done, until which the secrets of the call have to be known.
func (r *Recorder) Call(o Outcome, done func()) {
	if !r.queue.put(o, done) {
		if o.Image != nil || o.Frame != nil { // So that a full disk keeps no call waiting.
			r.opts.Log.Warn("a screenshot was not kept: too many wait for the disk", "session_id", o.SessionID)
			o.Image, o.Frame = nil, nil
		}
		r.call(o)
		done()
	}
}

func (r *Recorder) call(o Outcome) {
	c := Call{
		// A caller may name anything.
		ID: o.ID, At: o.At, SessionID: optional(r.opts.Secrets.Scrub(o.SessionID)), Owner: o.Owner,
		Tool: cut(r.opts.Secrets.Scrub(o.Tool), 80), TabID: optional(r.opts.Secrets.Scrub(o.TabID)), Took: o.Took,
	}
	if len(o.Args) > 0 {
		args := r.clean(string(o.Args), maxArgs)
		c.Args = &args
	}
	if len(o.Client) > 0 {
		if raw, err := json.Marshal(o.Client); err == nil {
			c.Client = json.RawMessage(r.opts.Secrets.Scrub(string(raw)))
		}
	}
	if o.Err != nil {
		code := string(o.Err.Code)
		message := r.clean(o.Err.Message, maxMessage)
		c.ErrorCode, c.ErrorMessage = &code, &message
	} else {
		size := int64(len(o.Result))
		if o.Image != nil {
			size += int64(len(o.Image.Data))
		}
		c.ResultSize = &size
		c.Result = r.result(o)
	}
	shot, kept := r.saveImage(o)
	c.HasScreenshot = kept
	r.store.AddCall(c)
	if kept {
		r.store.AddScreenshot(shot)
	}
}

// result is what is kept of a result, nil for nothing.
func (r *Recorder) result(o Outcome) *string {
	var text string
	switch r.opts.Results {
	case config.RecordToolResultsNone:
		return nil
	case config.RecordToolResultsShape:
		text = shape(o.Result)
	default:
		text = string(o.Result)
		if len(o.SensitiveResult) > 0 {
			text = string(contract.Redact(o.Result, o.SensitiveResult))
		}
	}
	if o.Image != nil {
		text += fmt.Sprintf("\n[%s, %d bytes]", o.Image.MIMEType, len(o.Image.Data))
	}
	text = r.clean(text, maxResult)
	return &text
}

// clean is a text without secrets, of at most n bytes, with the addresses in it as they are kept.
func (r *Recorder) clean(text string, n int) string {
	// Of a long text more is scrubbed than is kept: a secret that the first cut divides lies behind the second.
	return cut(cleanURLs(r.opts.Secrets.Scrub(cut(text, n+maxSecret)), r.opts.QueryAllowlist), n)
}

// maxSecret is more bytes than any secret has in any spelling.
const maxSecret = 16 << 10

// Visit records a document that a tab opened.
func (r *Recorder) Visit(sessionID, tabID, address, title string, at time.Time) {
	r.store.AddVisit(Visit{
		ID: NewID(), At: at, SessionID: sessionID, TabID: optional(tabID), URL: r.address(address),
		Title: optional(r.clean(title, maxMessage)), Domain: domainOf(address), Category: categoryOf(address),
	})
}

// Blocked records a request that was stopped. callID and tool are "" when a page asked by itself.
func (r *Recorder) Blocked(sessionID, slug, callID, tool, address, pattern string, source types.BlockSource, at time.Time) {
	r.store.AddBlocked(Blocked{
		ID: NewID(), At: at, SessionID: sessionID, SessionSlug: slug, CallID: optional(callID), Tool: optional(tool),
		URL: r.address(address), Domain: domainOf(address), Pattern: pattern, Source: source,
	})
}

// Session records a session that was launched, and End that it ended.
func (r *Recorder) Session(s Session) {
	s.Client, s.Identity, s.ProxyLabel = scrubbed(r, s.Client), scrubbed(r, s.Identity), scrubbed(r, s.ProxyLabel)
	s.Warnings = slices.Clone(s.Warnings)
	for i, w := range s.Warnings {
		s.Warnings[i] = r.opts.Secrets.Scrub(w)
	}
	r.store.AddSession(s)
}

// scrubbed is a value without secrets in its texts; nil is nil.
func scrubbed[T any](r *Recorder, v *T) *T {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	text := r.opts.Secrets.Scrub(string(raw))
	if text == string(raw) {
		return v
	}
	out := new(T)
	if json.Unmarshal([]byte(text), out) != nil {
		return nil // A secret went through its structure; nothing is better than that.
	}
	return out
}

// End records how a session ended.
func (r *Recorder) End(e End) {
	if e.LastURL != nil {
		address := r.address(*e.LastURL)
		e.LastURL = &address
	}
	r.store.EndSession(e)
}

func (r *Recorder) address(address string) string {
	return r.opts.Secrets.Scrub(cleanURL(address, r.opts.QueryAllowlist))
}

// optional is nil for "".
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
