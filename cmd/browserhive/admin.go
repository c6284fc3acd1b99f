package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/browserhive/browserhive/gen/api"
	"github.com/browserhive/browserhive/gen/cli"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/server"
	"github.com/browserhive/browserhive/internal/settings"
	"github.com/browserhive/browserhive/internal/store"
)

func resetPassword(ctx context.Context, p *program, in *settings.Invocation) (int, error) {
	a, release, err := p.authority(ctx, in)
	if err != nil {
		return 0, err
	}
	defer release()
	password, file, err := a.ResetPassword(ctx)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(p.stdout, "User name: %s\nPassword:  %s\n", auth.Admin, password)
	fmt.Fprintf(p.stdout, "It also stands in %s until it is changed, which the next sign-in asks for.\n", file)
	return cli.ExitOk, nil
}

// authority opens who may call, with the data directory for itself, until release.
func (p *program) authority(ctx context.Context, in *settings.Invocation) (_ *auth.Authority, release func(), err error) {
	set, unlock, err := p.maintain(in)
	if err != nil {
		return nil, nil, err
	}
	dir := datadir.Dir{Root: set.Config.DataDir}
	s, err := store.Open(ctx, store.Options{Dir: dir.Root, BackupsKeep: set.Config.BackupsKeep, AppVersion: server.Version})
	if err != nil {
		unlock()
		return nil, nil, err
	}
	release = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		_ = s.Close(ctx) // What a command changes is on the disk before it says so.
		unlock()
	}
	a, _, err := auth.Open(ctx, auth.Options{Store: s, Seed: dir.SeedFile(), Tokens: set.Config.AuthTokens})
	if err != nil {
		release()
		return nil, nil, err
	}
	return a, release, nil
}

// closeTime bounds the end of a command that has nothing left to write.
const closeTime = 10 * time.Second

// issuer issues tokens: the database, or a running server.
type issuer interface {
	list(ctx context.Context) ([]types.APIToken, error)
	create(ctx context.Context, name string) (types.IssuedToken, error)
	revoke(ctx context.Context, id string) error
	close(ctx context.Context)
}

func (p *program) issuer(ctx context.Context, in *settings.Invocation) (issuer, error) {
	if url := in.Flags["url"]; url != "" {
		return p.remote(ctx, url, in.Flags["credential"])
	}
	a, release, err := p.authority(ctx, in)
	switch {
	case contract.CodeOf(err) == errcode.CodeDataDirLocked:
		return p.overSocket(ctx, in, err)
	case err != nil:
		return nil, err
	}
	return local{a, release}, nil
}

// local issues tokens in the database.
type local struct {
	authority *auth.Authority
	release   func()
}

// together is how many tokens are asked for at once.
const together = 200

func (l local) list(ctx context.Context) (out []types.APIToken, err error) {
	q := auth.CredentialQuery{Span: auth.Span{Ascending: true, Limit: together}}
	for {
		rows, more, err := l.authority.Tokens(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, c := range rows {
			out = append(out, c.Shown())
			q.Mark = &auth.Mark{At: c.CreatedAt, ID: c.ID}
		}
		if !more {
			return out, nil
		}
	}
}

func (l local) create(ctx context.Context, name string) (types.IssuedToken, error) {
	text, c, err := l.authority.CreateToken(ctx, auth.Actor{}, name, types.PrincipalKindAgent)
	if errors.Is(err, auth.ErrTaken) {
		return types.IssuedToken{}, fmt.Errorf("there is a token or a principal named %s already", name)
	}
	if err != nil {
		return types.IssuedToken{}, err
	}
	return types.IssuedToken{Token: text, Credential: c.Shown()}, nil
}

func (l local) revoke(ctx context.Context, id string) error {
	return l.authority.RevokeToken(ctx, auth.Actor{}, id)
}

func (l local) close(context.Context) { l.release() }

func tokensList(ctx context.Context, p *program, in *settings.Invocation) (int, error) {
	from, err := p.issuer(ctx, in)
	if err != nil {
		return 0, err
	}
	defer from.close(ctx)
	all, err := from.list(ctx)
	if err != nil {
		return 0, err
	}
	agents := []types.APIToken{}
	for _, t := range all {
		if t.Kind == types.PrincipalKindAgent {
			agents = append(agents, t)
		}
	}
	if in.Flags["json"] == "true" {
		return cli.ExitOk, p.printJSON(agents)
	}
	if len(agents) == 0 {
		fmt.Fprintln(p.stdout, "There are no agent tokens.")
		return cli.ExitOk, nil
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tPREFIX\tCREATED\tLAST USED")
	for _, t := range agents {
		used := "never"
		if t.LastUsedAt != nil {
			used = time.UnixMilli(*t.LastUsedAt).UTC().Format(clock)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", t.Name, t.Prefix, time.UnixMilli(t.CreatedAt).UTC().Format(clock), used)
	}
	return cli.ExitOk, w.Flush()
}

func (p *program) printJSON(v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s\n", raw)
	return err
}

func tokensCreate(ctx context.Context, p *program, in *settings.Invocation) (int, error) {
	name := in.Args["name"]
	if fault, err := nameFault(name); err != nil {
		return 0, err
	} else if fault != "" {
		return 0, usageError("the name of a token " + fault)
	}
	from, err := p.issuer(ctx, in)
	if err != nil {
		return 0, err
	}
	defer from.close(ctx)
	issued, err := from.create(ctx, name)
	if err != nil {
		return 0, err
	}
	if in.Flags["json"] == "true" {
		return cli.ExitOk, p.printJSON(issued)
	}
	// The token stands alone on stdout, for whoever puts it into a file or a variable.
	fmt.Fprintln(p.stdout, issued.Token)
	fmt.Fprintf(p.stderr, "This is the token of %s. It is not shown again.\n", name)
	return cli.ExitOk, nil
}

// nameFault says what the contract finds wrong with the name of a token, "" for nothing.
func nameFault(name string) (string, error) {
	return bodyFault("createToken", map[string]any{"name": name})
}

// bodyFault says what the contract finds wrong with the body of an operation, "" for nothing. It never quotes a
// value.
func bodyFault(operation string, body map[string]any) (string, error) {
	for _, op := range api.Operations {
		if op.ID != operation {
			continue
		}
		v, err := contract.Compile(op.ID, op.Input)
		if err != nil {
			return "", err
		}
		for _, issue := range v.CheckValue(map[string]any{"body": body}) {
			return issue.Message, nil
		}
	}
	return "", nil
}

func tokensRevoke(ctx context.Context, p *program, in *settings.Invocation) (int, error) {
	from, err := p.issuer(ctx, in)
	if err != nil {
		return 0, err
	}
	defer from.close(ctx)
	all, err := from.list(ctx)
	if err != nil {
		return 0, err
	}
	name := in.Args["name"]
	for _, t := range all {
		if t.Name == name {
			if err := from.revoke(ctx, t.CredentialID); err != nil {
				return 0, err
			}
			fmt.Fprintf(p.stdout, "Revoked %s (%s)\n", t.Name, t.Prefix)
			return cli.ExitOk, nil
		}
	}
	return 0, fmt.Errorf("there is no valid token named %s", name)
}
