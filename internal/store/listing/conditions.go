package listing

import (
	"slices"
	"strconv"
	"strings"
)

// Conditions are what rows have to meet, all of them, with the values of their placeholders.
type Conditions struct {
	list []string
	args []any
}

// Where returns conditions that consist of one.
func Where(condition string, args ...any) Conditions {
	return Conditions{[]string{condition}, args}
}

// And adds a condition.
func (c *Conditions) And(condition string, args ...any) {
	c.list = append(c.list, condition)
	c.args = append(c.args, args...)
}

// Add adds conditions.
func (c *Conditions) Add(more Conditions) {
	c.list = append(c.list, more.list...)
	c.args = append(c.args, more.args...)
}

// Not excludes the rows that meet all of some conditions.
func (c *Conditions) Not(excluded Conditions) {
	c.And("NOT ("+strings.Join(excluded.list, " AND ")+")", excluded.args...)
}

// Or excludes the rows that meet none of some alternatives.
func (c *Conditions) Or(alternatives ...Conditions) {
	var list []string
	var args []any
	for _, one := range alternatives {
		list = append(list, strings.Join(one.list, " AND "))
		args = append(args, one.args...)
	}
	c.And("("+strings.Join(list, " OR ")+")", args...)
}

// SQL returns the WHERE clause with a space before it, "" without conditions, and the values of its
// placeholders.
func (c Conditions) SQL() (where string, args []any) {
	if len(c.list) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(c.list, " AND "), c.args
}

func (c Conditions) empty() bool { return len(c.list) == 0 }

// and returns the conditions of all parts, and leaves the parts as they are.
func and(parts ...Conditions) (all Conditions) {
	for _, c := range parts {
		all.Add(c)
	}
	return all
}

// clone can grow without a change of the original.
func (c Conditions) clone() Conditions {
	return Conditions{slices.Clone(c.list), slices.Clone(c.args)}
}

// Contains returns the condition that a text is a part of one of the columns. Upper and lower case of the
// English letters are the same.
func Contains(text string, columns ...string) Conditions {
	pattern := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%"
	var alternatives []Conditions
	for _, column := range columns {
		alternatives = append(alternatives, Where(column+` LIKE ? ESCAPE '\'`, pattern))
	}
	var c Conditions
	c.Or(alternatives...)
	return c
}

// In returns the condition that a column has one of the values. Without values no row meets it.
func In(column string, values []any) Conditions {
	return Where(column+" IN ("+placeholders(len(values))+")", values...)
}

// Values are the values of a filter.
func Values[T ~string](list []T) []any {
	all := make([]any, len(list))
	for i, v := range list {
		all[i] = string(v)
	}
	return all
}

func placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

func limit(n int) string { return " LIMIT " + strconv.Itoa(n) }

func offset(n int) string { return " OFFSET " + strconv.Itoa(n) }
