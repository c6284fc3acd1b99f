package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/browserhive/browserhive/gen/client"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/auth"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/datadir"
	"github.com/browserhive/browserhive/internal/settings"
)

// remote asks a running server through its REST API.
type remote struct {
	client *client.ClientWithResponses
	// name is how messages call the server; start is what starts one that does not run.
	name, start string
	// socket says that it is reached over the socket in the data directory.
	socket bool
	// signedIn says that a dashboard session was begun, which close ends.
	signedIn bool
}

// requestTime bounds one request.
const requestTime = 30 * time.Second

// maxCredential bounds what is read of a credential: a password has at most 256 characters of 4 bytes.
const maxCredential = 2048

// remote reaches a server with the credential in a file, or on standard input.
func (p *program) remote(ctx context.Context, url, file string) (issuer, error) {
	credential, err := p.credential(file)
	if err != nil {
		return nil, err
	}
	return p.signIn(ctx, url, credential)
}

// overSocket reaches the server that holds the data directory, over its socket. Without one, as under stdio, the
// error is that the directory is locked.
func (p *program) overSocket(ctx context.Context, in *settings.Invocation, locked error) (*remote, error) {
	set, err := p.settings(in)
	if err != nil {
		return nil, err
	}
	dir := &datadir.Dir{Root: set.Config.DataDir}
	probe, err := dir.Dial(ctx)
	if err != nil {
		return nil, locked
	}
	_ = probe.Close()
	// The name stands in the requests alone; the server takes none but its own and that of the host.
	c, err := client.NewClientWithResponses("http://localhost", client.WithHTTPClient(&http.Client{
		Timeout: requestTime, Transport: &http.Transport{DialContext: dialer(dir), DisableKeepAlives: true},
	}))
	if err != nil {
		return nil, err
	}
	return &remote{client: c, name: "the server of " + dir.Root, socket: true, start: p.propose()}, nil
}

// dialer reaches the server that holds a data directory, whatever the address.
func dialer(dir *datadir.Dir) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) { return dir.Dial(ctx) }
}

// signIn reaches a server with an operator's token or password.
func (p *program) signIn(ctx context.Context, url, credential string) (*remote, error) {
	header, value := "Authorization", "Bearer "+credential
	prove := func(_ context.Context, r *http.Request) error {
		if value != "" {
			r.Header.Set(header, value)
		}
		return nil
	}
	c, err := client.NewClientWithResponses(strings.TrimSuffix(url, "/"), client.WithRequestEditorFn(prove), client.WithHTTPClient(&http.Client{
		Timeout: requestTime,
		// The server never redirects; whoever does is not it, and gets no credential.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}))
	if err != nil {
		return nil, err
	}
	r := &remote{client: c, name: url, start: p.propose("--admin")}
	if auth.IsToken(credential) {
		return r, nil
	}
	header, value = "Cookie", "" // There is none before the sign-in.
	reply, err := c.LoginWithResponse(ctx, types.LoginRequest{Username: auth.Admin, Password: credential})
	if err != nil {
		return nil, r.unreachable(err)
	}
	if reply.JSON200 == nil {
		return nil, r.problem(reply.HTTPResponse, reply.Body)
	}
	for _, one := range reply.HTTPResponse.Cookies() {
		value, r.signedIn = one.Name+"="+one.Value, true
	}
	return r, nil
}

// credential reads what proves who is calling. It is never asked for on a terminal, which would show it.
func (p *program) credential(file string) (string, error) {
	from := p.stdin
	if file != "" && file != "-" {
		f, err := os.Open(p.absolute(file))
		if err != nil {
			return "", err
		}
		defer f.Close()
		from = f
	} else if p.interactive {
		return "", errors.New("--url needs a credential: name its file with --credential, or pipe it in")
	}
	raw, err := io.ReadAll(io.LimitReader(from, maxCredential))
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(raw))
	if text == "" {
		return "", errors.New("the credential is empty")
	}
	if password, ok := auth.SeedPassword(text); ok {
		return password, nil
	}
	return text, nil
}

func (r *remote) list(ctx context.Context) (out []types.APIToken, err error) {
	limit, dir := together, client.ListTokensParamsDirAsc
	params := client.ListTokensParams{Limit: &limit, Dir: &dir}
	for {
		reply, err := r.client.ListTokensWithResponse(ctx, &params)
		if err != nil {
			return nil, r.unreachable(err)
		}
		if reply.JSON200 == nil {
			return nil, r.problem(reply.HTTPResponse, reply.Body)
		}
		out = append(out, reply.JSON200.Data...)
		if params.Cursor = reply.JSON200.Page.NextCursor; params.Cursor == nil {
			return out, nil
		}
	}
}

func (r *remote) create(ctx context.Context, name string) (types.IssuedToken, error) {
	reply, err := r.client.CreateTokenWithResponse(ctx, types.CreateTokenRequest{Name: name, Kind: types.PrincipalKindAgent})
	if err != nil {
		return types.IssuedToken{}, r.unreachable(err)
	}
	if reply.JSON201 == nil {
		return types.IssuedToken{}, r.problem(reply.HTTPResponse, reply.Body)
	}
	return *reply.JSON201, nil
}

func (r *remote) revoke(ctx context.Context, id string) error {
	reply, err := r.client.RevokeTokenWithResponse(ctx, id)
	if err != nil {
		return r.unreachable(err)
	}
	if reply.StatusCode() != http.StatusNoContent {
		return r.problem(reply.HTTPResponse, reply.Body)
	}
	return nil
}

func (r *remote) close(ctx context.Context) {
	if r.signedIn {
		_, _ = r.client.LogoutWithResponse(context.WithoutCancel(ctx)) // The session ends by itself, too.
	}
}

// changePassword sets the operator's password.
func (r *remote) changePassword(ctx context.Context, present, next string) error {
	reply, err := r.client.ChangePasswordWithResponse(ctx, types.ChangePasswordRequest{CurrentPassword: present, NewPassword: next})
	if err != nil {
		return r.unreachable(err)
	}
	if reply.JSON200 == nil {
		return r.problem(reply.HTTPResponse, reply.Body)
	}
	return nil
}

// unreachable says in words why a server did not answer.
func (r *remote) unreachable(err error) error {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("nothing listens at %s; start the server there, for example with: %s", r.name, r.start)
	}
	return fmt.Errorf("%s does not answer: %s", r.name, contract.NetworkReason(err))
}

// problem is the error that an answer describes.
func (r *remote) problem(res *http.Response, body []byte) error {
	var p contract.Problem
	if json.Unmarshal(body, &p) != nil || p.Code == "" {
		return fmt.Errorf("%s answers %s, which is no answer of BrowserHive", r.name, res.Status)
	}
	switch {
	case p.Code != errcode.CodeNotFound:
	case r.socket:
		return errors.New("what was asked for is gone")
	default:
		return fmt.Errorf("%s has no REST API, or what was asked for is gone; the server needs --admin, or ask it on its own host without --url", r.name)
	}
	if p.Code == errcode.CodeValidationFailed {
		var d errcode.ValidationFailed
		if json.Unmarshal(p.Details, &d) == nil && len(d.Issues) > 0 {
			return fmt.Errorf("%s %s", d.Issues[0].Path, d.Issues[0].Message)
		}
	}
	return &contract.Error{Code: p.Code, Message: p.Detail, Details: p.Details}
}
