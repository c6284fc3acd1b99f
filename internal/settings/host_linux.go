package settings

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

func memory() uint64 { return memoryIn(os.DirFS("/")) }

// memoryIn reads the memory of the host below root, and every limit between the control group of this
// process and the topmost one, in both versions of the interface.
func memoryIn(root fs.FS) uint64 {
	total := totalMemory(root)
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return total
	}
	for line := range strings.Lines(string(groups)) {
		// "0::/user.slice" in version 2, "7:memory:/docker/4f…" in version 1.
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		group := path.Clean("/" + parts[2])
		if parts[0] == "0" && parts[1] == "" {
			total = smallest(total, limits(root, "sys/fs/cgroup", group, "memory.max"))
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			if controller == "memory" {
				total = smallest(total, limits(root, "sys/fs/cgroup/memory", group, "memory.limit_in_bytes"))
			}
		}
	}
	return total
}

// totalMemory reads the line "MemTotal: 16384 kB", or returns 0.
func totalMemory(root fs.FS) uint64 {
	info, err := fs.ReadFile(root, "proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(info)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemTotal:" && f[2] == "kB" {
			kib, err := strconv.ParseUint(f[1], 10, 53)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}

// limits returns the smallest limit of a group and those above it, or 0 for none. In a container the group
// can carry a name of the host that does not exist inside; the mount itself is then the container's group.
func limits(root fs.FS, mount, group, file string) uint64 {
	var limit uint64
	for ; ; group = path.Dir(group) {
		if text, err := fs.ReadFile(root, path.Join(mount, group, file)); err == nil {
			// "max", the absence of a limit in version 2, is no number.
			if n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil {
				limit = smallest(limit, n)
			}
		}
		if group == "/" {
			return limit
		}
	}
}

// smallest is the smaller of two numbers of which 0 means unknown.
func smallest(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a, b)
}
