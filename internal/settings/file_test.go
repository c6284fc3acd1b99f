package settings

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/errcode"
)

func TestFileDiscovery(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	cwd, data, other := filepath.Join(root, "cwd"), filepath.Join(root, "data"), filepath.Join(root, "other")
	files := map[string]int{ // by the port they set
		filepath.Join(other, "named.json"): 1, filepath.Join(other, "variable.json"): 2,
		filepath.Join(cwd, FileName): 3, filepath.Join(data, FileName): 4,
	}
	for file, port := range files {
		write(t, file, map[string]any{"port": port, "blocklist": "list.txt"})
	}
	empty := filepath.Join(root, "empty")
	for _, c := range []struct {
		name  string
		in    Input
		port  int
		block string
	}{
		{"flag", Input{Dir: cwd, Flags: map[string]string{"config": "../other/named.json"}, Env: map[string]string{"BROWSERHIVE_CONFIG": "nowhere"}}, 1, other},
		{"variable", Input{Dir: cwd, Env: map[string]string{"BROWSERHIVE_CONFIG": "../other/variable.json"}}, 2, other},
		{"option", Input{Dir: cwd, ConfigFile: ptr("../other/named.json"), Env: map[string]string{"BROWSERHIVE_CONFIG": "nowhere"}}, 1, other},
		{"directory", Input{Dir: cwd, Flags: map[string]string{"dataDir": data}}, 3, cwd},
		{"data of a flag", Input{Dir: empty, Flags: map[string]string{"dataDir": data}, Env: map[string]string{"BROWSERHIVE_DATA_DIR": empty}}, 4, data},
		{"data of a variable", Input{Dir: empty, Env: map[string]string{"BROWSERHIVE_DATA_DIR": "../data"}}, 4, data},
		{"nothing", Input{Dir: empty}, 9876, ""},
		{"files ignored", Input{Dir: cwd, ConfigFile: ptr(""), Env: map[string]string{"BROWSERHIVE_CONFIG": "nowhere"}}, 9876, ""},
	} {
		c.in.Host = testHost
		res, err := Resolve(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if res.Config.Port != c.port || res.File != "" && files[res.File] != c.port {
			t.Errorf("%s: port %d from %q", c.name, res.Config.Port, res.File)
		}
		if c.block != "" && res.Config.Blocklist != filepath.Join(c.block, "list.txt") {
			t.Errorf("%s: blocklist %s", c.name, res.Config.Blocklist)
		}
	}
	// The data directory of the host counts too.
	res, err := Resolve(Input{Dir: empty, Host: Host{OS: "linux", XDGDataHome: root}})
	if err != nil || res.Config.Port != 9876 {
		t.Error(res, err)
	}
	write(t, filepath.Join(root, "browserhive", FileName), `{"port": 5}`)
	res, err = Resolve(Input{Dir: empty, Host: Host{OS: "linux", XDGDataHome: root}})
	if err != nil || res.Config.Port != 5 {
		t.Error(res, err)
	}
}

func ptr(s string) *string { return &s }

func TestFileInDataDirectoryCannotMoveIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, FileName)
	write(t, file, `{"dataDir": "elsewhere"}`)
	elsewhere := t.TempDir()
	for name, in := range map[string]Input{
		"found there":      {Dir: elsewhere, Flags: map[string]string{"dataDir": dir}},
		"found from there": {Dir: dir, Env: map[string]string{"BROWSERHIVE_DATA_DIR": "."}},
	} {
		in.Host = testHost
		_, err := Resolve(in)
		if err == nil {
			t.Errorf("%s: accepted", name)
		} else if _, key, source, _, _ := detail(t, err); key != config.KeyDataDir || !strings.HasSuffix(source, FileName+": dataDir") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, in := range map[string]Input{
		"named":                {Dir: elsewhere, Flags: map[string]string{"config": file}},
		"in another directory": {Dir: dir},
	} {
		in.Host = testHost
		if res, err := Resolve(in); err != nil || res.Config.DataDir != filepath.Join(dir, "elsewhere") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnreadableFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	big := filepath.Join(dir, "big.json")
	write(t, big, `{"port": 1}`+strings.Repeat(" ", maxFile))
	write(t, filepath.Join(dir, "full.json"), `{"port": 1}`+strings.Repeat(" ", maxFile-len(`{"port": 1}`)))
	for path, want := range map[string]string{"nowhere.json": "no such file", ".": "directory", "big.json": "more than 1024 KiB"} {
		for source, in := range map[string]Input{
			"--config":           {Flags: map[string]string{"config": path}},
			"BROWSERHIVE_CONFIG": {Env: map[string]string{"BROWSERHIVE_CONFIG": path}},
			"option configFile":  {ConfigFile: &path},
		} {
			in.Dir, in.Host = dir, testHost
			_, err := Resolve(in)
			if err == nil {
				t.Errorf("%s %s is read", source, path)
				continue
			}
			code, key, where, reason, _ := detail(t, err)
			if code != errcode.CodeConfigInvalid || key != config.KeyConfig || where != source || !strings.Contains(reason, filepath.Join(dir, path)) {
				t.Error(err)
			}
			if !strings.Contains(reason, want) && os.PathSeparator == '/' {
				t.Errorf("%s is not in %v", want, err)
			}
		}
	}
	if res, err := Resolve(Input{Dir: dir, Host: testHost, ConfigFile: ptr("full.json")}); err != nil || res.Config.Port != 1 {
		t.Error(err)
	}
	// A file that is looked for and is there has to be readable too.
	if err := os.Mkdir(filepath.Join(dir, FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Resolve(Input{Dir: dir, Host: testHost})
	if err == nil {
		t.Fatal("a directory is read")
	}
	if _, key, source, _, _ := detail(t, err); key != config.KeyConfig || source != FileName {
		t.Error(err)
	}
}

func TestFileSyntax(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "the file is empty",
		" \n\t":                           "the file is empty",
		"[]":                              "the file holds an array, but an object is needed",
		"null":                            "the file holds null",
		"\"a\"":                           "the file holds a string",
		"{\"port\": 1} x":                 "line 1, column 13: ",
		"{\"port\": 1}\n{}":               "line 2, column 1: ",
		"{\"port\": 1,}":                  "line 1, column 12: ",
		"{\n  // a comment\n}":            "line 2, column 3: JSON has no comments",
		"{\"port\": 1 /* a comment */}":   "line 1, column 12: JSON has no comments",
		"{\"ä\": \"ö\", \"port\": 08}":    "line 1, column 21: ",
		"{'port': 1}":                     "line 1, column 2: ",
		"{\"port\": 1":                    "line 1, column 10: unexpected end of JSON input",
		"{\"port\": NaN}":                 "line 1, column 10: ",
		"{\"a\": \"\xff\"}":               "line 1, column 8: this is not UTF-8",
		"{\n \"port\": 1,\n \"port\": 1}": "line 3, column 2: the name 'port' is there twice",
		"{\"otelHeaders\": {\"a\": \"1\", \"a\": \"2\"}}": "line 1, column 28: the name 'a' is there twice",
		"{\"a\": " + strings.Repeat("[", 20000):           "exceeded max depth",
		"\ufeff{\"port\": x}":                             "line 1, column 10: ",
	} {
		_, err := decodeFile([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, FileName), "\ufeff{\"$schema\": \"./browserhive.schema.json\",\r\n\"port\": 1}\r\n")
	if res, err := Resolve(Input{Dir: dir, Host: testHost}); err != nil || res.Config.Port != 1 {
		t.Error(err)
	}
	write(t, filepath.Join(dir, FileName), "{\"port\": }")
	_, err := Resolve(Input{Dir: dir, Host: testHost})
	if _, key, source, reason, _ := detail(t, err); key != config.KeyConfig || source != FileName || !strings.HasPrefix(reason, "line 1, column 10: ") {
		t.Error(err)
	}
}

func TestUnknownNamesInFile(t *testing.T) {
	t.Parallel()
	for name, near := range map[string]string{
		"maxSession": "maxSessions", "max_sessions": "maxSessions", "--port": "port", "BROWSERHIVE_PORT": "port", "Port": "port",
		"$Schema": "", "quite_another": "", "": "", "logging level": "logLevel",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, FileName), map[string]any{name: "s3cret"})
		_, err := Resolve(Input{Dir: dir, Host: testHost})
		if err == nil {
			t.Errorf("%q is accepted", name)
			continue
		}
		code, _, source, _, suggestion := detail(t, err)
		if code != errcode.CodeConfigUnknownKey || source != FileName || suggestion != near || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v %q", name, err, suggestion)
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, seed := range []string{`{}`, `{"port": 9876, "otelHeaders": {"a": "b"}}`, `{"a":[1,2.5e3,"x",null,true]}`, `{"a":1,"a":2}`, "{\n//\n}", "[[[", `{"a":"\ud800"}`, "\ufeff{}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := decodeFile(data)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("%q", err)
			}
			return
		}
		var want map[string]any
		d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
		d.UseNumber()
		if err := d.Decode(&want); err != nil || !reflect.DeepEqual(doc, want) {
			t.Fatalf("%q: %v, want %v %v", data, doc, want, err)
		}
		// No content makes the resolver panic, and every error is one of configuration.
		for name, v := range doc {
			if k := byName[name]; k != nil {
				if got, f := parseJSON(k, v); f == nil && !new(config.Config).Set(name, got) {
					t.Errorf("%s takes no %T", name, got)
				}
			} else if e := unknownKey(name, "file", keyNames()); len(e.Message) > 400 {
				t.Errorf("%q", e.Message)
			}
		}
	})
}
