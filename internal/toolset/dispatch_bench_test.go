package toolset

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/secret"
	"github.com/browserhive/browserhive/internal/session"
)

// nowhere takes records of calls and keeps none.
type nowhere struct{ record.Store }

func (nowhere) AddCall(record.Call) {}

// BenchmarkCall measures the path of a call without a browser: everything but what the session, its page and
// the handler do.
func BenchmarkCall(b *testing.B) {
	for _, c := range []struct {
		tool, args string
		run        handler
	}{
		{"click", `{"session_id":"shop-1a2b3c4d","selector":"[ref=e12]","button":"left","timeout":5000}`, echo(tools.NewClickArgs, func(a tools.ClickArgs) any {
			return tools.ClickResult{SessionID: a.SessionID, Selector: a.Selector, Ok: true}
		})},
		{"fill", `{"session_id":"shop-1a2b3c4d","selector":"#password","value":"correct horse battery staple"}`, echo(tools.NewFillArgs, func(a tools.FillArgs) any {
			return tools.FillResult{SessionID: a.SessionID, Selector: a.Selector, Ok: true}
		})},
		{"set_cookies", `{"session_id":"shop-1a2b3c4d","cookies":[{"name":"sid","value":"0123456789abcdef","domain":"shop.example","path":"/","expires":1893456000,"httpOnly":true,"secure":true,"sameSite":"Lax"},{"name":"theme","value":"dark-mode-please","url":"https://shop.example/"}]}`, echo(tools.NewSetCookiesArgs, func(a tools.SetCookiesArgs) any {
			return tools.SetCookiesResult{Added: int64(len(a.Cookies))}
		})},
	} {
		b.Run(c.tool, func(b *testing.B) {
			secrets := &secret.Redactor{}
			recorder := record.New(record.Options{Results: "shape", Secrets: secrets}, nowhere{})
			set, err := New(Options{Log: slog.New(slog.DiscardHandler), Recorder: recorder, Secrets: secrets})
			if err != nil {
				b.Fatal(err)
			}
			alone(b, set, c.tool, c.run)
			b.ReportAllocs()
			for b.Loop() {
				if a := set.Call(b.Context(), Call{Tool: c.tool, Args: json.RawMessage(c.args), Principal: auth.Anyone}); a.Err != nil {
					b.Fatal(a.Err)
				}
			}
			b.StopTimer()
			if err := recorder.Stop(b.Context()); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// echo is a handler that takes its typed arguments and answers at once.
func echo[A any](defaults func() A, answer func(A) any) handler {
	return func(_ context.Context, _ *session.Session, _ *browser.Page, given contract.Arguments) (contract.Result, error) {
		a := defaults()
		if err := given.Decode(&a); err != nil {
			return contract.Result{}, err
		}
		return contract.Result{Value: answer(a)}, nil
	}
}
