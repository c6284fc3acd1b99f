package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/internal/browser/install"
)

// Evaluate runs a script in the page's main world and returns its result as JSON. A script that is a
// function is called, a promise awaited. undefined is null; what JSON does not know becomes the
// nearest thing: BigInt, NaN, RegExp and elements become strings, Date its ISO form, Map a list of
// pairs, Set a list, and a cycle "[Circular]". Errors: SCRIPT_ERROR with the first line of the page's
// message, also when the page navigates away first or the result exceeds 16 MiB.
func (p *Page) Evaluate(ctx context.Context, expression string) (json.RawMessage, error) {
	answer, err := act(ctx, p, callLimit, func(*float64) (string, error) {
		answer, err := p.pw.Evaluate(install.EvaluateName, expression)
		text, _ := answer.(string)
		return text, err
	})
	switch {
	case err == nil:
	case coded(err):
		if ctx.Err() != nil {
			go p.unblock(ctx) // Ends by itself within two seconds.
		}
		return nil, err
	case contextLost(err):
		return nil, scriptError("the page navigated away before the script was done", err)
	case errors.Is(err, errUnanswered), errors.Is(err, playwright.ErrTimeout):
		return nil, callTimeout(callLimit).Because(brief(err))
	default:
		// The script itself cannot fail this way, so a page has broken what it stands on.
		message, _ := driverMessage(err)
		return nil, scriptError(message, err)
	}
	if answer == "" {
		return nil, errors.New("the script in the page returned nothing")
	}
	kind, text := answer[0], answer[1:]
	if kind == 'e' {
		return nil, scriptError(text, nil)
	}
	if !json.Valid([]byte(text)) { // A page may have replaced JSON.stringify.
		encoded, err := json.Marshal(text)
		if err != nil {
			return nil, fmt.Errorf("encoding the result: %w", err)
		}
		return encoded, nil
	}
	return json.RawMessage(text), nil
}

// stuckTimeout is how long a page may take to answer that it is idle. It answers within milliseconds
// unless a script keeps it.
const stuckTimeout = time.Second

// unblock stops a script that keeps the page to itself, such as an endless loop, so that the tab stays
// usable. A page that answers is left alone: stopping a script that only waits would hit whatever runs
// next. So is one that a dialog keeps. It takes a millisecond mostly, and at most three times stuckTimeout.
func (p *Page) unblock(ctx context.Context) {
	if p.control.Load() != nil && !p.responds(ctx) && p.heldBy(ctx) == nil {
		_ = p.command(ctx, "Runtime.terminateExecution", nil)
	}
}

// responds reports whether the page answers that it is idle, within stuckTimeout.
func (p *Page) responds(ctx context.Context) bool {
	return !errors.Is(p.command(ctx, "Runtime.evaluate", map[string]any{"expression": "0"}), errUnanswered)
}

// command sends a command of the protocol past the queue of the page's calls, and waits for its end at
// most stuckTimeout, also when ctx has ended. It returns errUnanswered when the page does not take it.
func (p *Page) command(ctx context.Context, method string, params map[string]any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stuckTimeout)
	defer cancel()
	_, err := await(ctx, p.b, nil, stuckTimeout, func(*float64) (any, error) {
		select {
		case <-p.controlled:
		case <-ctx.Done():
			return nil, playwright.ErrTimeout
		}
		session := p.control.Load()
		if session == nil {
			return nil, nil //nolint:nilnil // Such a page cannot be asked; the call itself will tell.
		}
		return (*session).Send(method, params)
	})
	if errors.Is(err, playwright.ErrTimeout) {
		return errUnanswered
	}
	return err
}
