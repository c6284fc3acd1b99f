package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// The programs under test, built once.
var browserhive, conformance string

// buildFlags are more flags for go build.
var buildFlags []string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	// The places bound the tests that work at once, unless the caller does.
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", "1000"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	dir, err := os.MkdirTemp("", "bh-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", append(append([]string{"build", "-o", dir + string(filepath.Separator)}, buildFlags...),
		"./cmd/browserhive", "./internal/mcpapi/conformance")...)
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	browserhive = filepath.Join(dir, "browserhive"+suffix)
	conformance = filepath.Join(dir, "conformance"+suffix)
	return m.Run()
}
