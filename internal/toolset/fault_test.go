package toolset

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/session"
)

// A handler that panics, and one whose error has no code, answer INTERNAL_ERROR with a reference. The
// cause stays inside.
func TestFaultsOfOurs(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for fault, run := range map[string]tools.Run[*session.Session]{
		"panic": func(context.Context, *session.Session, json.RawMessage) (contract.Result, error) { panic(secret) },
		"error": func(context.Context, *session.Session, json.RawMessage) (contract.Result, error) {
			return contract.Result{}, errors.New(secret)
		},
	} {
		set, err := New(Options{Log: slog.New(slog.DiscardHandler), OnBreach: func(tool, what string) { t.Errorf("%s: %s", tool, what) }})
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools.Catalogue {
			if tool.Planned {
				continue
			}
			b := set.bound[tool.Name]
			b.run = run
			st := &state{call: Call{Tool: tool.Name}, bound: b, out: Outcome{Call: Call{Tool: tool.Name}}}
			st.out.Err = set.recover(t.Context(), st, func(ctx context.Context) {
				st.out.Err = set.run(ctx, st, nil)
			})
			set.observe(st)
			got := st.out.Err
			if got == nil || got.Code != errcode.CodeInternalError || strings.Contains(got.Error(), secret) || !strings.Contains(got.Unwrap().Error(), secret) {
				t.Errorf("%s: a handler's %s answers %v", tool.Name, fault, got)
			}
		}
	}
}
