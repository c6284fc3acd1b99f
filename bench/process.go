package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// process is a process below the server, as /proc shows it; other systems have no such figures.
type process struct {
	pid     int
	command string
}

// family is the server and everything that it started.
func (p *product) family() ([]process, error) {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(dirs) == 0 {
		return nil, fmt.Errorf("no processes in /proc: %w", err)
	}
	parents, all := map[int]int{}, []process(nil)
	for _, dir := range dirs {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // gone meanwhile
		}
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			return nil, err
		}
		// The name in parentheses may hold anything; the fields after it do not.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) < 2 || fields[0] == "Z" {
			continue
		}
		if parents[pid], err = strconv.Atoi(fields[1]); err != nil {
			return nil, err
		}
		command, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		all = append(all, process{pid, string(bytes.ReplaceAll(command, []byte{0}, []byte{' '}))})
	}
	var family []process
	for _, one := range all {
		for pid, steps := one.pid, 0; pid > 1 && steps < len(all); pid, steps = parents[pid], steps+1 {
			if pid == p.cmd.Process.Pid {
				family = append(family, one)
				break
			}
		}
	}
	return family, nil
}

// pss is the proportional set size of a process in MB: its own memory, and its part of what it shares.
func (p process) pss() (float64, error) {
	rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p.pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(rollup)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "Pss:" {
			kib, err := strconv.ParseFloat(f[1], 64)
			return kib * 1024 / 1e6, err
		}
	}
	return 0, fmt.Errorf("process %d has no Pss", p.pid)
}

// isServer, isDriver: the rest of a family is Chromium.
func (p process) isServer() bool { return strings.HasSuffix(p.program(), "browserhive") }
func (p process) isDriver() bool { return p.program() == "node" }

func (p process) program() string {
	path, _, _ := strings.Cut(p.command, " ")
	return filepath.Base(path)
}
