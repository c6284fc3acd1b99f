package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/browserhive/browserhive/docs/docstest"
)

// newcomer is somebody with the sources, an empty home and the guides.
type newcomer struct {
	*testing.T
	root, home string
	env        []string
}

func newNewcomer(t *testing.T) *newcomer {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	n := &newcomer{T: t, root: root, home: shortDir(t)}
	n.env = []string{
		"HOME=" + n.home, "TMPDIR=" + shortDir(t), "PATH=" + filepath.Join(root, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		// A Chromium of the host will do, as on hosts without Playwright's downloads.
		"PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1",
		"npm_config_registry=" + n.output("npm", "config", "get", "registry"),
	}
	// What go has fetched and built before is no part of a home, or each run would take minutes.
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOFLAGS", "GOTOOLCHAIN"} {
		n.env = append(n.env, name+"="+n.output("go", "env", name))
	}
	return n
}

// output is what a program of the host prints.
func (n *newcomer) output(name string, args ...string) string {
	n.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		n.Fatalf("%s %v: %v", name, args, err)
	}
	return strings.TrimSpace(string(out))
}

// shell runs a command as a guide has it.
func (n *newcomer) shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.Dir, cmd.Env = n.root, n.env
	cmd.WaitDelay = patience
	return cmd
}

// runs wants a command to end with one of the exit codes.
func (n *newcomer) runs(command string, codes ...int) {
	n.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 4*patience)
	defer cancel()
	var out []byte
	cmd := n.shell(ctx, command)
	rest(func() { out, _ = cmd.CombinedOutput() })
	if code := cmd.ProcessState.ExitCode(); !slices.Contains(codes, code) {
		n.Fatalf("%s: exit %d\n%s", command, code, out)
	}
}

// serves runs a command that serves until do is done, and stops it as Ctrl-C does.
func (n *newcomer) serves(command, url string, do func()) {
	n.Helper()
	cmd := n.shell(context.Background(), command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	log := newTranscript()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		n.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	defer func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
		rest(func() { <-ended }) // WaitDelay bounds it, or the server's own timeout.
		if n.Failed() {
			n.Logf("%s:\n%s", command, log)
		}
	}()
	rest(func() {
		eventually(n, func() bool {
			select {
			case <-ended:
				n.Fatalf("%s ended", command)
			default:
			}
			answer, err := http.Get(url + "/health")
			if err != nil {
				return false
			}
			defer answer.Body.Close()
			_, _ = io.Copy(io.Discard, answer.Body)
			return answer.StatusCode == http.StatusOK
		}, func() string { return command + " does not serve" })
	})
	do()
}

// find is the part of a document that a pattern takes.
func (n *newcomer) find(file, pattern string) string {
	n.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(docstest.Read(n, "..", file))
	if m == nil {
		n.Fatalf("%s has nothing like %s", file, pattern)
	}
	return m[len(m)-1]
}

// clients are the configurations of clients that a document shows, those over HTTP and those over stdio.
func (n *newcomer) clients(file string) (http, stdio []map[string]any) {
	n.Helper()
	for _, block := range docstest.Blocks(n, "..", file) {
		if block.Language != "json" {
			continue
		}
		var shown struct{ MCPServers, Servers map[string]map[string]any }
		if err := json.Unmarshal([]byte(block.Text), &shown); err != nil {
			n.Fatalf("%s:%d: %v", file, block.Line, err)
		}
		for _, servers := range []map[string]map[string]any{shown.MCPServers, shown.Servers} {
			for _, server := range servers {
				if server["url"] != nil {
					http = append(http, server)
				} else {
					stdio = append(stdio, server)
				}
			}
		}
	}
	if len(http) == 0 || len(stdio) == 0 {
		n.Fatalf("%s shows no client over HTTP, or none over stdio", file)
	}
	return http, stdio
}

// A newcomer gets from the sources to a page that a client opens by what the guides say alone.
func TestNewcomer(t *testing.T) {
	first(t)
	n := newNewcomer(t)
	site := newSite(t)
	const listed = "127.0.0.1:9876"
	port := fmt.Sprint(freePort(t))
	address := "127.0.0.1:" + port
	overHTTP, overStdio := n.clients("README.md")

	// README: one command, with the flags where it says that they go.
	command := n.find("README.md", "`(make run ARGS=[^`]*)`")
	if !strings.Contains(docstest.Read(t, "..", "README.md"), "```bash\nmake run ") {
		t.Error("the README does not begin with make run")
	}
	command = strings.Replace(command, n.find("README.md", `make run ARGS="--port (\d+)"`), port, 1)
	dir := n.find("README.md", "make run ARGS=[^`]* DATA_DIR=([^`\\s]+)")
	command = strings.Replace(command, dir, filepath.Join(n.home, "bh"), 1)
	n.serves(command, "http://"+address, func() {
		for _, server := range overHTTP {
			url := strings.Replace(server["url"].(string), listed, address, 1)
			if url == server["url"] {
				t.Fatalf("the client is told of %v", url)
			}
			checkErrand(t, site, map[string]any{"url": url}) // Without tokens the header is left out.
		}
	})

	// Installation: the same step by step, on the data directory that is the default.
	var steps []string
	for _, block := range docstest.Blocks(t, "..", "docs/guide/install.md") {
		if block.Language == "bash" && steps == nil && block.NotRun == "" {
			steps = block.Lines()
		}
	}
	serve := steps[len(steps)-1]
	if len(strings.Fields(serve)) != 1 {
		t.Fatalf("the last step is %s, which does not serve", serve)
	}
	for _, step := range steps[:len(steps)-1] {
		n.runs(step, 0, 2) // doctor warns of a sandbox that is off.
	}
	n.serves(serve+" --port "+port, "http://"+address, func() {
		checkErrand(t, site, map[string]any{"url": "http://" + address + "/mcp"})
	})

	// Command line: what changes nothing and needs nothing.
	ran := 0
	for _, block := range docstest.Blocks(t, "..", "docs/guide/cli.md")[:1] {
		for _, line := range block.Lines() {
			line, _, _ = strings.Cut(line, "    ")
			for _, one := range docstest.Spelled(line) {
				if at := strings.Fields(one); len(at) > 1 && slices.Contains([]string{"config", "completion", "version", "help", "doctor"}, at[1]) {
					n.runs(one, 0, 2)
					ran++
				}
			}
		}
	}
	if ran < 8 {
		t.Errorf("only %d commands of the guide were run", ran)
	}

	// A client that starts the program by itself.
	for _, server := range overStdio[:1] {
		env := map[string]string{}
		for _, pair := range n.env {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		server["env"] = env
		delete(server, "type")
		checkErrand(t, site, server)
	}
}

// The first session of the guide goes as it is written there, on a page like the one that it opens.
func TestFirstSessionOfTheGuide(t *testing.T) {
	work(t)
	site := newSite(t)
	site.page("/", "Example Domain", `<div><h1>Example Domain</h1><p>This domain is for use in documentation examples.</p><p><a href="/form">Learn more</a></p></div>`)
	a := tenant(t).connect(stateful)
	session, written := "", ""
	ran := 0
	for _, block := range docstest.Blocks(t, "..", "docs/guide/clients.md") {
		if !strings.HasPrefix(block.Text, "launch_session ") {
			continue
		}
		for line := range strings.Lines(block.Text) {
			tool, rest, _ := strings.Cut(line, " ")
			call, shown, _ := strings.Cut(rest, "→")
			if session != "" {
				call = strings.ReplaceAll(call, written, session)
			}
			var in args
			if err := json.NewDecoder(bytes.NewBufferString(strings.ReplaceAll(call, "https://example.com", site.URL))).Decode(&in); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			out := a.call(tool, in)
			ran++
			switch shown = strings.Trim(shown, " …\n"); tool {
			case "launch_session":
				session, _ = out.fields["session_id"].(string)
				written = strings.TrimPrefix(shown, "session_id ")
				if slug, _, _ := strings.Cut(written, "-"); slug != in["slug"] || len(written) != len(session) {
					t.Errorf("the session is %s, and in the guide %s", session, written)
				}
			case "snapshot":
				if tree := out.fields["tree"].(string); !strings.Contains(tree, shown) {
					t.Errorf("no %s in\n%s", shown, tree)
				}
			}
		}
	}
	if ran < 5 {
		t.Errorf("the guide has %d calls", ran)
	}
}
