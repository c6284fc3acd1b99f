package main

import (
	"context"
	"fmt"
	"time"

	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/store"
)

// listed is a list that a dashboard asks for.
type listed struct {
	name string
	read func(context.Context, *store.Store) error
}

// asked is a list of the store with a question.
func asked[Q, R any](name string, list func(*store.Store, context.Context, Q) (R, error), q Q) listed {
	return listed{name, func(ctx context.Context, s *store.Store) error {
		_, err := list(s, ctx, q)
		return err
	}}
}

// lists measures the pages that a dashboard asks for.
func (b *bench) lists(s *store.Store) error {
	t := &table{title: fmt.Sprintf("A page of 50 of %d calls, %d sessions, %d visits, ms.", recordedCalls, surroundings, 10*surroundings), head: []string{"Query", "Median (p10–p90)"}}
	for _, l := range recordedLists() {
		var times sample
		for range b.rounds {
			if err := times.took(func() error { return l.read(b.ctx, s) }); err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
		}
		t.add(l.name, times)
	}
	t.print()
	return nil
}

// recordedLists are the lists with their questions. All but those that say so ask for total and facets.
func recordedLists() []listed {
	failed := false
	from := time.Now().Add(-36*time.Hour - 17*time.Minute)
	to := from.Add(24 * time.Hour)
	page, rows := store.Span{Limit: 50, Count: true}, store.Span{Limit: 50}
	deep := store.Span{Limit: 50, Mark: &store.Mark{ID: record.IDAt(time.Now().Add(-5 * 24 * time.Hour))}}
	shown := []types.SessionListState{types.SessionListStateLive, types.SessionListStateClosed}
	return []listed{
		asked("calls", (*store.Store).ListCalls, store.CallQuery{Span: page}),
		asked("calls in detail, not counted", (*store.Store).ListCalls, store.CallQuery{Span: rows, Detail: true}),
		asked("calls, page 14,000, not counted", (*store.Store).ListCalls, store.CallQuery{Span: deep}),
		asked("calls of one tool", (*store.Store).ListCalls, store.CallQuery{Span: page, Tools: []string{"click"}}),
		asked("calls of three tools", (*store.Store).ListCalls, store.CallQuery{Span: page, Tools: []string{"click", "fill", "snapshot"}}),
		asked("failures of two codes", (*store.Store).ListCalls, store.CallQuery{Span: page, ErrorCodes: []string{"WAIT_TIMEOUT", "ELEMENT_NOT_FOUND"}}),
		asked("failures of one tool", (*store.Store).ListCalls, store.CallQuery{Span: page, OK: &failed, Tools: []string{"click"}}),
		asked("calls of one owner", (*store.Store).ListCalls, store.CallQuery{Span: page, Owners: []string{"agent-2"}}),
		asked("calls of an owner who never used the tool", (*store.Store).ListCalls, store.CallQuery{Span: page, Owners: []string{"nobody"}, Tools: []string{"click"}}),
		asked("calls of one session", (*store.Store).ListCalls, store.CallQuery{Span: page, SessionIDs: []string{"shop-00000250"}}),
		asked("calls in a window of 24 hours", (*store.Store).ListCalls, store.CallQuery{Span: page, From: &from, To: &to}),
		asked("part of a tool's name", (*store.Store).ListCalls, store.CallQuery{Span: page, Text: "naviga"}),
		asked("part of a code", (*store.Store).ListCalls, store.CallQuery{Span: page, Text: "not_found"}),
		asked("part of a message", (*store.Store).ListCalls, store.CallQuery{Span: page, Text: "item-97"}),
		asked("text that is nowhere in 15,000 failures", (*store.Store).ListCalls, store.CallQuery{Span: page, Text: "nowhere to be found"}),
		asked("sessions", (*store.Store).ListSessions, store.SessionQuery{Span: page, States: shown}),
		asked("sessions by failures", (*store.Store).ListSessions, store.SessionQuery{Span: page, States: shown, Sort: store.SortErrors}),
		asked("sessions by failures, not counted", (*store.Store).ListSessions, store.SessionQuery{Span: rows, States: shown, Sort: store.SortErrors}),
		asked("sessions that run, not counted", (*store.Store).ListSessions, store.SessionQuery{Span: rows, States: shown[:1]}),
		asked("sessions with a text that is nowhere", (*store.Store).ListSessions, store.SessionQuery{Span: page, States: shown, Text: "nowhere"}),
		asked("visits", (*store.Store).ListVisits, store.VisitQuery{Span: page}),
		asked("visits of one domain", (*store.Store).ListVisits, store.VisitQuery{Span: page, Domains: []string{"site7.example"}}),
		asked("text that is nowhere in 5,000 visits", (*store.Store).ListVisits, store.VisitQuery{Span: page, Text: "nowhere"}),
		asked("domains of 10,000 visits", (*store.Store).ListDomains, store.DomainQuery{Limit: 20}),
		asked("blocked requests", (*store.Store).ListBlocked, store.BlockedQuery{Span: page}),
		asked("blocked requests of one rule", (*store.Store).ListBlocked, store.BlockedQuery{Span: page, Patterns: []string{"*.ads7.example"}}),
		asked("timeline of a session", (*store.Store).Timeline, store.TimelineQuery{Span: page, SessionID: "shop-00000250"}),
	}
}
