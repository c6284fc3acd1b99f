package settings

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A command that is proposed finds what this one found, from any directory and in any environment.
func TestProposedCommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths and quotes are others there")
	}
	dir := t.TempDir()
	named, here := filepath.Join(dir, "named.json"), filepath.Join(dir, "here")
	plain := filepath.Join(dir, "plain.json")
	for path, content := range map[string]string{
		named: `{"dataDir": "data"}`, filepath.Join(here, "browserhive.config.json"): `{"dataDir": "/of/file"}`, plain: `{}`,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		flags, env map[string]string
		dir        string
		words      []string
		want       string
	}{
		{nil, nil, "/", []string{"init"}, "bin/bh init"},
		{nil, nil, "/", nil, "bin/bh"},
		{map[string]string{"dataDir": "sub"}, nil, "/srv", []string{"init"}, "bin/bh init --dataDir /srv/sub"},
		{map[string]string{"dataDir": "it's here"}, nil, "/srv", []string{"init", "--force"}, `bin/bh init --force --dataDir '/srv/it'\''s here'`},
		{nil, map[string]string{"BROWSERHIVE_DATA_DIR": "/of/env"}, "/", []string{"db", "restore", "<file>"}, "bin/bh db restore <file> --dataDir /of/env"},
		{map[string]string{"config": named}, nil, "/", []string{"init"}, "bin/bh init --config " + named},
		{map[string]string{"config": plain, "dataDir": "/d"}, nil, "/", nil, "bin/bh --config " + plain + " --dataDir /d"},
		{nil, nil, here, []string{"doctor"}, "bin/bh doctor --dataDir /of/file"},
		{map[string]string{"dataDir": "/d"}, nil, "/", []string{"help", "init"}, "bin/bh help init"},
		{map[string]string{"dataDir": "/d"}, nil, "/", []string{"config", "schema"}, "bin/bh config schema"},
	} {
		set, errs := ResolveAll(Input{Flags: c.flags, Env: c.env, Dir: c.dir, Host: Host{Home: "/home/you", OS: "linux"}})
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if got := set.Command("bin/bh", c.words...); got != c.want {
			t.Errorf("%v %v in %s: %s, want %s", c.flags, c.env, c.dir, got, c.want)
		}
	}
}
