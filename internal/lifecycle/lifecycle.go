// Package lifecycle starts and stops the parts of a program in order.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
)

// Part is something that is started once and stopped once. Stop may be nil, and is called only after a
// Start that succeeded. Both return soon after ctx ends.
type Part struct {
	Name  string
	Start func(ctx context.Context) error
	Stop  func(ctx context.Context) error
}

// Group runs parts in order: it starts them first to last and stops them last to first.
type Group struct {
	parts   []Part
	started int
}

// Add appends a part.
func (g *Group) Add(p Part) { g.parts = append(g.parts, p) }

// Start starts the parts. When one fails, those already started are stopped and its error is returned.
func (g *Group) Start(ctx context.Context) error {
	for g.started < len(g.parts) {
		p := g.parts[g.started]
		if p.Start != nil {
			if err := p.Start(ctx); err != nil {
				// What was started must end even when the reason is that ctx ended.
				_ = g.Stop(context.WithoutCancel(ctx))
				return err
			}
		}
		g.started++
	}
	return nil
}

// Stop stops what was started, last first, and goes on past failures. It may be called again.
func (g *Group) Stop(ctx context.Context) error {
	var errs []error
	for g.started > 0 {
		g.started--
		p := g.parts[g.started]
		if p.Stop == nil {
			continue
		}
		if err := p.Stop(ctx); err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", p.Name, err))
		}
	}
	return errors.Join(errs...)
}
