package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
)

// cursor is where a page begins: next to which row, and on which side of it.
type cursor struct {
	At     int64  `json:"a"`
	ID     string `json:"i"`
	Before bool   `json:"b,omitempty"`
}

func (c cursor) String() string {
	raw, _ := json.Marshal(c) // A number, a text and a truth always encode.
	return base64.RawURLEncoding.EncodeToString(raw)
}

// listing is a list as its client asked for it.
type listing struct {
	cursor *cursor
	sort   string
	dir    types.AppliedDir
	limit  int
}

// newListing reads the parameters that every list has; the contract's defaults are applied already.
func newListing[S, D ~string](text *string, limit *int, sort *S, dir *D) (listing, error) {
	l := listing{sort: string(*sort), dir: types.AppliedDir(*dir), limit: *limit}
	if text == nil {
		return l, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(*text)
	if err == nil {
		err = json.Unmarshal(raw, &l.cursor)
	}
	if err != nil || l.cursor == nil {
		return l, invalid("query.cursor", "is none that this server gave out", "cursor")
	}
	return l, nil
}

// span is the part of the list that the client wants.
func (l listing) span() auth.Span {
	s := auth.Span{Ascending: l.dir == types.AppliedDirAsc, Limit: l.limit}
	if c := l.cursor; c != nil {
		s.Mark, s.Before = &auth.Mark{At: time.UnixMilli(c.At), ID: c.ID}, c.Before
	}
	return s
}

// page describes the position of rows in the list: more means that others follow in the direction of reading.
// mark is the position of a row.
func page[R any](l listing, rows []R, more bool, mark func(R) cursor) types.Page {
	p := types.Page{Limit: int64(l.limit)}
	if len(rows) == 0 {
		return p
	}
	backwards := l.cursor != nil && l.cursor.Before
	if more || backwards {
		next := mark(rows[len(rows)-1]).String()
		p.NextCursor = &next
	}
	if l.cursor != nil && !backwards || backwards && more {
		edge := mark(rows[0])
		edge.Before = true
		prev := edge.String()
		p.PrevCursor = &prev
	}
	return p
}

// applied describes how the query was understood.
func (l listing) applied(filters map[string]json.RawMessage) types.Applied {
	return types.Applied{Filters: filters, Sort: &l.sort, Dir: &l.dir, Limit: int64(l.limit)}
}

// filter adds a filter that is in force.
func filter(to map[string]json.RawMessage, name string, value any) {
	if raw, err := json.Marshal(value); err == nil {
		to[name] = raw
	}
}

// meta says when rows were read.
func (s *Server) meta() types.ListMeta {
	return types.ListMeta{GeneratedAt: time.Now().UnixMilli(), Epoch: s.epoch}
}

// within returns the wanted part of a complete list, whose rows are sorted as asked for.
func within[R any](l listing, all []R, mark func(R) cursor) (rows []R, more bool) {
	if c := l.cursor; c != nil {
		beyond := func(r R) bool {
			m := mark(r)
			later := m.At > c.At || m.At == c.At && m.ID > c.ID
			earlier := m.At < c.At || m.At == c.At && m.ID < c.ID
			if (l.dir == types.AppliedDirAsc) != c.Before {
				return later
			}
			return earlier
		}
		all = slices.DeleteFunc(slices.Clone(all), func(r R) bool { return !beyond(r) })
		if c.Before && len(all) > l.limit {
			return all[len(all)-l.limit:], true
		}
	}
	if len(all) > l.limit {
		return all[:l.limit], true
	}
	return all, false
}
