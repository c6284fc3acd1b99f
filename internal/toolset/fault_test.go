package toolset

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/session"
)

type handler = tools.Run[*session.Session, *browser.Page]

// alone binds a tool to a handler and takes from it whatever needs a browser.
func alone(t testing.TB, set *Toolset, tool string, h handler) {
	t.Helper()
	b := set.bound[tool]
	b.run = h
	b.tool.UsesSession, b.tool.UsesPage, b.tool.ChangesTab = false, false, false
}

// A handler that panics, and one whose error has no code, answer INTERNAL_ERROR with a reference. The
// cause stays inside.
func TestFaultsOfOurs(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for fault, h := range map[string]handler{
		"panic": func(context.Context, *session.Session, *browser.Page, contract.Arguments) (contract.Result, error) {
			panic(secret)
		},
		"error": func(context.Context, *session.Session, *browser.Page, contract.Arguments) (contract.Result, error) {
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
			alone(t, set, tool.Name, h)
			c := &call{Call: Call{Tool: tool.Name}, args: contract.ParseArguments(nil), forget: func() {}, shown: func() bool { return false }}
			got := set.run(t.Context(), c, without("validate"))
			if got == nil || got.Code != errcode.CodeInternalError || strings.Contains(got.Error(), secret) || !strings.Contains(got.Unwrap().Error(), secret) {
				t.Errorf("%s: a handler's %s answers %v", tool.Name, fault, got)
			}
		}
	}
}

// without are the steps but one.
func without(name string) []step {
	return slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return s.name == name })
}

// A number that no handler can be given is the caller's fault, whatever the schema allows.
func TestNumbersThatNoTypeHolds(t *testing.T) {
	t.Parallel()
	set, err := New(Options{Log: slog.New(slog.DiscardHandler), OnBreach: func(tool, what string) { t.Errorf("%s: %s", tool, what) }})
	if err != nil {
		t.Fatal(err)
	}
	alone(t, set, "click", tools.Bind[*session.Session, *browser.Page](&handlers{})["click"])
	answer := set.Call(t.Context(), Call{
		Tool: "click", Args: json.RawMessage(`{"session_id":"shop-1","selector":"#a","timeout":99999999999999999999}`), Principal: auth.Anyone,
	})
	if answer.Err == nil || answer.Err.Code != errcode.CodeInvalidArguments || !strings.Contains(string(answer.Err.Details), "timeout") {
		t.Errorf("answers %v", answer.Err)
	}
}

// What a step answers by itself, every tool that it can stop declares. The deadline stops what waits for a
// page, or for as long as the caller says.
func TestToolsDeclareWhatStepsAnswer(t *testing.T) {
	t.Parallel()
	codes := map[string][]contract.Code{}
	for _, s := range steps {
		codes[s.name] = s.codes
	}
	constraints := []contract.Code{errcode.CodeInvalidArguments}
	for _, tool := range tools.Catalogue {
		if tool.Planned {
			continue
		}
		for _, answer := range tool.ConstraintErrors {
			constraints = append(constraints, answer("").Code)
		}
		for name, applies := range map[string]bool{
			"recover": true, "deadline": tool.UsesSession || tool.HasTimeout, "acquire": tool.UsesSession, "page": tool.UsesPage,
		} {
			for _, code := range codes[name] {
				if applies && !slices.Contains(tool.Errors, code) {
					t.Errorf("the step %s answers %s, which %s does not declare", name, code, tool.Name)
				}
			}
		}
	}
	have := slices.Clone(codes["validate"])
	slices.Sort(have)
	slices.Sort(constraints)
	if want := slices.Compact(constraints); !slices.Equal(have, want) {
		t.Errorf("the step validate names %v, the contract %v", have, want)
	}
}
