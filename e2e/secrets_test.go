package e2e

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/browserhive/browserhive/gen/api"
	"github.com/browserhive/browserhive/gen/config"
	"github.com/browserhive/browserhive/gen/tools"
)

// plants are secrets, one for each place where one can enter, by place.
type plants struct {
	secrets map[string]string
	// passing ones are known only while they are handled; answers that come later are not searched for them.
	passing map[string]bool
}

// put plants a secret that any text may be.
func (p *plants) put(place string) string { return p.putAs(place, `"q"\/+&%41é`) }

// token plants a secret of characters that a header, a cookie and a host take.
func (p *plants) token(place string) string { return p.putAs(place, "") }

func (p *plants) putAs(place, end string) string {
	s := fmt.Sprintf("S3CR3T-%02d-%s", len(p.secrets), strings.Repeat(string(rune('a'+len(p.secrets)%26)), 24)) + end
	p.secrets[place] = s
	return s
}

// pass plants a secret that is forgotten as soon as it was handled.
func (p *plants) pass(place string) string {
	p.passing[place] = true
	return p.put(place)
}

// spellings are those that a secret may have in a text.
func spellings(s string) map[string]string {
	inJSON := func(s string) string {
		raw, _ := json.Marshal(s)
		return string(raw[1 : len(raw)-1])
	}
	all := map[string]string{
		"it is": s, "a query": url.QueryEscape(s), "a path": url.PathEscape(s), "JSON": inJSON(s), "JSON in JSON": inJSON(inJSON(s)),
		"HTML": html.EscapeString(s), "hex": hex.EncodeToString([]byte(s)), "JSON without HTML": strings.ReplaceAll(inJSON(s), `\u0026`, "&"),
	}
	for before := range 3 {
		for name, encoding := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64 for URLs": base64.RawURLEncoding} {
			digits := encoding.EncodeToString(append(bytes.Repeat([]byte("u"), before), s...))
			all[fmt.Sprintf("%s behind %d", name, before)] = digits[(before*8+5)/6 : len(digits)-1]
		}
	}
	return all
}

// look fails the test when a text holds a secret, in whatever spelling.
func (p *plants) look(t *testing.T, what, text string, skip func(place string) bool) {
	t.Helper()
	for place, s := range p.secrets {
		if skip != nil && skip(place) {
			continue
		}
		for how, spelling := range spellings(s) {
			if at := strings.Index(text, spelling); at >= 0 {
				t.Errorf("%s holds the secret of %s as %s: %.200q", what, place, how, text[max(0, at-80):])
				break
			}
		}
	}
}

// sensitive are the places that the contract marks, for each tool, operation and setting that is built.
func sensitive() (places []string) {
	for _, tool := range tools.Catalogue {
		if tool.Planned {
			continue
		}
		for _, path := range slices.Concat(tool.SensitiveArgs, tool.SensitiveResult) {
			places = append(places, tool.Name+" "+path)
		}
	}
	for _, op := range api.Operations {
		var schema any
		if op.Planned || json.Unmarshal(op.Input, &schema) != nil {
			continue
		}
		var walk func(at string, v any)
		walk = func(at string, v any) {
			m, _ := v.(map[string]any)
			if m["x-sensitive"] == true {
				places = append(places, op.ID+at)
			}
			properties, _ := m["properties"].(map[string]any)
			for name, inner := range properties {
				walk(at+" "+name, inner)
			}
		}
		walk("", schema)
	}
	for _, key := range config.Keys {
		if key.Secret {
			places = append(places, "setting "+key.Name)
		}
	}
	return places
}

// keepsakes are what of the data directory holds secrets because their owner asked to keep them.
var keepsakes = map[string]string{
	"auth-states": "saved logins are what save_storage_state and save_full_profile are for",
	"driver":      "the program's own, and large",
}

// A secret is planted wherever one can enter. None of its spellings may stand in any file of the server, in
// its log, or in an answer to somebody else.
func TestSecretsStayOut(t *testing.T) {
	work(t)
	in := &plants{secrets: map[string]string{}, passing: map[string]bool{}}
	site := newSite(t)
	site.page("/login", "Login", `<input id=name><input id=pw type=password><input id=pin type=password><button onclick="prompt('?')">b</button>
		<a id=file href="/file" download>f</a>`)
	site.mux.HandleFunc("/cookie", func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: in.secrets["get_cookies cookies/*/value"], Path: "/cookie", HttpOnly: true})
		fmt.Fprint(w, "<!doctype html><title>Cookie</title>")
	})
	site.mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="`+in.secrets["the name of a download, typed before"]+`.txt"`)
		fmt.Fprint(w, "a file")
	})
	one, two := in.token("setting authTokens"), in.token("the other token")
	p := start(t, setup{
		args: []string{"--auth", "token", "--admin", "--logPersist", "info", "--logLevel", "trace"},
		env: []string{
			"BROWSERHIVE_AUTH_TOKENS=a:" + one + ",b:" + two, "BROWSERHIVE_OTEL=true", "BROWSERHIVE_OTEL_HEADERS=x-key=" + in.token("setting otelHeaders"),
			"HTTPS_PROXY=http://user:" + in.token("a proxy of the environment") + "@127.0.0.1:9",
		},
	})
	a := p.connectAs(one, stateful)
	sessions := plantInTools(in, site, a)
	plantInClient(t, in, p, one)
	operator := plantInAPI(t, in, p)
	for _, place := range sensitive() {
		if in.secrets[place] == "" {
			t.Errorf("the contract says that %s is sensitive, and no secret was planted there", place)
		}
	}

	// What is the caller's own comes back; what is the server's does not.
	own := in.secrets["fill into a password field"]
	if got := a.evaluate(sessions[1], "document.querySelector('#pw').value"); got != own {
		t.Errorf("a reads %q in its own field, not %q", got, own)
	}
	if got := a.evaluate(sessions[1], "'<"+one+">'"); got != "<<redacted>>" {
		t.Errorf("a model is told a token: %q", got)
	}
	searchOthers(t, in, site, p.connectAs(two, stateful), operator)

	// Each after whoever saw its secrets: they are forgotten with it.
	for _, id := range sessions {
		a.call("close_session", args{"session_id": id})
	}
	if code := p.stop(p.terminate); code != 0 {
		t.Fatal(code)
	}
	for _, row := range p.rows("SELECT tool || args_json || coalesce(result_text, '') FROM tool_calls WHERE tool IN ('fill', 'press_key')") {
		if strings.Contains(row, "4711") || strings.Contains(row, `"key":"7"`) {
			t.Errorf("a PIN is kept: %s", row)
		}
	}
	if got := p.rows(`SELECT args_json FROM tool_calls WHERE tool IN ('fill', 'press_key') AND (args_json LIKE '%"Jane"%' OR args_json LIKE '%"J"%' OR args_json LIKE '%Enter%')`); len(got) != 3 {
		t.Errorf("what a field shows is not kept: %q", got)
	}
	in.look(t, "the log", p.log.String(), func(place string) bool { return place == "the generated password" }) // It is shown once.
	searchFiles(t, in, p.dataDir)
}

// plantInTools makes the calls of an agent that carry a secret, and returns its sessions. The second has the
// login page open.
func plantInTools(in *plants, site *site, a *agent) (sessions []string) {
	launch := func(more args) string {
		more["slug"] = "test"
		id := a.call("launch_session", more).fields["session_id"].(string)
		sessions = append(sessions, id)
		return id
	}
	proxied := func(where string) args {
		return args{"server": "http://127.0.0.1:9", "username": in.put(where + "/username"), "password": in.put(where + "/password")}
	}
	options := "launch_session context_options/"
	first := launch(args{
		"launch_options": args{"proxy": proxied("launch_session launch_options/proxy")},
		"context_options": args{
			"httpCredentials":  args{"username": in.put(options + "httpCredentials/username"), "password": in.put(options + "httpCredentials/password")},
			"extraHTTPHeaders": args{"Authorization": "Bearer " + in.token(options+"extraHTTPHeaders/*")},
		},
	})
	host, _, _ := strings.Cut(strings.TrimPrefix(site.URL, "http://"), ":")
	second := launch(args{"context_options": args{"proxy": proxied("launch_session context_options/proxy"), "storageState": args{
		"cookies": []args{{"name": "k", "value": in.token("a cookie of a storage state"), "domain": host, "path": "/", "expires": -1, "httpOnly": false, "secure": false, "sameSite": "Lax"}},
		"origins": []args{{"origin": site.URL, "localStorage": []args{{"name": "k", "value": in.put(options + "storageState")}}}},
	}}})
	a.call("set_extra_http_headers", args{"session_id": first, "headers": args{"X-More": in.token("set_extra_http_headers headers/*")}})
	a.call("set_cookies", args{"session_id": first, "cookies": []args{{"name": "sid", "value": in.token("set_cookies cookies/*/value"), "url": site.URL}}})
	in.token("get_cookies cookies/*/value")
	address := strings.Replace(site.URL, "//", "//user:"+in.token("a password in an address")+"@", 1)
	a.call("navigate", args{"session_id": first, "url": address + "/cookie?t=" + url.QueryEscape(in.pass("a query")) + "#" + url.QueryEscape(in.pass("a fragment"))})
	a.call("get_cookies", args{"session_id": first})
	a.call("new_tab", args{"session_id": first, "url": address + "/login"})
	script := "document.cookie = 'mine=" + in.token("a cookie that a script sets") + "'; document.cookie"
	a.evaluate(first, script)
	_, _ = a.try("accept_next_dialog", args{"session_id": first, "prompt_text": in.put("accept_next_dialog prompt_text")})
	// What is not what the contract says may have a secret anywhere.
	a.refused("INVALID_ARGUMENTS", "set_cookies", args{"session_id": first, "cookies": `[{"value":"` + in.pass("malformed arguments") + `"}]`})
	_, _ = a.try("launch_session", args{"slug": "none", "launch_options": args{"proxy": args{"server": "http://127.0.0.1:9", "pass": in.pass("an option that there is not")}}})

	a.call("navigate", args{"session_id": second, "url": site.URL + "/login"})
	a.call("type_text", args{"session_id": second, "selector": "#pw", "text": in.put("type_text into a password field")})
	a.call("fill", args{"session_id": second, "selector": "#pw", "value": in.token("the name of a download, typed before")})
	a.call("fill", args{"session_id": second, "selector": "#pw", "value": in.put("fill into a password field")})
	a.call("fill", args{"session_id": second, "selector": "#pin", "value": "4711"})
	a.call("press_key", args{"session_id": second, "selector": "#pin", "key": "7"})
	a.call("press_key", args{"session_id": second, "key": "7"})
	a.call("fill", args{"session_id": second, "selector": "#name", "value": "Jane"})
	a.call("press_key", args{"session_id": second, "selector": "#name", "key": "J"})
	a.call("press_key", args{"session_id": second, "key": "Enter"})
	a.refused("ELEMENT_NOT_FOUND", "fill", args{"session_id": second, "selector": "#none", "value": in.pass("a field that is not there"), "timeout": brief})
	_, _ = a.try("download_file", args{"session_id": second, "selector": "#file"})
	a.evaluate(second, "[document.querySelector('#pw').value, btoa('u:' + encodeURIComponent(document.querySelector('#pw').value)), JSON.stringify({v: document.querySelector('#pw').value})]")
	a.call("get_content", args{"session_id": second})
	a.call("screenshot", args{"session_id": second})
	a.call("save_storage_state", args{"session_id": second, "name": "kept"})
	_, _ = a.try("click", args{"session_id": second, "selector": "#" + in.secrets["launch_session context_options/proxy/password"], "timeout": brief})
	return sessions
}

// plantInClient lets a client say secrets of itself.
func plantInClient(t *testing.T, in *plants, p *product, token string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	password := in.secrets["fill into a password field"]
	transport := func(r *http.Request) (*http.Response, error) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+token)
		for _, name := range []string{"X-BH-Agent-Model", "X-BH-Agent-Harness", "X-BH-Workspace"} {
			r.Header.Set(name, url.PathEscape(password))
		}
		r.Header.Set("User-Agent", token)
		return http.DefaultTransport.RoundTrip(r)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: token, Version: password}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: p.url + "/mcp", HTTPClient: &http.Client{Transport: roundTrip(transport)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, call := range []*mcp.CallToolParams{
		{Name: "launch_session", Arguments: args{"slug": "said"}}, {Name: "list_sessions", Arguments: args{}},
		{Name: "snapshot", Arguments: args{"session_id": token}},
	} {
		if _, err := session.CallTool(ctx, call); err != nil {
			t.Fatal(err)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// plantInAPI makes the requests of an operator that carry a secret, and returns one that sends another.
func plantInAPI(t *testing.T, in *plants, p *product) (send func(method, path, body string) reply) {
	t.Helper()
	const auth = "/api/v1/auth/"
	credentials, err := os.ReadFile(filepath.Join(p.dataDir, "admin", "credentials.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, seed, _ := strings.Cut(string(credentials), "Password:")
	in.secrets["the generated password"], in.passing["the generated password"] = strings.TrimSpace(seed), true
	body := func(v args) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	cookie := ""
	send = func(method, path, body string) reply {
		t.Helper()
		// A client may say anything of itself.
		header := map[string]string{"User-Agent": in.secrets["setting authTokens"], "Cookie": cookie}
		return p.send(exchange{method: method, path: path, body: body, header: header})
	}
	must := func(r reply, status int) reply {
		t.Helper()
		if r.status != status {
			t.Fatalf("%d: %s", r.status, r.body)
		}
		return r
	}
	wrong := in.pass("login body password")
	must(send("POST", auth+"login", body(args{"password": wrong})), http.StatusUnauthorized)
	// People type a password where the name goes.
	must(send("POST", auth+"login", body(args{"username": wrong, "password": wrong})), http.StatusUnauthorized)
	r := must(send("POST", auth+"login", body(args{"password": in.secrets["the generated password"]})), http.StatusOK)
	cookie, _, _ = strings.Cut(r.header.Get("Set-Cookie"), ";")
	_, in.secrets["the cookie of an operator"], _ = strings.Cut(cookie, "=")
	next := in.pass("changePassword body new_password")
	must(send("POST", auth+"change-password", body(args{"current_password": in.pass("changePassword body current_password"), "new_password": next})), http.StatusBadRequest)
	must(send("POST", auth+"change-password", body(args{"current_password": in.secrets["the generated password"], "new_password": next})), http.StatusOK)
	var issued struct{ Token, Grant string }
	take := func(r reply) {
		t.Helper()
		if err := json.Unmarshal([]byte(r.body), &issued); err != nil {
			t.Fatal(err)
		}
	}
	take(must(send("POST", auth+"tokens", body(args{"name": "ci", "kind": "operator"})), http.StatusCreated))
	in.secrets["an issued token"] = issued.Token
	shot := ""
	eventually(t, func() bool {
		if list := p.rows("SELECT id FROM screenshots"); len(list) > 0 {
			shot = list[0]
		}
		return shot != ""
	}, func() string { return "no screenshot is recorded" })
	take(must(send("POST", auth+"grants", body(args{"route": "screenshot", "resource_id": shot})), http.StatusCreated))
	in.secrets["a grant"] = issued.Grant
	if issued.Token == "" || issued.Grant == "" {
		t.Error("the operator is not shown what is its own")
	}
	return send
}

// searchOthers searches what another agent and the operator are answered, whose pages and requests hold
// everything.
func searchOthers(t *testing.T, in *plants, site *site, other *agent, operator func(method, path, body string) reply) {
	t.Helper()
	known := map[string]string{}
	for place, s := range in.secrets {
		if !in.passing[place] {
			known[place] = s
		}
	}
	all := strings.Join(slices.Sorted(maps.Values(known)), "\n")
	site.page("/leak", "Leak", "<pre>"+html.EscapeString(all)+"</pre>")
	id := other.launch()
	other.call("navigate", args{"session_id": id, "url": site.URL + "/leak"})
	raw, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	search := func(what string, got answer, f *failure) {
		t.Helper()
		text, err := json.Marshal([]any{got.fields, f})
		if err != nil {
			t.Fatal(err)
		}
		if f == nil && !strings.Contains(string(text)+got.text, "redacted") {
			t.Errorf("%s of another does not show the page: %s", what, got.text)
		}
		in.look(t, what+" of another", got.text+string(text), func(place string) bool { return in.passing[place] })
	}
	for tool, in := range map[string]args{
		"get_content": {}, "snapshot": {}, "evaluate": {"expression": "[" + string(raw) + "].concat(" + string(raw) + ".split('\\n').flatMap(s => [s, JSON.stringify(s), encodeURIComponent(s), btoa(unescape(encodeURIComponent('u:' + s)))]))"},
		"click": {"selector": "text=" + all, "timeout": brief}, "navigate": {"url": "gopher://" + strings.ReplaceAll(all, "\n", "/")},
	} {
		in["session_id"] = id
		got, f := other.try(tool, in)
		search(tool, got, f)
	}
	other.call("close_session", args{"session_id": id})
	for place, s := range known {
		for _, path := range []string{"/api/v1/auth/tokens?q=" + url.QueryEscape(s), "/api/v1/auth/tokens?cursor=" + url.QueryEscape(s), "/api/v1/auth/sessions"} {
			// A token and a grant are the operator's own.
			skip := func(at string) bool { return in.passing[at] || at == "an issued token" || at == "a grant" }
			in.look(t, "the operator's answer with "+place, operator("GET", path, "").body, skip)
		}
	}
}

// searchFiles searches the data directory, archives included.
func searchFiles(t *testing.T, in *plants, dir string) {
	t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if keepsakes[name] != "" && name == "driver" {
			return fs.SkipDir
		}
		if !e.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if top, _, _ := strings.Cut(name, string(filepath.Separator)); keepsakes[top] != "" {
			found = found || strings.Contains(string(content), in.secrets["a cookie of a storage state"])
			return nil
		}
		in.look(t, name, string(content), nil)
		if archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content))); err == nil {
			for _, f := range archive.File {
				r, err := f.Open()
				if err != nil {
					return err
				}
				inner, err := io.ReadAll(r)
				if err != nil {
					return err
				}
				// A trace has the addresses that were visited.
				in.look(t, name+" "+f.Name, string(inner), func(place string) bool { return place == "a query" || place == "a fragment" })
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		t.Error("the saved login does not hold its cookie, so this search finds nothing")
	}
}
