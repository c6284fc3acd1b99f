package contract

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// decode sets what into points to, a type of generated code, to a decoded JSON value that follows its schema.
// It does what json.Unmarshal would do with the text of the value: members that are absent leave fields as
// they are, and so does null where nothing stands for it. Errors: ValueError for a number that the type
// cannot hold.
func decode(value, into any) error { return decodeInto(value, reflect.ValueOf(into).Elem(), nil) }

var rawType = reflect.TypeFor[json.RawMessage]()

func decodeInto(value any, to reflect.Value, at []string) error {
	if to.Type() == rawType {
		raw, err := Encode(value)
		if err != nil {
			return err
		}
		to.SetBytes(raw)
		return nil
	}
	if value == nil {
		switch to.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			to.SetZero()
		default: // like encoding/json
		}
		return nil
	}
	if to.Kind() == reflect.Pointer {
		if to.IsNil() {
			to.Set(reflect.New(to.Type().Elem()))
		}
		return decodeInto(value, to.Elem(), at)
	}
	switch v := value.(type) {
	case bool:
		if to.Kind() == reflect.Bool {
			to.SetBool(v)
			return nil
		}
	case string:
		if to.Kind() == reflect.String {
			to.SetString(v)
			return nil
		}
	case json.Number:
		return decodeNumber(v, to, at)
	case []any:
		if to.Kind() == reflect.Slice {
			return decodeList(v, to, at)
		}
	case map[string]any:
		switch to.Kind() {
		case reflect.Map:
			return decodeMap(v, to, at)
		case reflect.Struct:
			return decodeStruct(v, to, at)
		default:
		}
	}
	return &ValueError{Issue{Path: pathOf(at), Message: "is not valid", Rule: "type"}}
}

func decodeNumber(v json.Number, to reflect.Value, at []string) error {
	switch to.Kind() {
	case reflect.Int64:
		if n, err := v.Int64(); err == nil {
			to.SetInt(n)
			return nil
		}
	case reflect.Float64:
		if f, err := v.Float64(); err == nil {
			to.SetFloat(f)
			return nil
		}
	default:
	}
	return &ValueError{Issue{Path: pathOf(at), Message: "is out of range", Rule: "type"}}
}

func decodeList(v []any, to reflect.Value, at []string) error {
	list := reflect.MakeSlice(to.Type(), len(v), len(v))
	for i, e := range v {
		if err := decodeInto(e, list.Index(i), append(at, strconv.Itoa(i))); err != nil {
			return err
		}
	}
	to.Set(list)
	return nil
}

func decodeMap(v map[string]any, to reflect.Value, at []string) error {
	if to.IsNil() {
		to.Set(reflect.MakeMapWithSize(to.Type(), len(v)))
	}
	for name, e := range v {
		element := reflect.New(to.Type().Elem()).Elem()
		if err := decodeInto(e, element, append(at, name)); err != nil {
			return err
		}
		to.SetMapIndex(reflect.ValueOf(name).Convert(to.Type().Key()), element)
	}
	return nil
}

// extraField holds the members of an open object that the contract does not name; see ExtraKeys.
const extraField = "Extra"

func decodeStruct(v map[string]any, to reflect.Value, at []string) error {
	names := fieldNames(to.Type())
	for i, name := range names {
		if e, given := v[name]; given && name != "" {
			if err := decodeInto(e, to.Field(i), append(at, name)); err != nil {
				return err
			}
		}
	}
	extra := to.FieldByName(extraField)
	if !extra.IsValid() {
		return nil
	}
	for name, e := range v {
		if e != nil && slices.Contains(names, name) {
			continue
		}
		raw, err := Encode(e)
		if err != nil {
			return err
		}
		if extra.IsNil() {
			extra.Set(reflect.MakeMap(extra.Type()))
		}
		extra.SetMapIndex(reflect.ValueOf(name), reflect.ValueOf(raw))
	}
	return nil
}

// known holds the JSON names of the fields of each struct type, in their order. It is bounded by the types of the
// contract.
var known sync.Map

// fieldNames are the names of a type's fields in JSON, "" for those that have none.
func fieldNames(t reflect.Type) []string {
	if names, ok := known.Load(t); ok {
		return names.([]string)
	}
	names := make([]string, t.NumField())
	for i := range names {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "-" {
			names[i] = name
		}
	}
	known.Store(t, names)
	return names
}
