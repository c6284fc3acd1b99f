// Package record keeps what happened: calls of tools, pages that tabs visited, requests that were stopped,
// and the sessions that all of it belongs to. It decides what of it may be kept, and in which form; a Store
// keeps it.
package record

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/browserhive/browserhive/gen/types"
)

// NewID returns an id for something that happens now. Ids sort by time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// IDAt returns an id for something that happened at a time in the past.
func IDAt(at time.Time) string {
	id := uuid.Must(uuid.NewV7())
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(at.UnixMilli(), 0)))
	copy(id[:6], ms[2:])
	return id.String()
}

// FirstID returns the lowest id of a time: a UUID of version 7 begins with its milliseconds.
func FirstID(at time.Time) string {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(at.UnixMilli(), 0)))
	digits := hex.EncodeToString(ms[2:])
	return digits[:8] + "-" + digits[8:]
}

// TimeOf returns the time of an id, the counterpart of FirstID; the zero time for an id without one.
func TimeOf(id string) time.Time {
	digits := strings.ReplaceAll(id, "-", "")
	if len(digits) < 12 {
		return time.Time{}
	}
	ms, err := strconv.ParseInt(digits[:12], 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// Call is one call of a tool as it is kept. Pointers are nil for what there is not.
type Call struct {
	ID           string
	At           time.Time
	SessionID    *string
	Owner, Tool  string
	TabID        *string
	ErrorCode    *string // nil when it succeeded
	ErrorMessage *string
	Took         time.Duration
	// ResultSize is that of the complete result in bytes, nil without one.
	ResultSize *int64
	TraceID    *string
	// HasScreenshot says that a Screenshot of the same id is kept.
	HasScreenshot bool
	Client        json.RawMessage // What the client says of itself, as an object; nil for nothing.
	Args          *string
	Result        *string
}

// Visit is a document that a tab opened.
type Visit struct {
	ID        string
	At        time.Time
	SessionID string
	TabID     *string
	URL       string
	Title     *string
	Domain    *string
	Category  types.PageCategory
}

// Blocked is a request that the blocklist stopped.
type Blocked struct {
	ID                     string
	At                     time.Time
	SessionID, SessionSlug string
	CallID                 *string
	URL                    string
	Domain                 *string
	Pattern                string
	Source                 types.BlockSource
	Tool                   *string
}

// Screenshot is an image that is kept. Its id is that of the call which took it.
type Screenshot struct {
	ID            string
	At            time.Time
	SessionID     string
	Tool          string
	Kind          types.ScreenshotKind
	ContentType   string
	Width, Height int64 // in pixels
	Size          int64
	// Path is below the data directory, with slashes.
	Path string
}

// Session is a session as it was launched.
type Session struct {
	ID, Slug, Owner string
	Channel         types.Channel
	Engine          types.Engine
	Headless        bool
	Incognito       bool
	Persistence     types.PersistenceMode
	DisableEvaluate bool
	VaultEnabled    bool
	Stealth         bool
	ProxyLabel      *string
	Identity        *types.Identity
	Client          *types.SessionClient
	Warnings        []string
	Trace           *Trace // nil without one
	CreatedAt       time.Time
}

// End is how a session ended.
type End struct {
	SessionID string
	At        time.Time
	Reason    types.ClosedReason
	// LastURL is the address of its last active tab, nil when none was open.
	LastURL *string
}

// Store keeps records. Its methods return at once; what they are given is kept soon after.
type Store interface {
	AddCall(Call)
	AddVisit(Visit)
	AddBlocked(Blocked)
	AddScreenshot(Screenshot)
	AddSession(Session)
	// SetTrace notes what became of the trace of a session, with a warning, nil for none.
	SetTrace(sessionID string, t Trace, warning *string)
	EndSession(End)
}
