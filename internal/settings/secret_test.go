package settings

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/internal/contract"
)

// A secret, well or badly formed, appears in no text that the package makes.
func TestSecretsAreNeverPrinted(t *testing.T) {
	t.Parallel()
	const planted = "pl4nted+s3cret"
	long := planted + strings.Repeat("x", 32)
	values := []string{
		"ci:" + long, planted, "ci:" + planted, "ci:" + long + ",", "a=" + planted, planted + "=", "=" + planted, "a=b,a=" + planted,
		planted + "=a," + planted + "=b", "a=%zz" + planted, "ci:" + long + ",cd:" + long, long + "\n", "a=" + planted + "\x00",
	}
	for i := range config.Keys {
		k := &config.Keys[i]
		if !k.Secret {
			continue
		}
		for _, v := range values {
			dir := t.TempDir()
			file := filepath.Join(dir, "c.json")
			documents := []any{v, []any{v}, []any{v, v}, map[string]any{"a": v}, map[string]any{v: "a"}, map[string]any{v: 1}, []any{[]any{v}}, map[string]any{v: map[string]any{v: v}}}
			for _, doc := range documents {
				write(t, file, map[string]any{k.Name: doc})
				check(t, planted, Input{Dir: dir, Host: testHost, ConfigFile: &file, Env: map[string]string{k.Env: v}})
				check(t, planted, Input{Dir: dir, Host: testHost, Options: map[string]any{k.Name: doc}})
			}
			write(t, file, `{"`+k.Name+`": ["`+v+`"`)
			check(t, planted, Input{Dir: dir, Host: testHost, ConfigFile: &file})
			check(t, planted, Input{Dir: dir, Host: testHost, Flags: map[string]string{k.Name: v}, Env: map[string]string{k.Env: v}})
			check(t, planted, Input{Dir: dir, Host: testHost, Flags: map[string]string{k.Name: v, "transport": "stdio", "auth": "token"}})
			if k.Alias != "" {
				check(t, planted, Input{Dir: dir, Host: testHost, Env: map[string]string{k.Alias: v}})
			}
			for _, args := range [][]string{
				{k.Flag, "x", v}, {k.Flag + "=" + v, k.Flag + "=" + v}, {k.Flag + ":" + v}, {k.Flag + "s=" + v}, {"purge", k.Flag, v},
				{"--no" + strings.ToUpper(k.Name[:1]) + k.Name[1:] + "=" + v}, {"init", "--", "ci:" + v},
			} {
				if _, err := ParseArgs(args); err == nil {
					t.Errorf("%q is accepted", args)
				} else {
					printed(t, planted, err, err.(*contract.Error).Details)
				}
			}
		}
	}
	// Names that are not ours can be mistyped ones of ours.
	check(t, planted, Input{Dir: t.TempDir(), Host: testHost, Env: map[string]string{"BROWSERHIVE_TOKEN": planted, "BROWSERHIVE_PROXY": planted}})
}

func check(t *testing.T, planted string, in Input) {
	t.Helper()
	res, errs := ResolveAll(in)
	for _, err := range errs {
		e := err.(*contract.Error)
		printed(t, planted, e, e.Details, e.Unwrap())
	}
	printed(t, planted, res.Provenance, strings.Join(res.Notes, "\n"))
}

func printed(t *testing.T, planted string, values ...any) {
	t.Helper()
	for _, v := range values {
		if b, ok := v.([]byte); ok {
			v = string(b)
		}
		if text := fmt.Sprintf("%+v %s", v, v); strings.Contains(text, planted) || strings.Contains(text, planted[:8]) {
			t.Errorf("printed: %s", text)
		}
	}
}

// A URL with credentials is refused without quoting them.
func TestURLCredentialsAreNotQuoted(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"http://user:pa55@host", "ftp://user:pa55@host", "http://user:pa55@[host"} {
		_, err := Resolve(Input{Dir: t.TempDir(), Host: testHost, Flags: map[string]string{"otel": "true", "otelEndpoint": v}})
		if err == nil || strings.Contains(err.Error(), "pa55") {
			t.Errorf("%s: %v", v, err)
		}
	}
}
