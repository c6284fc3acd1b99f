//go:build unix

package browser_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/types"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/browser/browsertest"
	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/hosttest"
)

// kill ends a process that the test started, as kill -9 does.
func kill(t *testing.T, pid int) {
	t.Helper()
	if pid <= 1 {
		t.Fatalf("will not kill %d", pid)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("killing %d: %v", pid, err)
	}
}

// atOnce is how fast the end of a process must be noticed. It takes some 50 ms on an idle host.
var atOnce = hosttest.Limit(5 * time.Second)

// Both answers to a dialog tell of a browser that dies under them.
func TestBrowserThatDiesUnderADialogIsNoticed(t *testing.T) {
	t.Parallel()
	drivers := browsertest.Drivers(t)
	for _, accept := range []bool{true, false} {
		b := browsertest.Launch(t, drivers, browser.LaunchOptions{})
		page := activePage(t, b)
		_, err := page.Evaluate(t.Context(), "confirm('?')")
		wantDialog(t, err, "confirm", "?")
		if err := syscall.Kill(b.PID(), syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		answered := make(chan error, 1)
		go func() { answered <- page.AnswerNextDialog(context.Background(), browser.DialogAnswer{Accept: accept}) }()
		until(t, "the answer to be on its way", func() bool { return page.HasNoDialog() })
		kill(t, b.PID())
		select {
		case err := <-answered:
			wantCode(t, err, errcode.CodeBrowserCrashed)
		case <-time.After(atOnce):
			t.Fatal("the answer did not notice")
		}
	}
}

func TestKilledBrowserIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	drivers := browsertest.Drivers(t)
	b := browsertest.Launch(t, drivers, browser.LaunchOptions{})
	other := browsertest.Launch(t, drivers, browser.LaunchOptions{})
	page := activePage(t, b)

	// A call is on its way when the browser dies.
	running := make(chan error, 1)
	go func() {
		_, err := page.Evaluate(context.Background(), "new Promise(() => {})")
		running <- err
	}()
	evaluate(t, page, "1") // The call before it has arrived.
	kill(t, b.PID())
	select {
	case err := <-running:
		wantCode(t, err, errcode.CodeBrowserCrashed)
	case <-time.After(atOnce):
		t.Fatal("the call did not notice")
	}
	select {
	case <-b.Done():
	case <-time.After(atOnce):
		t.Fatal("Done did not notice")
	}
	wantCode(t, b.Err(), errcode.CodeBrowserCrashed)
	_, err := page.Title(t.Context())
	wantCode(t, err, errcode.CodeBrowserCrashed)
	_, err = b.Page("")
	wantCode(t, err, errcode.CodeBrowserCrashed)
	if err := b.Close(t.Context()); err != nil {
		t.Errorf("closing what has crashed: %v", err)
	}
	if evaluate(t, activePage(t, other), "2") != "2" {
		t.Error("the other session suffered")
	}
}

func TestPreparedBrowserThatDiesIsNotAdopted(t *testing.T) {
	t.Parallel()
	drivers := browsertest.Drivers(t)
	o := browser.LaunchOptions{SessionID: "adopted-00000004", Channel: "chromium", Headless: true}
	prepared := prepare(t, drivers, o)
	kill(t, prepared.PID())
	select {
	case <-prepared.Done():
	case <-time.After(atOnce):
		t.Fatal("its end was not noticed")
	}
	_, err := drivers.Adopt(t.Context(), prepared, o)
	wantCode(t, err, errcode.CodeBrowserCrashed)

	// And one that dies when it has just been adopted is noticed as any other.
	b, err := drivers.Adopt(t.Context(), prepare(t, drivers, o), o)
	if err != nil {
		t.Fatal(err)
	}
	kill(t, b.PID())
	select {
	case <-b.Done():
	case <-time.After(atOnce):
		t.Fatal("the end of an adopted browser was not noticed")
	}
	wantCode(t, b.Err(), errcode.CodeBrowserCrashed)
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestKilledDriverEndsItsSessionsAndNoOthers(t *testing.T) {
	t.Parallel()
	found := browsertest.Installation(t)
	drivers := browser.NewDrivers(browser.DriverOptions{
		Root: shortDir(t), Installation: func() install.Installation { return found }, PerDriver: 1, Env: os.Getenv,
	})
	defer browsertest.Stop(t, drivers)
	lost := browsertest.Launch(t, drivers, browser.LaunchOptions{})
	kept := browsertest.Launch(t, drivers, browser.LaunchOptions{})
	driver := parent(t, lost.PID())
	if driver == parent(t, kept.PID()) {
		t.Fatal("both sessions are on one driver")
	}
	page := activePage(t, lost)
	var callers sync.WaitGroup
	for range 4 { // Whatever a call meets at that moment, such as a pipe that breaks under it.
		callers.Go(func() {
			for lost.Err() == nil {
				if _, err := page.Title(context.Background()); err != nil {
					wantCode(t, err, errcode.CodeBrowserCrashed)
				}
			}
		})
	}
	defer callers.Wait()
	kill(t, driver)
	select {
	case <-lost.Done():
	case <-time.After(atOnce):
		t.Fatal("the session did not notice")
	}
	wantCode(t, lost.Err(), errcode.CodeBrowserCrashed)
	until(t, "the browser to end", func() bool { return !alive(lost.PID()) })
	if evaluate(t, activePage(t, kept), "2") != "2" {
		t.Error("the other session suffered")
	}
	again := browsertest.Launch(t, drivers, browser.LaunchOptions{})
	if evaluate(t, activePage(t, again), "3") != "3" {
		t.Error("a launch after the death does not work")
	}
}

// The engines have drivers of their own, so a death on one is none on the other.
func TestKilledDriverEndsNoSessionOfAnotherEngine(t *testing.T) {
	t.Parallel()
	drivers := browsertest.New(shortDir(t), browsertest.Installation(t), os.Getenv)
	defer browsertest.Stop(t, drivers)
	lost := browsertest.Launch(t, drivers, browser.LaunchOptions{Stealth: true, Engine: types.EnginePatchright})
	kept := browsertest.Launch(t, drivers, browser.LaunchOptions{Stealth: true, Engine: types.EnginePlaywright})
	driver := parent(t, lost.PID())
	if driver == parent(t, kept.PID()) {
		t.Fatal("both engines are on one driver")
	}
	kill(t, driver)
	select {
	case <-lost.Done():
	case <-time.After(atOnce):
		t.Fatal("the session did not notice")
	}
	wantCode(t, lost.Err(), errcode.CodeBrowserCrashed)
	if evaluate(t, activePage(t, kept), "2") != "2" {
		t.Error("the other engine's session suffered")
	}
	again := browsertest.Launch(t, drivers, browser.LaunchOptions{Stealth: true, Engine: types.EnginePatchright})
	if again.Engine() != types.EnginePatchright || evaluate(t, activePage(t, again), "3") != "3" {
		t.Error("a launch after the death does not work")
	}
	if kept.Err() != nil {
		t.Error(kept.Err())
	}
}

// A page whose process crashes, even while it is asked for something, leaves its driver to the others.
func TestCrashedPageLeavesItsDriverToOthers(t *testing.T) {
	t.Parallel()
	site := browsertest.Site(t)
	drivers := browsertest.New(shortDir(t), browsertest.Installation(t), os.Getenv)
	defer browsertest.Stop(t, drivers)
	for _, engine := range []types.Engine{types.EnginePlaywright, types.EnginePatchright} {
		lost := browsertest.Launch(t, drivers, browser.LaunchOptions{Stealth: true, Engine: engine})
		other := browsertest.Launch(t, drivers, browser.LaunchOptions{Stealth: true, Engine: engine})
		page := activePage(t, lost)
		open(t, page, site.URL)
		asked := make(chan struct{})
		go func() { // Ends with the page.
			defer close(asked)
			for {
				if _, err := page.Evaluate(context.Background(), "1"); err != nil {
					return
				}
			}
		}()
		go func() { _ = page.OpenPastPolicy("chrome://crash/") }()
		select {
		case <-asked:
		case <-time.After(soon):
			t.Fatalf("%s: the crash goes unnoticed", engine)
		}
		if evaluate(t, activePage(t, other), "2") != "2" {
			t.Errorf("%s: the other session suffered", engine)
		}
	}
}

// A driver that hangs must not hide the end of a browser, nor hold up Stop.
func TestKilledBrowserIsNoticedWhileItsDriverHangs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only the driver tells on this platform")
	}
	drivers := browsertest.New(shortDir(t), browsertest.Installation(t), os.Getenv)
	b := browsertest.Launch(t, drivers, browser.LaunchOptions{})
	if err := syscall.Kill(parent(t, b.PID()), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	kill(t, b.PID())
	select {
	case <-b.Done():
	case <-time.After(atOnce):
		t.Error("Done did not notice")
	}
	wantCode(t, b.Err(), errcode.CodeBrowserCrashed)
	browsertest.Stop(t, drivers)
}

// serverRole makes the test binary play a server that is killed; its value is the data directory.
const serverRole = "BROWSER_TEST_SERVER"

func TestMain(m *testing.M) {
	if root := os.Getenv(serverRole); root != "" {
		serve(root)
		return
	}
	os.Exit(m.Run())
}

// serve launches a browser, says which processes there are, and waits to be killed.
func serve(root string) {
	drivers := browser.NewDrivers(browser.DriverOptions{
		Root: root, Env: os.Getenv,
		Installation: func() install.Installation {
			return install.Find(context.Background(), os.Getenv(serverRole+"_DRIVER"), os.Getenv)
		},
	})
	b, err := drivers.Launch(context.Background(), browser.LaunchOptions{
		Channel: "chromium", Headless: true, ProfileDir: filepath.Join(root, "sessions", "one", "profile"),
	})
	if err != nil {
		fmt.Println("failed:", err)
		return
	}
	fmt.Println(b.PID())
	_, _ = io.Copy(io.Discard, os.Stdin) // Until the test ends, should it forget us.
}

func TestKilledServerLeavesNoBrowser(t *testing.T) {
	t.Parallel()
	found := browsertest.Installation(t)
	root := shortDir(t)
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), serverRole+"="+root, serverRole+"_DRIVER="+filepath.Dir(filepath.Dir(found.DriverDir)))
	stdin, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	var pid int
	if _, err := fmt.Sscan(line, &pid); err != nil {
		_ = server.Process.Kill()
		_ = server.Wait()
		t.Fatalf("the server said %q", line)
	}
	driver := parent(t, pid)
	kill(t, server.Process.Pid)
	_ = server.Wait()
	until(t, "driver and browser to end", func() bool { return !alive(pid) && !alive(driver) })

	// The next server finds the record, and no process to end for it.
	record := filepath.Join(root, "sessions", "one", "profile.pid")
	if _, err := os.Stat(record); err != nil {
		t.Fatalf("the record of the process: %v", err)
	}
	if stale := browser.Sweep(root, slog.New(slog.DiscardHandler)); stale.Ended != 0 || stale.Left() != 0 {
		t.Errorf("found %+v", stale)
	}
	if _, err := os.Stat(record); err == nil {
		t.Error("the record stayed")
	}
	if _, err := os.Stat(filepath.Join(root, "tmp")); err == nil {
		t.Error("temporary files stayed")
	}
}
