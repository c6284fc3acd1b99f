package toolset

import (
	"context"
	"encoding/json"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/secret"
	"github.com/browserhive/browserhive/internal/session"
)

// maxSecrets bounds how many sensitive values of one call are remembered: a storage state holds thousands, which
// appear nowhere else, and they would displace what the session remembered before.
const maxSecrets = 64

// within are the secret values in an argument that is sensitive as a whole. The rest of it, such as the names of
// cookies and hosts, appears everywhere and must not be taken for a secret.
var within = map[string][]string{
	"context_options/storageState": {"context_options/storageState/cookies/*/value", "context_options/storageState/origins/*/localStorage/*/value"},
}

type keepKey struct{}

// keepOf returns the secrets of the call that a context belongs to.
func keepOf(ctx context.Context) *secret.Keep {
	k, _ := ctx.Value(keepKey{}).(*secret.Keep)
	return k
}

// remember makes the secrets in the arguments of a call known until its session has ended. A call without a
// session keeps them until it is recorded; launch_session hands them to the session that it opens.
func (t *Toolset) remember(c *call) {
	if c.session != nil {
		c.secrets, c.forget = c.session.Secrets(), c.session.Secrets().Hold()
	} else {
		c.secrets, c.forget = t.opts.Secrets.Keep(c.Principal.Name)
	}
	var paths []string
	for _, p := range c.bound.tool.SensitiveArgs {
		if parts := within[p]; parts != nil {
			paths = append(paths, parts...)
			continue
		}
		paths = append(paths, p)
	}
	c.learn(c.args.Strings(paths))
	c.secrets.Add(secret.InAddresses(string(c.args.Raw()))...)
}

// learn adds to the secrets of the call.
func (c *call) learn(found []string) { c.secrets.Add(found[:min(len(found), maxSecrets)]...) }

// learnCookies makes the cookies of a session known as secrets, for a call whose result may show some: their
// values are never recorded. It ignores errors, which the call will meet itself.
func learnCookies(ctx context.Context, s *session.Session) {
	cookies, err := s.Browser().Cookies(ctx, nil)
	if err != nil {
		return
	}
	for _, c := range cookies[:min(len(cookies), maxSecrets)] {
		keepOf(ctx).Add(c.Value)
	}
}

// scrub takes the secrets of others out of what the caller is told.
func (t *Toolset) scrub(ctx context.Context, c *call, rest next) *contract.Error {
	err := rest(ctx)
	caller := c.Principal.Name
	c.answer.Result = t.opts.Secrets.ScrubJSONFor(caller, c.answer.Result)
	if err == nil {
		return nil
	}
	message, details := t.opts.Secrets.ScrubFor(caller, err.Message), t.opts.Secrets.ScrubJSONFor(caller, err.Details)
	if message == err.Message && string(details) == string(err.Details) {
		return err
	}
	return (&contract.Error{Code: err.Code, Message: message, Details: details}).Because(err.Unwrap())
}

// subjectArgs are arguments that name what a call is about, whatever else is wrong with it.
var subjectArgs = map[string]bool{"session_id": true, "tab_id": true, "slug": true}

// kept are the arguments and the result of the call as they may be recorded. Typed text stays if the field shows
// it. Arguments that are not valid may have a secret anywhere, so only their names stay.
func (c *call) kept() (args, result json.RawMessage) {
	if c.bound == nil {
		return nil, c.answer.Result
	}
	tool := c.bound.tool
	takesSecrets := tool.TypedArg != "" || len(tool.SensitiveArgs) > 0
	if e := c.answer.Err; e != nil && takesSecrets && (e.Code == errcode.CodeInvalidArguments || e.Code == errcode.CodeUnsafeLaunchArg) {
		return c.args.Only(subjectArgs), c.answer.Result
	}
	if tool.TypedArg == "" || c.shown() {
		return c.args.Redacted(tool.SensitiveArgs), c.answer.Result
	}
	typed := []string{tool.TypedArg}
	return c.args.Redacted(append(typed, tool.SensitiveArgs...)), contract.Redact(c.answer.Result, typed)
}
