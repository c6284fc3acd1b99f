package settings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/secret"
)

// The tests of this file cover every key of the contract from every source. They stop before the rules
// between keys, which rules_test.go covers.

// place sets one key in one source.
type place struct {
	name   string
	source Source
	where  string // in messages
	text   bool   // whether values are text
	input  func(v any) Input
	base   string // where relative paths begin
}

func placesOf(t *testing.T, k *contract.Key) []place {
	t.Helper()
	dir := t.TempDir()
	in := Input{Dir: dir, Host: testHost}
	places := []place{
		{"flag", FromCLI, k.Flag, true, func(v any) Input {
			in := in
			in.Flags = map[string]string{k.Name: v.(string)}
			return in
		}, dir},
		{"option", FromCLI, "option " + k.Name, false, func(v any) Input {
			in := in
			in.Options = map[string]any{k.Name: v}
			return in
		}, dir},
		{"variable", FromEnv, k.Env, true, func(v any) Input {
			in := in
			in.Env = map[string]string{k.Env: v.(string), "HOME": "/x", "PATH": ""}
			return in
		}, dir},
	}
	if k.Alias != "" {
		places = append(places, place{"alias", FromOTel, k.Alias, true, func(v any) Input {
			in := in
			in.Env = map[string]string{k.Alias: v.(string)}
			return in
		}, dir})
	}
	if k.File {
		file := filepath.Join(dir, "conf", "any.json")
		places = append(places, place{"file", FromFile, file + ": " + k.Name, false, func(v any) Input {
			write(t, file, map[string]any{"$schema": "./browserhive.schema.json", k.Name: v})
			in := in
			in.ConfigFile = &file
			return in
		}, filepath.Dir(file)})
	}
	return places
}

func write(t testing.TB, file string, doc any) {
	t.Helper()
	data, ok := doc.(string)
	if !ok {
		b, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		data = string(b)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestEveryKeyTakesGoodValuesFromEverySource(t *testing.T) {
	t.Parallel()
	eachKey(t, func(t *testing.T, k *contract.Key) {
		for _, p := range placesOf(t, k) {
			for _, s := range goodSamples(t, k) {
				v := s.json
				if p.text {
					v = s.text
				}
				want := s.want
				if k.Grammar == "path" {
					want = filepath.Join(p.base, s.want.(string))
					if k.Name == config.KeyConfig {
						write(t, want.(string), "{}")
					}
				}
				r := newResolver(p.input(v))
				res := r.merge()
				if len(r.errs) > 0 {
					t.Errorf("%s %v: %v", p.name, v, r.errs)
					continue
				}
				if got := res.Config.Get(k.Name); !reflect.DeepEqual(got, want) {
					t.Errorf("%s %v: got %#v, want %#v", p.name, v, got, want)
				}
				entry := res.entry(k.Name)
				wantText := render(k, want)
				if k.Secret {
					wantText = secret.Redacted
				}
				if entry.Source != p.source || entry.Value != wantText || !res.Explicit(k.Name) || len(entry.Shadowed) > 0 {
					t.Errorf("%s %v: provenance %+v, want %s", p.name, v, entry, wantText)
				}
				if origin := strings.TrimSuffix(p.where, ": "+k.Name); entry.Origin != origin {
					t.Errorf("%s: origin %q, want %q", p.name, entry.Origin, origin)
				}
				if planned := len(res.Planned()) > 0; planned != (k.Planned && p.source != FromOTel) {
					t.Errorf("%s: planned is %v", p.name, res.Planned())
				}
			}
		}
	})
}

func (r *Resolved) entry(key string) Provenance {
	for _, p := range r.Provenance {
		if p.Key == key {
			return p
		}
	}
	return Provenance{}
}

func TestEveryKeyRefusesBadValuesFromEverySource(t *testing.T) {
	t.Parallel()
	eachKey(t, func(t *testing.T, k *contract.Key) {
		unset := newResolver(Input{Dir: t.TempDir(), Host: testHost}).merge()
		for _, p := range placesOf(t, k) {
			texts, jsons := badSamples(t, k)
			values := jsons
			if p.text {
				values = nil
				for _, s := range texts {
					values = append(values, s)
				}
			}
			for _, v := range values {
				r := newResolver(p.input(v))
				res := r.merge()
				if got := res.Config.Get(k.Name); !reflect.DeepEqual(got, unset.Config.Get(k.Name)) {
					t.Errorf("%s %q: the value is %#v", p.name, v, got)
				}
				if p.source == FromOTel {
					checkIgnored(t, p, v, res, r.errs)
					continue
				}
				if len(r.errs) != 1 {
					t.Errorf("%s %q: %d errors %v", p.name, v, len(r.errs), r.errs)
					continue
				}
				code, key, source, reason, _ := detail(t, r.errs[0])
				if code != errcode.CodeConfigInvalid || key != k.Name || source != p.where || reason == "" {
					t.Errorf("%s %q: %v %q %q %q", p.name, v, code, key, source, reason)
				}
				if info, _ := errcode.Info(code); info.Exit != 64 {
					t.Errorf("%s exits with %d", code, info.Exit)
				}
				if strings.ContainsAny(r.errs[0].Error(), "\n\r\x1b\x00") || len(r.errs[0].Error()) > 600 {
					t.Errorf("%s %q: %v", p.name, v, r.errs[0])
				}
			}
		}
	})
}

// checkIgnored holds a standard variable to the standard: a bad value is left out with a warning, and an
// empty one is no value.
func checkIgnored(t *testing.T, p place, v any, res *Resolved, errs []error) {
	t.Helper()
	empty := strings.TrimSpace(v.(string)) == ""
	if len(errs) > 0 || len(res.Notes) > 1 || empty != (len(res.Notes) == 0) {
		t.Errorf("%q: %v %v", v, errs, res.Notes)
	}
	if !empty && !strings.HasPrefix(res.Notes[0], "config: "+p.where+" is ignored: ") {
		t.Errorf("%q: %v", v, res.Notes)
	}
}

func TestEveryKeyHasItsDefault(t *testing.T) {
	t.Parallel()
	res, err := Resolve(Input{Dir: t.TempDir(), Host: testHost})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Provenance) != len(config.Keys) || len(res.Notes) > 0 || res.File != "" || len(res.Planned()) > 0 {
		t.Errorf("%+v", res)
	}
	for i, k := range config.Keys {
		p, v := res.Provenance[i], res.Config.Get(k.Name)
		if p.Key != k.Name || p.Origin != "" || res.Explicit(k.Name) {
			t.Errorf("%s: %+v", k.Name, p)
		}
		if (p.Source == FromDerived) != (len(k.DerivedFrom) > 0) || (derived[k.Name] != nil) != (len(k.DerivedFrom) > 0) {
			t.Errorf("%s is derived from %v and its source is %v", k.Name, k.DerivedFrom, p.Source)
		}
		if k.Default != nil && !reflect.DeepEqual(v, defaultValue(&k)) {
			t.Errorf("%s is %v", k.Name, v)
		}
		if k.Default == nil && len(k.DerivedFrom) == 0 && isSet(v) {
			t.Errorf("%s is %v", k.Name, v)
		}
		// What is shown can be typed in again.
		if p.Value != "" && !k.Secret {
			again, f := parseText(&config.Keys[i], p.Value)
			if f != nil || !reflect.DeepEqual(again, v) {
				t.Errorf("%s: %q reads back as %v %v", k.Name, p.Value, again, f)
			}
		}
		for _, example := range k.Examples {
			if _, f := parseText(&config.Keys[i], example); f != nil && k.Grammar != "tokens" {
				t.Errorf("%s: its example: %s", k.Name, f.reason(&k))
			}
		}
	}
}

func TestEveryFlagParses(t *testing.T) {
	t.Parallel()
	eachKey(t, func(t *testing.T, k *contract.Key) {
		cases := map[string][]string{}
		if k.Grammar == "boolean" {
			cases["true"] = []string{k.Flag}
			cases["false"] = []string{"--no" + strings.ToUpper(k.Name[:1]) + k.Name[1:]}
			cases["No"] = []string{k.Flag + "=No"}
		} else {
			text := goodSamples(t, k)[0].text
			cases[text] = []string{k.Flag, text}
			cases[text+"="] = []string{k.Flag + "=" + text + "="}
		}
		for want, args := range cases {
			inv, err := ParseArgs(args)
			if err != nil || inv.Settings[k.Name] != want || len(inv.Settings) != 1 || inv.Command.Name != "serve" {
				t.Errorf("%q: %+v %v", args, inv, err)
			}
		}
	})
}
