package record

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/browserhive/browserhive/internal/secret"
)

// authenticates reports whether the value of a header lets others pass for the session. Headers that pages invent
// mostly say what they are.
func authenticates(header string) bool {
	header = strings.ToLower(header)
	return header == "cookie" || header == "set-cookie" || strings.Contains(header, "auth") ||
		strings.Contains(header, "token") || strings.Contains(header, "api-key") || strings.Contains(header, "secret")
}

// contextOptions are what a trace tells of the options of its session; others have credentials or paths of
// the host.
var contextOptions = []string{
	"viewport", "screen", "deviceScaleFactor", "isMobile", "hasTouch", "userAgent", "locale", "timezoneId", "colorScheme",
}

// withoutCredentials is a line of a trace without values of cookies, of storage and of headers that
// authenticate. Lines with pictures of documents, which are most of a trace, hold none and stay as they are.
func withoutCredentials(line []byte) []byte {
	var kind struct{ Type string }
	if json.Unmarshal(line, &kind) != nil || kind.Type == "frame-snapshot" || kind.Type == "screencast-frame" {
		return line
	}
	in := json.NewDecoder(bytes.NewReader(line))
	in.UseNumber()
	var event map[string]any
	if in.Decode(&event) != nil {
		return line // It is valid, and an object: kind was read from it.
	}
	if options, ok := event["options"].(map[string]any); ok && kind.Type == "context-options" {
		for name := range options {
			if !slices.Contains(contextOptions, name) {
				delete(options, name)
			}
		}
	}
	redactCredentials(event)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(event) != nil {
		return nil // Decoded JSON always encodes.
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// redactCredentials replaces credentials in a value that was decoded from JSON, in place.
func redactCredentials(value any) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			redactCredentials(item)
		}
	case map[string]any:
		for name, member := range v {
			switch name {
			case "cookies":
				redactValues(member)
			case "storageState", "origins", "httpCredentials", "proxy", "indexedDB", "localStorage":
				v[name] = secret.Redacted
			case "value":
				if header, ok := v["name"].(string); ok && authenticates(header) {
					v[name] = secret.Redacted
				}
			default:
				if _, text := member.(string); text && authenticates(name) {
					v[name] = secret.Redacted
					continue
				}
				redactCredentials(member)
			}
		}
	}
}

// redactValues replaces the values of a list of cookies.
func redactValues(cookies any) {
	list, _ := cookies.([]any)
	for _, one := range list {
		if cookie, ok := one.(map[string]any); ok && cookie["value"] != nil {
			cookie["value"] = secret.Redacted
		}
	}
}
