// Package toolset runs tool calls: the path that every call takes, and the handlers of each pack.
package toolset

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/record"
	"github.com/browserhive/browserhive/internal/secret"
	"github.com/browserhive/browserhive/internal/session"
)

// Options are what the tools work with.
type Options struct {
	Sessions *session.Registry
	// Dir holds the files of sessions.
	Dir *datadir.Dir
	// AllowEvaluate is the server's setting.
	AllowEvaluate bool
	Transport     types.Transport
	Version       string
	Started       time.Time
	// Settings are configuration values, by key, that descriptors follow or print.
	Settings map[string]any
	Log      *slog.Logger
	// Recorder keeps what became of each call.
	Recorder *record.Recorder
	// Frames keeps what the page showed with each call.
	Frames bool
	// Secrets remembers the secrets in arguments, and removes those of other principals from answers.
	Secrets *secret.Redactor
	// OnBreach, when set, is told of an answer that the contract does not allow. Tests fail on it.
	OnBreach func(tool, fault string)
}

// Toolset is the tools of a server.
type Toolset struct {
	opts  Options
	list  []*contract.Tool
	bound map[string]*bound
}

// bound is a tool together with what runs and checks it.
type bound struct {
	tool     *contract.Tool // as advertised
	in, out  *contract.Validator
	defaults map[string]any // of arguments that follow the configuration, decoded as arguments are
	errors   map[contract.Code]bool
	run      tools.Run[*session.Session, *browser.Page]
}

// New compiles the catalogue and binds the handlers.
func New(o Options) (*Toolset, error) {
	t := &Toolset{opts: o, bound: map[string]*bound{}}
	runs := tools.Bind[*session.Session, *browser.Page](&handlers{Options: o})
	for _, d := range tools.Catalogue {
		b, err := bind(d, o.Settings)
		if err != nil {
			return nil, err
		}
		b.run = runs[d.Name]
		if b.run == nil && !d.Planned {
			return nil, fmt.Errorf("tool %s has no handler", d.Name)
		}
		t.bound[d.Name] = b
		t.list = append(t.list, b.tool)
	}
	return t, nil
}

// List returns the descriptors in the order of the contract, as this server's configuration makes them.
func (t *Toolset) List() []*contract.Tool { return t.list }

// bind makes a tool follow the configuration and compiles its schemas, so that what is advertised is
// what is checked.
func bind(d *contract.Tool, settings map[string]any) (*bound, error) {
	b := &bound{defaults: map[string]any{}, errors: map[contract.Code]bool{}}
	tool := *d
	for key, v := range settings {
		tool.Description = strings.ReplaceAll(tool.Description, "{config:"+key+"}", fmt.Sprint(v))
	}
	for arg, key := range d.Follows {
		raw, err := json.Marshal(settings[key])
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", d.Name, err)
		}
		if settings[key] == nil {
			continue
		}
		if b.defaults[arg], err = contract.UnmarshalValue(raw); err != nil {
			return nil, fmt.Errorf("tool %s: %w", d.Name, err)
		}
		if tool.Input, err = contract.SetDefault(tool.Input, arg, raw); err != nil {
			return nil, fmt.Errorf("tool %s: %w", d.Name, err)
		}
	}
	var err error
	if b.in, err = contract.Compile(d.Name+".input", tool.Input); err != nil {
		return nil, err
	}
	if b.out, err = contract.Compile(d.Name+".output", tool.Output); err != nil {
		return nil, err
	}
	for _, c := range d.Errors {
		b.errors[c] = true
	}
	if d.Planned {
		b.errors[errcode.CodeToolNotAvailable] = true
	}
	b.tool = &tool
	return b, nil
}

// check validates arguments, and puts the defaults that the configuration decides where the caller gave
// nothing. A single fault in an argument whose constraint names a code is answered with that code.
func (b *bound) check(given contract.Arguments) (contract.Arguments, *contract.Error) {
	args, issues := b.in.Arguments(given)
	if len(issues) == 0 {
		return args.WithDefaults(b.defaults), nil
	}
	if len(issues) == 1 {
		name := issues[0].Path
		if answer := b.tool.ConstraintErrors[name]; answer != nil && given.IsString(name) {
			return given, answer(clip(given.String(name)))
		}
	}
	return given, invalidArguments(issues...)
}

func invalidArguments(issues ...contract.Issue) *contract.Error {
	var items []errcode.InvalidArgumentsIssuesItem
	for _, i := range issues {
		items = append(items, errcode.InvalidArgumentsIssuesItem{Path: i.Path, Message: i.Message})
	}
	return errcode.InvalidArguments{Issues: items}.Err()
}

// breach describes how an answer differs from what the tool declares, or is "".
func (b *bound) breach(o Answer) string {
	if o.Err != nil {
		if !b.errors[o.Err.Code] {
			return "answers " + string(o.Err.Code) + ", which it does not declare"
		}
		return ""
	}
	_, issues := b.out.Check(b.tool.Structured(o.Result))
	if len(issues) > 0 {
		return "result " + issues[0].String()
	}
	return ""
}

// handlers implements the interfaces that the contract generates, one file per pack.
type handlers struct {
	Options
	texts texts
}

var _ tools.Handlers[*session.Session, *browser.Page] = (*handlers)(nil)
