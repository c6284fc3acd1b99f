package model

import (
	"fmt"
	"slices"
	"strings"
)

// Pos is where a value stands in a contract file.
type Pos struct {
	File   string // relative to the repository
	Line   int
	Column int
}

// String gives file:line:column, the form editors follow.
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Fault is one thing that is wrong with the contract.
type Fault struct {
	Pos Pos
	Msg string
}

func (f Fault) String() string { return f.Pos.String() + ": " + f.Msg }

// SortFaults orders faults by place and text and drops repetitions, so that a run always says the same.
func SortFaults(faults []Fault) []Fault {
	slices.SortFunc(faults, func(a, b Fault) int {
		if c := strings.Compare(a.Pos.File, b.Pos.File); c != 0 {
			return c
		}
		if c := a.Pos.Line - b.Pos.Line; c != 0 {
			return c
		}
		if c := a.Pos.Column - b.Pos.Column; c != 0 {
			return c
		}
		return strings.Compare(a.Msg, b.Msg)
	})
	return slices.Compact(faults)
}
