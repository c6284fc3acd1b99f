package browser_test

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/browserhive/browserhive/internal/browser"
)

// TestSweepEndsOnlyItsOwn uses processes that look like browsers and drivers: the sweep goes by record, start
// time, user, command line and environment.
func TestSweepEndsOnlyItsOwn(t *testing.T) {
	t.Parallel()
	root, elsewhere := shortDir(t), shortDir(t)
	profile := func(name string) string { return filepath.Join(root, "sessions", name, "profile") }
	on := func(profile string) []string {
		return []string{"--headless", "--user-data-dir=" + profile, "about:blank"}
	}
	temporary := "TMPDIR=" + filepath.Join(root, "tmp", "b1")
	script := filepath.Join(root, "tmp", "driver-1", "package", "cli.js")
	type fake struct {
		args        []string
		env         string
		recorded    string // The profile that its record names, "" for none.
		changeStart bool
		otherUser   bool
		ended, left bool
	}
	fakes := map[string]fake{
		"recorded":            {args: on(profile("a")), recorded: profile("a"), ended: true},
		"recorded, temporary": {args: on(root + "/tmp/b2/profile"), recorded: root + "/tmp/b2/profile", ended: true},
		"another start":       {args: on(profile("c")), recorded: profile("c"), changeStart: true, left: true},
		"another profile":     {args: on(profile("d")), recorded: profile("e"), left: true},
		"no record":           {args: on(profile("f")), env: temporary, ended: true},
		"no record, rewritten command line": {
			args: []string{"--headless --user-data-dir=" + profile("g") + " --no-first-run about:blank"}, env: temporary, ended: true,
		},
		"socket elsewhere":        {args: on(profile("h")), env: "TMPDIR=/tmp/browserhive-1", ended: true},
		"driver":                  {args: []string{script, "run-driver"}, env: temporary, ended: true},
		"driver without proof":    {args: []string{script, "run-driver"}, left: true},
		"started by hand":         {args: on(profile("i")), left: true},
		"editor":                  {args: []string{script}, env: temporary},
		"child":                   {args: append(on(profile("j")), "--type=renderer"), env: temporary},
		"another root":            {args: on(filepath.Join(elsewhere, "sessions", "a", "profile")), recorded: elsewhere + "/sessions/a/profile", env: temporary},
		"a data directory inside": {args: on(root + "/inner/sessions/a/profile"), recorded: root + "/inner/sessions/a/profile", env: "TMPDIR=" + root + "/inner/tmp/b1"},
	}
	if os.Geteuid() == 0 {
		fakes["another user"] = fake{args: on(profile("k")), env: temporary, otherUser: true, left: true}
	}
	processes := map[string]*exec.Cmd{}
	ended, left := 0, 0
	for name, f := range fakes {
		cmd := exec.Command("/bin/sh", append([]string{"-c", "read line", "sh"}, f.args...)...)
		cmd.Env, cmd.Dir = []string{f.env}, "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if f.otherUser {
			cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		}
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		processes[name] = cmd
		t.Cleanup(func() { stdin.Close(); _ = cmd.Wait() })
		if f.recorded != "" {
			started := startTicks(t, cmd.Process.Pid)
			if f.changeStart {
				started += "0"
			}
			record(t, f.recorded, fmt.Sprintf(`{"pid":%d,"started":%q,"profile":%q}`, cmd.Process.Pid, started, f.recorded))
		}
		if f.ended {
			ended++
		}
		if f.left {
			left++
		}
	}
	record(t, profile("junk"), "not json")
	record(t, profile("no"), `{"pid":0,"started":"0","profile":"`+profile("no")+`"}`)
	record(t, profile("negative"), `{"pid":-1,"started":"0","profile":"`+profile("negative")+`"}`)

	stale := browser.Sweep(root, slog.New(slog.DiscardHandler))
	if stale.Ended != ended || stale.Left() != left {
		t.Errorf("ended %d processes and left %d, want %d and %d", stale.Ended, stale.Left(), ended, left)
	}
	for name, f := range fakes {
		if running := alive(processes[name].Process.Pid); running == f.ended {
			t.Errorf("%s: running %v", name, running)
		}
	}
	for name, f := range fakes {
		if f.left {
			kill(t, processes[name].Process.Pid)
		}
	}
	until(t, "none to be left", func() bool { return stale.Left() == 0 })
}

// record writes the record of a process beside its profile.
func record(t *testing.T, profile, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(profile), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(profile+".pid", []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// startTicks is field 22 of /proc/<pid>/stat; the name of sh has no space to count.
func startTicks(t *testing.T, pid int) string {
	t.Helper()
	stat, err := os.ReadFile(filepath.Join("/proc", itoa(pid), "stat"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(stat))[21]
}
