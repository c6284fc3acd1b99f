package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// How many bytes are recorded of a result, of arguments and of a message: enough to see what a call was about. The
// outline of a page is some ten kilobytes.
const (
	maxResult  = 16 << 10
	maxArgs    = 16 << 10
	maxMessage = 2 << 10
)

// cut shortens a text to at most n bytes, at a rune.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// shape describes a JSON value by its keys and sizes, without any of its values.
func shape(raw json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return fmt.Sprintf(`"%d bytes"`, len(raw))
	}
	out, err := json.Marshal(shapeOf(v, maxShapeDepth))
	if err != nil {
		return fmt.Sprintf(`"%d bytes"`, len(raw))
	}
	return string(out)
}

// maxShapeDepth is how many levels of a value are described; results of tools have three.
const maxShapeDepth = 3

func shapeOf(v any, depth int) any {
	switch x := v.(type) {
	case map[string]any:
		if depth == 0 {
			return fmt.Sprintf("object of %d", len(x))
		}
		out := map[string]any{}
		for k, e := range x {
			out[k] = shapeOf(e, depth-1)
		}
		return out
	case []any:
		if depth == 0 || len(x) == 0 {
			return fmt.Sprintf("array of %d", len(x))
		}
		// The elements of a list are alike.
		return []any{fmt.Sprintf("array of %d", len(x)), shapeOf(x[0], depth-1)}
	case string:
		return fmt.Sprintf("string of %d", len(x))
	case json.Number:
		return "number"
	case bool:
		return "boolean"
	}
	return nil
}
