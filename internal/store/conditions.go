package store

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// conditions are what rows have to meet, with the values for their marks.
type conditions struct {
	list []string
	args []any
}

func (c *conditions) and(condition string, args ...any) {
	c.list = append(c.list, condition)
	c.args = append(c.args, args...)
}

func (c *conditions) add(more conditions) {
	c.list = append(c.list, more.list...)
	c.args = append(c.args, more.args...)
}

// between asks for an id of a time: at or after from, and before to.
func (c *conditions) between(from, to *time.Time) {
	if from != nil {
		c.and("id >= ?", firstID(*from))
	}
	if to != nil {
		c.and("id < ?", firstID(*to))
	}
}

// times asks for a time of a column: at or after from, and before to.
func (c *conditions) times(column string, from, to *time.Time) {
	if from != nil {
		c.and(column+" >= ?", from.UnixMilli())
	}
	if to != nil {
		c.and(column+" < ?", to.UnixMilli())
	}
}

// clone can grow without a change of the original.
func (c conditions) clone() conditions {
	return conditions{slices.Clone(c.list), slices.Clone(c.args)}
}

func (c conditions) where() string {
	if len(c.list) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.list, " AND ")
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

func limitOf(n int) string { return " LIMIT " + strconv.Itoa(n) }

func offsetOf(n int) string { return " OFFSET " + strconv.Itoa(n) }
