package session

import (
	"encoding/json"
	"sort"
)

// firstKey names the first option that a caller set, in order of name, or "".
func firstKey(options any) string {
	raw, err := json.Marshal(options)
	if err != nil {
		return "?"
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return ""
	}
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return ""
	}
	sort.Strings(keys)
	return keys[0]
}
