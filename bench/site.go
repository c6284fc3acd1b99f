package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
)

// site serves / and /nodes/N, a page of N elements.
func site() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { serve(w, list(pageNodes)) })
	mux.HandleFunc("/nodes/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.PathValue("n"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		serve(w, list(n))
	})
	return httptest.NewServer(mux)
}

func serve(w http.ResponseWriter, page string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, page)
}

// pageNodes makes a static page of the size of a search result or a list in a shop.
const pageNodes = 300

// list is a page of so many elements, at least 7: a heading, a button, and items of three elements each.
func list(nodes int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><title>List</title><body><h1>List</h1><button id="go">Go</button><ul>`)
	for i := range (nodes - 7) / 3 { // html, head, title, body, h1, button, ul
		fmt.Fprintf(&b, `<li><a href="#%d">Item %d</a> <span>costs %d</span>`, i, i, i*7)
	}
	b.WriteString(`</ul></html>`)
	return b.String()
}
