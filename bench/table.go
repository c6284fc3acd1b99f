package main

import (
	"fmt"
	"strings"
)

// table is printed as Markdown, so that it goes into the page as it is.
type table struct {
	title string
	head  []string
	rows  [][]string
}

// add adds a row; values are printed as fmt prints them.
func (t *table) add(cells ...any) {
	var row []string
	for _, c := range cells {
		row = append(row, fmt.Sprint(c))
	}
	t.rows = append(t.rows, row)
}

func (t *table) print() {
	fmt.Printf("\n%s\n\n| %s |\n|%s\n", t.title, strings.Join(t.head, " | "), "---|"+strings.Repeat("---:|", len(t.head)-1))
	for _, r := range t.rows {
		fmt.Printf("| %s |\n", strings.Join(r, " | "))
	}
}
