package lifecycle_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/browserhive/browserhive/internal/lifecycle"
)

func TestGroup(t *testing.T) {
	t.Parallel()
	var events []string
	part := func(name string, start, stop error) lifecycle.Part {
		return lifecycle.Part{
			Name:  name,
			Start: func(context.Context) error { events = append(events, "+"+name); return start },
			Stop:  func(context.Context) error { events = append(events, "-"+name); return stop },
		}
	}
	bad := errors.New("bad")
	t.Run("stops in reverse, once, past failures", func(t *testing.T) {
		events = nil
		var g lifecycle.Group
		g.Add(part("a", nil, nil))
		g.Add(part("b", nil, bad))
		if err := g.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := g.Stop(t.Context()); !errors.Is(err, bad) {
			t.Errorf("the failure is lost: %v", err)
		}
		if err := g.Stop(t.Context()); err != nil {
			t.Errorf("a second stop: %v", err)
		}
		if !slices.Equal(events, []string{"+a", "+b", "-b", "-a"}) {
			t.Error(events)
		}
	})
	t.Run("undoes a start that fails", func(t *testing.T) {
		events = nil
		var g lifecycle.Group
		g.Add(part("a", nil, nil))
		g.Add(part("b", bad, nil))
		g.Add(part("c", nil, nil))
		if err := g.Start(t.Context()); !errors.Is(err, bad) {
			t.Fatal(err)
		}
		if !slices.Equal(events, []string{"+a", "+b", "-a"}) {
			t.Error(events)
		}
	})
}
