package settings

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/browserhive/browserhive/internal/contract"
)

// parseJSON reads a value of the config file or a programmatic option: nil, bool, string, json.Number,
// []any or map[string]any, and time.Duration for options.
func parseJSON(k *contract.Key, v any) (any, *fault) {
	mismatch := &fault{why: fmt.Sprintf("is %s, but %s is needed", typeName(v), typeNeeded(k.Grammar))}
	switch shapeOf(k.Grammar) {
	case several:
		array, ok := v.([]any)
		if !ok {
			return nil, mismatch
		}
		items := make([]string, len(array))
		for i, item := range array {
			if items[i], ok = item.(string); !ok {
				return nil, &fault{why: fmt.Sprintf("has an item that is %s, but %s is needed", typeName(item), typeNeeded(k.Grammar))}
			}
		}
		return parseItems(k, items)
	case pairs:
		object, ok := v.(map[string]any)
		if !ok {
			return nil, mismatch
		}
		m := make(map[string]string, len(object))
		for name, value := range object {
			if m[name], ok = value.(string); !ok {
				return nil, &fault{why: fmt.Sprintf("has a value that is %s, but %s is needed", typeName(value), typeNeeded(k.Grammar))}
			}
		}
		return parsePairs(k, m)
	}
	switch v := v.(type) {
	case bool:
		if k.Grammar == "boolean" {
			return v, nil
		}
	case json.Number:
		switch k.Grammar {
		case "number":
			return parseSingle(k, v.String())
		case "integer", "port", "max_sessions", "duration", "bytes":
			return parseSingle(k, integral(v))
		}
	case time.Duration:
		if k.Grammar == "duration" {
			if v < 0 || !within(k, v) {
				return nil, wrong(v.String())
			}
			return v, nil
		}
	case string:
		switch k.Grammar {
		case "boolean", "integer", "port", "number":
			return nil, mismatch
		case "max_sessions":
			if v != "unbounded" {
				return nil, wrong(v)
			}
		}
		if strings.TrimSpace(v) == "" {
			return nil, &fault{why: whyEmpty}
		}
		return parseSingle(k, v)
	}
	return nil, mismatch
}

// integral writes a JSON number like 6e4 or 60000.0, which is an integer to JSON Schema, with digits alone.
// Fractions, and numbers too large for 64 bits, stay as they are.
func integral(n json.Number) string {
	// Checked first, so that 1e999999 is not written out.
	if f, err := n.Float64(); err != nil || math.Abs(f) > math.MaxInt64 {
		return n.String()
	}
	if r, ok := new(big.Rat).SetString(n.String()); ok && r.IsInt() {
		return r.Num().String()
	}
	return n.String()
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("of type %T", v)
}

func typeNeeded(grammar string) string {
	switch shapeOf(grammar) {
	case several:
		return "an array of strings"
	case pairs:
		return "an object of strings"
	}
	switch grammar {
	case "boolean":
		return "true or false without quotes"
	case "integer", "port", "number":
		return "a number without quotes"
	case "duration", "bytes":
		return "a number, or a string with a unit,"
	case "max_sessions":
		return `a number or "unbounded"`
	}
	return "a string"
}

// fromGo turns a Go value into what parseJSON reads. What has no place in a config stays as it is.
func fromGo(v any) any {
	switch v := v.(type) {
	case nil, time.Duration, json.Number:
		return v
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Bool:
		return r.Bool()
	case reflect.String:
		return r.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return json.Number(strconv.FormatInt(r.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return json.Number(strconv.FormatUint(r.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		return json.Number(strconv.FormatFloat(r.Float(), 'g', -1, r.Type().Bits()))
	case reflect.Slice:
		list := make([]any, r.Len())
		for i := range list {
			list[i] = fromGo(r.Index(i).Interface())
		}
		return list
	case reflect.Map:
		if r.Type().Key().Kind() != reflect.String {
			return v
		}
		m := make(map[string]any, r.Len())
		for _, name := range r.MapKeys() {
			m[name.String()] = fromGo(r.MapIndex(name).Interface())
		}
		return m
	}
	return v
}

// parseAlias reads an OTEL_ variable. Unlike ours, the standard has maps percent-encoded.
func parseAlias(k *contract.Key, text string) (any, *fault) {
	if shapeOf(k.Grammar) != pairs {
		return parseText(k, text)
	}
	encoded, f := splitPairs(text)
	if f != nil {
		return nil, f
	}
	decoded := make(map[string]string, len(encoded))
	for name, value := range encoded {
		n, errName := url.PathUnescape(name)
		v, errValue := url.PathUnescape(value)
		if errName != nil || errValue != nil {
			return nil, &fault{why: "is not percent-encoded correctly"}
		}
		decoded[n] = v
	}
	return parsePairs(k, decoded)
}
