package toolset

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/secret"
	"github.com/browserhive/browserhive/internal/session"
)

// mostSecrets bounds how many sensitive values of one call are learned: storage states hold thousands of
// values, which no other text repeats, and would push out what the session learned before.
const mostSecrets = 64

// within are the values of an argument that is sensitive as a whole: names of cookies and hosts, which it
// holds too, stand everywhere.
var within = map[string][]string{
	"context_options/storageState": {"context_options/storageState/cookies/*/value", "context_options/storageState/origins/*/localStorage/*/value"},
}

type keepKey struct{}

// keepOf is where the secrets of the call in a context are kept.
func keepOf(ctx context.Context) *secret.Keep {
	k, _ := ctx.Value(keepKey{}).(*secret.Keep)
	return k
}

// remember makes the secrets in the arguments of a call known: until its session has ended, or, of a call
// that makes a session or needs none, until it is recorded, unless the session takes them over.
func (t *Toolset) remember(st *state) {
	if st.session != nil {
		st.secrets, st.forget = st.session.Secrets(), st.session.Secrets().Hold()
	} else {
		st.secrets, st.forget = t.opts.Secrets.Keep(st.call.Principal.Name)
	}
	var paths []string
	for _, p := range st.bound.tool.SensitiveArgs {
		if parts := within[p]; parts != nil {
			paths = append(paths, parts...)
			continue
		}
		paths = append(paths, p)
	}
	st.learn(st.args, paths)
	if named := secret.InAddresses(string(st.args)); len(named) > 0 {
		st.secrets.Add(named...)
	}
}

// learn adds the values at the paths to the secrets of the call.
func (st *state) learn(raw json.RawMessage, paths []string) {
	found := contract.Strings(raw, paths)
	st.secrets.Add(found[:min(len(found), mostSecrets)]...)
}

// learnCookies makes the cookies of a session known to a call that may show some, because their values are
// never kept. That they cannot be read is for the call itself to find out.
func learnCookies(ctx context.Context, s *session.Session) {
	cookies, err := s.Browser().Cookies(ctx, nil)
	if err != nil {
		return
	}
	for _, c := range cookies[:min(len(cookies), mostSecrets)] {
		keepOf(ctx).Add(c.Value)
	}
}

// answer takes out of what the caller is told the secrets of others.
func (t *Toolset) answer(st *state) {
	o, caller := &st.out, st.call.Principal.Name
	o.Result = t.opts.Secrets.ScrubJSONFor(caller, o.Result)
	if e := o.Err; e != nil {
		message, details := t.opts.Secrets.ScrubFor(caller, e.Message), t.opts.Secrets.ScrubJSONFor(caller, e.Details)
		if message != e.Message || string(details) != string(e.Details) {
			o.Err = (&contract.Error{Code: e.Code, Message: message, Details: details}).Because(e.Unwrap())
		}
	}
}

// kept are arguments and result of a call as they may be kept. What was typed stays when the field shows it.
// Arguments that are not what the contract says may have a secret anywhere: of those the names stay.
func (st *state) kept() (args, result json.RawMessage) {
	args, result = st.out.SafeArgs, st.out.Result
	if st.bound == nil {
		return args, result
	}
	name := st.bound.tool.TypedArg
	takesSecrets := name != "" || len(st.bound.tool.SensitiveArgs) > 0
	if code := contract.CodeOf(st.failure()); takesSecrets && (code == errcode.CodeInvalidArguments || code == errcode.CodeUnsafeLaunchArg) {
		return namesOf(args), result
	}
	if name == "" || st.shown() {
		return args, result
	}
	return hide(args, name), hide(result, name)
}

func (st *state) failure() error {
	if st.out.Err == nil {
		return nil
	}
	return st.out.Err
}

// hide replaces a member of an object that has it.
func hide(object json.RawMessage, name string) json.RawMessage {
	return contract.Redact(object, []string{name})
}

// plainArgs are arguments that name what a call is about, whatever else is wrong with it.
var plainArgs = map[string]bool{"session_id": true, "tab_id": true, "slug": true}

// namesOf replaces the values of an object, but for those that name what a call is about; what is no object is
// replaced whole.
func namesOf(object json.RawMessage) json.RawMessage {
	hidden := json.RawMessage(strconv.Quote(contract.Redacted))
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return hidden
	}
	for name := range members {
		if !plainArgs[name] {
			members[name] = hidden
		}
	}
	raw, err := contract.Encode(members)
	if err != nil {
		return hidden
	}
	return raw
}
