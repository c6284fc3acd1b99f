package settings

import (
	"testing"
	"testing/fstest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	const (
		info = "MemTotal:       16384000 kB\nMemFree:  1 kB\n"
		host = 16384000 << 10
	)
	for name, c := range map[string]struct {
		files map[string]string
		want  uint64
	}{
		"nothing":           {map[string]string{}, 0},
		"no groups":         {map[string]string{"proc/meminfo": info}, host},
		"no limit":          {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "0::/\n"}, host},
		"max":               {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, host},
		"limit":             {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "1024\n"}, 1024},
		"limit above":       {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "1024\n"}, 1024},
		"container":         {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "0::/../x\n", "sys/fs/cgroup/memory.max": "1024\n"}, 1024},
		"large limit":       {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "99999999999999\n"}, host},
		"only a limit":      {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1024\n"}, 1024},
		"version 1":         {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "9:cpu,cpuacct:/\n7:memory:/docker/4f\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "2048\n"}, 2048},
		"version 1 no":      {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "7:memory:/\n0::/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, host},
		"joint controllers": {map[string]string{"proc/meminfo": info, "proc/self/cgroup": "7:cpu,memory:/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "2048\n"}, 2048},
		"garbage":           {map[string]string{"proc/meminfo": "MemTotal: x kB\nMemTotal: 1 MB\n", "proc/self/cgroup": "x\n\n::\n0::\n", "sys/fs/cgroup/memory.max": "-1\n"}, 0},
	} {
		root := fstest.MapFS{}
		for path, text := range c.files {
			root[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := memoryIn(root); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if memory() == 0 {
		t.Error("this host has no memory")
	}
}
