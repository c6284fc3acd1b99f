package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/browserhive/browserhive/gen/config"
)

// maxFile bounds a config file, in bytes.
const maxFile = 1 << 20

// candidate is a place where a config file may be.
type candidate struct {
	path  string
	label string // how messages name the file
	by    string // the flag, option or variable that names it, "" when it is looked for
}

// file finds and reads the config file. A file that is named has to exist; otherwise the first one is
// taken that is in the working directory or in the data directory.
func (r *resolver) file(cli, env layer) (layer, string) {
	for _, c := range r.candidates(cli, env) {
		data, err := readFile(c.path)
		if err == nil {
			return r.readSettings(c, data, cli, env), c.path
		}
		if c.by == "" && absent(c.path, err) {
			continue
		}
		r.unread = true
		if c.by == "" {
			r.reject(config.KeyConfig, c.label, fmt.Sprintf("it cannot be read: %v", err))
		} else {
			r.reject(config.KeyConfig, c.by, fmt.Sprintf("%s cannot be read: %v", quote(c.path), err))
		}
		return layer{}, c.path
	}
	return layer{}, ""
}

// absent reports whether a file could not be read because it does not exist. That its directory is none counts as
// well: whoever uses the directory will report it.
func absent(path string, err error) bool {
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	info, statErr := os.Stat(filepath.Dir(path))
	return statErr == nil && !info.IsDir()
}

// candidates lists the files to try in order.
func (r *resolver) candidates(cli, env layer) []candidate {
	if r.in.ConfigFile != nil && *r.in.ConfigFile == "" || r.failed[config.KeyConfig] {
		return nil
	}
	for _, l := range []layer{cli, env} {
		if s, ok := l[config.KeyConfig]; ok {
			path, _ := s.value.(string)
			return []candidate{{path: path, label: path, by: s.where}}
		}
	}
	list := []candidate{{path: filepath.Join(r.in.Dir, FileName), label: FileName}}
	if dir := r.dataDir(cli, env); dir != "" {
		path := filepath.Join(dir, FileName)
		list = append(list, candidate{path: path, label: path})
	}
	return list
}

// dataDir is the data directory as far as it is known without a file, or "".
func (r *resolver) dataDir(cli, env layer) string {
	if r.failed[config.KeyDataDir] {
		return ""
	}
	for _, l := range []layer{cli, env} {
		if s, ok := l[config.KeyDataDir]; ok {
			dir, _ := s.value.(string)
			return dir
		}
	}
	return r.in.Host.dataDir()
}

var errTooLarge = fmt.Errorf("more than %d KiB", maxFile>>10)

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if len(data) > maxFile {
		return nil, errTooLarge
	}
	return data, nil
}

// withoutPath drops the operation and the path, which messages name already.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// readSettings reads the keys of a file.
func (r *resolver) readSettings(c candidate, data []byte, cli, env layer) layer {
	l := layer{}
	doc, err := decodeFile(data)
	if err != nil {
		r.unread = true
		r.reject(config.KeyConfig, c.label, err.Error())
		return l
	}
	dir := filepath.Dir(c.path)
	for _, name := range slices.Sorted(maps.Keys(doc)) {
		if name == "$schema" {
			continue
		}
		where := c.label + ": " + name
		k := byName[name]
		switch {
		case k == nil:
			r.errs = append(r.errs, unknownKey(name, c.label, keyNames()))
		case !k.File:
			r.reject(name, where, fmt.Sprintf("a file cannot set it; use %s or %s", k.Flag, k.Env))
		case name == config.KeyDataDir && c.by == "" && dir == r.dataDir(cli, env):
			r.reject(name, where, "a file that is found in the data directory cannot move it")
		default:
			v, f := parseJSON(r.key(k), doc[name])
			r.put(l, k, setting{v, FromFile, c.path, where}, dir, f)
		}
	}
	return l
}

// decodeFile reads one JSON object without duplicate names. Errors begin with line and column, counted from 1,
// columns in characters.
func decodeFile(data []byte) (map[string]any, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors write a byte order mark
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("the file is empty; the least it can hold is {}")
	}
	if at := invalidUTF8(data); at >= 0 {
		return nil, locate(data, at, "this is not UTF-8")
	}
	if err := json.Unmarshal(data, new(json.RawMessage)); err != nil {
		return nil, syntaxError(data, err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decodeValue(d, data)
	if err != nil {
		return nil, err
	}
	doc, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the file holds %s, but an object is needed", typeName(v))
	}
	return doc, nil
}

// decodeValue reads the next value of valid JSON. The depth of the recursion is that of the JSON, which
// the check before has bounded.
func decodeValue(d *json.Decoder, data []byte) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, syntaxError(data, err)
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := decodeValue(d, data)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	case json.Delim('{'):
		object := map[string]any{}
		for d.More() {
			token, err := d.Token()
			if err != nil {
				return nil, syntaxError(data, err)
			}
			name, _ := token.(string)
			if _, again := object[name]; again {
				end := int(d.InputOffset()) - 1
				start := bytes.LastIndexByte(data[:end], '"')
				return nil, locate(data, start, fmt.Sprintf("the name '%s' is there twice", printable(name)))
			}
			if object[name], err = decodeValue(d, data); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return object, err
	}
	return token, nil
}

func syntaxError(data []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	at := max(0, int(syntax.Offset)-1)
	if at < len(data) && strings.HasPrefix(syntax.Error(), "invalid character '/'") {
		return locate(data, at, "JSON has no comments")
	}
	return locate(data, at, syntax.Error())
}

func locate(data []byte, at int, what string) error {
	before := data[:min(at, len(data))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Errorf("line %d, column %d: %s", line, column, what)
}

func invalidUTF8(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}
