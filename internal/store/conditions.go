package store

import (
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

// in asks for one of the values; none asks for nothing.
func (c *conditions) in(column string, values []string) {
	if len(values) > 0 {
		c.and(column+" IN ("+marks(len(values))+")", anys(values)...)
	}
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

func (c *conditions) where() string {
	if len(c.list) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.list, " AND ")
}

// with is where with one condition more, whose value comes last.
func (c *conditions) with(condition string) string {
	return " WHERE " + strings.Join(append(append([]string{}, c.list...), condition), " AND ")
}

func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

func limitOf(n int) string { return " LIMIT " + strconv.Itoa(n) }

func anys(values []string) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}
