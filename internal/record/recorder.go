package record

import (
	"encoding/json"
	"fmt"
	"log/slog"
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
	Log    *slog.Logger
}

// Recorder turns what happens into records. Its methods may be called from several goroutines and return
// at once.
type Recorder struct {
	opts  Options
	store Store
}

// New returns a recorder that gives its records to the store.
func New(o Options, s Store) *Recorder {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Recorder{o, s}
}

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
	Image           *contract.Image
	Err             *contract.Error
	Client          map[string]string
}

// Call records a call.
func (r *Recorder) Call(o Outcome) {
	c := Call{
		ID: o.ID, At: o.At, SessionID: optional(o.SessionID), Owner: o.Owner, Tool: cut(o.Tool, 80),
		TabID: optional(o.TabID), Took: o.Took,
	}
	if len(o.Args) > 0 {
		args := r.clean(string(o.Args), argsLimit)
		c.Args = &args
	}
	if len(o.Client) > 0 {
		if raw, err := json.Marshal(o.Client); err == nil {
			c.Client = json.RawMessage(r.opts.Secrets.Scrub(string(raw)))
		}
	}
	if o.Err != nil {
		code := string(o.Err.Code)
		message := r.clean(o.Err.Message, messageLimit)
		c.ErrorCode, c.ErrorMessage = &code, &message
	} else {
		size := int64(len(o.Result))
		if o.Image != nil {
			size += int64(len(o.Image.Data))
		}
		c.ResultSize = &size
		c.Result = r.result(o)
		c.HasScreenshot = r.screenshot(o)
	}
	r.store.AddCall(c)
}

// extensions are those of the images that are kept.
var extensions = map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}

// screenshot keeps the image that a call answered, and reports whether it is kept.
func (r *Recorder) screenshot(o Outcome) bool {
	if o.Image == nil || o.SessionID == "" || r.opts.Images == nil {
		return false
	}
	path, err := r.opts.Images(o.SessionID, o.ID+extensions[o.Image.MIMEType], o.Image.Data)
	if err != nil {
		r.opts.Log.Warn("a screenshot was not kept", "session_id", o.SessionID, "error", err)
		return false
	}
	var size struct{ Width, Height *int64 }
	_ = json.Unmarshal(o.Result, &size) // Without a size, it is not known.
	r.store.AddScreenshot(Screenshot{
		ID: o.ID, At: o.At, SessionID: o.SessionID, Tool: o.Tool, Kind: types.ScreenshotKindAgent,
		ContentType: o.Image.MIMEType, Width: size.Width, Height: size.Height, Size: int64(len(o.Image.Data)), Path: path,
	})
	return true
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
	text = r.clean(text, resultLimit)
	return &text
}

// clean is a text without secrets, of at most n bytes, with the addresses in it as they are kept.
func (r *Recorder) clean(text string, n int) string {
	// Not the whole of a long text is scrubbed, but more than is kept: a secret that the first cut goes
	// through lies behind the second.
	return cut(cleanURLs(r.opts.Secrets.Scrub(cut(text, n+longestSecret)), r.opts.QueryAllowlist), n)
}

// longestSecret is longer than any secret in any spelling, in bytes.
const longestSecret = 16 << 10

// Visit records a document that a tab opened.
func (r *Recorder) Visit(sessionID, tabID, address, title string, at time.Time) {
	r.store.AddVisit(Visit{
		ID: NewID(), At: at, SessionID: sessionID, TabID: optional(tabID), URL: r.address(address),
		Title: optional(r.clean(title, messageLimit)), Domain: domainOf(address), Category: categoryOf(address),
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
func (r *Recorder) Session(s Session) { r.store.AddSession(s) }

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
