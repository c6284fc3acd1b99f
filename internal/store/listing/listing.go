// Package listing plans lists of rows and reads them: pages in the order of an index, with the number of all
// rows and of those behind each facet. It knows no table; the store describes each as a Query.
//
// A list has to answer within milliseconds, however long it grows and whatever is filtered. So each page is
// read from an index that has the rows in the order of the list, from a mark on and never from an offset; the
// index is named, so that the plan does not depend on statistics; and where an index leads to more rows than
// what is asked for, a page looks at a bounded number of them.
//
// The failed calls of two sessions, newest first, are an example. Each session is one range of the index of
// sessions and ids, and the two are merged. The first statement finds where the look at a session ends, the
// second reads the page up to there:
//
//	SELECT id, NULL FROM calls INDEXED BY calls_session_id
//	WHERE session_id = ? AND id < ?
//	ORDER BY id DESC LIMIT 2 OFFSET 2499
//
//	SELECT id, NULL, id, tool FROM calls INDEXED BY calls_session_id
//	WHERE session_id = ? AND id < ? AND id >= ? AND ok = 0
//	ORDER BY id DESC LIMIT 51
//
// Without a filter that an index answers, the rows come from the index of the list's own order. Total and
// facets come from two more: whether there are too many rows to count, and if not, how many there are of each
// combination of the facets' values:
//
//	SELECT 1 FROM calls INDEXED BY calls_session_id
//	WHERE session_id = ? LIMIT 1 OFFSET 2500
//
//	SELECT count(*) AS n, json_array(tool) AS key FROM calls INDEXED BY calls_session_id
//	WHERE session_id = ? AND ok = 0
//	GROUP BY key HAVING n > 0
package listing

import "github.com/browserhive/browserhive/gen/types"

// The bounds of what one page may cost.
const (
	// MaxScan is how many rows a page looks at where an index leads to more than what is asked for, as with
	// a part of a text, and how many are counted one by one for a total and its facets. Where they lie apart,
	// a row takes some 4 µs. A page that finds less in them ends there; what is more has no total.
	MaxScan = 5_000
	// maxCoveringScan is the same where the index itself holds what is looked at, at some 1 µs a row.
	maxCoveringScan = 15_000
	// MaxFacetValues is how many values of a facet are told: more than anybody reads.
	MaxFacetValues = 100
	// MaxScans is how many values of a filter are looked up each by itself. More are compared row by row.
	MaxScans = 16
)

// Mark is where a row stands in a list. A row that comes later or goes does not move it.
type Mark struct {
	// Key is the value of the column that the list is sorted by: an int64, a string, or nil where the row has
	// none and where the id alone sorts.
	Key any
	ID  string
}

// Span is the part of a list that is wanted.
type Span struct {
	// Mark is the row beyond which it lies; nil for the start.
	Mark *Mark
	// Before wants the rows before the mark instead of those after it.
	Before bool
	// Ascending puts the smallest first.
	Ascending bool
	// Limit is how many rows a page has at most.
	Limit int
	// Count asks for total and facets.
	Count bool
}

// up reports whether the rows are read from the smallest on: what lies before a mark is read from the mark.
func (s Span) up() bool { return s.Ascending != s.Before }

// Page is a page of rows.
type Page[R any] struct {
	Rows []R
	// First and Last are its ends, from which the pages before and after it are asked for; nil when it is
	// empty. A page that ends early, because it looked at MaxScan rows, ends at the last that it looked at:
	// it may be short or empty while More is true.
	First, Last *Mark
	// More says that others may follow on the side that the page was read towards.
	More bool
	// Total is how many rows match in all; nil when they are too many to count, or nobody asked.
	Total *int64
	// Facets count the matching rows by the values of a column, each without regard to its own filter, the
	// most frequent first; nil when they are too many to count, or nobody asked.
	Facets map[string][]types.FacetValue
}
