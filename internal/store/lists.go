package store

import (
	"time"

	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/store/listing"
)

// Mark is where a row stands in a list.
type Mark = listing.Mark

// Span is the part of a list that is wanted.
type Span = listing.Span

// Page is a page of rows.
type Page[R any] = listing.Page[R]

// idsWithin asks for ids of a time: at or after from, and before to. nil bounds nothing.
func idsWithin(from, to *time.Time) (c listing.Conditions) {
	if from != nil {
		c.And("id >= ?", record.FirstID(*from))
	}
	if to != nil {
		c.And("id < ?", record.FirstID(*to))
	}
	return c
}

// timesWithin asks for times in a column: at or after from, and before to. nil bounds nothing.
func timesWithin(column string, from, to *time.Time) (c listing.Conditions) {
	if from != nil {
		c.And(column+" >= ?", from.UnixMilli())
	}
	if to != nil {
		c.And(column+" < ?", to.UnixMilli())
	}
	return c
}
