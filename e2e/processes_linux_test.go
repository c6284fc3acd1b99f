package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// process is a process of this host. A pid alone is used again; with the start time it names one for
// good.
type process struct {
	pid     int
	started string
	command string
}

// running reads the process table. Zombies are left out: they hold nothing, and without an init nobody
// collects them.
func running(t testing.TB) (list []process, parents map[int]int) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	parents = map[int]int{}
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(dir + "/stat")
		if err != nil {
			continue // gone meanwhile
		}
		// The name in parentheses may hold anything; the fields after it do not.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) < 20 || fields[0] == "Z" {
			continue
		}
		command, _ := os.ReadFile(dir + "/cmdline")
		parents[pid], _ = strconv.Atoi(fields[1])
		list = append(list, process{pid, fields[19], string(bytes.ReplaceAll(command, []byte{0}, []byte{' '}))})
	}
	return list, parents
}

// family is everything that the program started, down to grandchildren, and whatever runs on its data
// directory.
func (p *product) family() []process {
	p.t.Helper()
	list, parents := running(p.t)
	var out []process
	for _, one := range list {
		if one.pid == p.cmd.Process.Pid {
			continue
		}
		descends := false
		for pid, steps := one.pid, 0; pid > 1 && steps < 100; pid, steps = parents[pid], steps+1 {
			descends = descends || parents[pid] == p.cmd.Process.Pid
		}
		if descends || strings.Contains(one.command, p.dataDir) {
			out = append(out, one)
		}
	}
	return out
}

// program is the name of what a process runs.
func (p process) program() string {
	path, _, _ := strings.Cut(p.command, " ")
	return filepath.Base(path)
}

func count(list []process, program string) int {
	n := 0
	for _, p := range list {
		if p.program() == program {
			n++
		}
	}
	return n
}

// gone waits until none of the processes runs, nor any browser on the data directory.
func (p *product) gone(family []process) {
	p.t.Helper()
	var left []process
	eventually(p.t, func() bool {
		alive := map[process]bool{}
		list, _ := running(p.t)
		left = nil
		for _, one := range list {
			alive[process{pid: one.pid, started: one.started}] = true
			if strings.Contains(one.command, p.dataDir) && one.program() != filepath.Base(browserhive) {
				left = append(left, one)
			}
		}
		for _, one := range family {
			if alive[process{pid: one.pid, started: one.started}] {
				left = append(left, one)
			}
		}
		return len(left) == 0
	}, func() string { return fmt.Sprintf("still running: %+v", left) })
}

// A session has renderers for its pages alone, and none for the suggestions of an address bar.
func TestSessionsHaveNoRendererOfTheirWindow(t *testing.T) {
	work(t)
	p := tenant(t)
	a := p.connect(stateful)
	id := a.launch()
	a.evaluate(id, "1")
	renderers := 0
	for _, one := range p.processes(id) {
		if strings.Contains(one.command, "--top-chrome-webui") {
			t.Errorf("runs %s", one.command)
		}
		if strings.Contains(one.command, "--type=renderer") {
			renderers++
		}
	}
	if renderers == 0 {
		t.Error("no renderer is found at all")
	}
}
