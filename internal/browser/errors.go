package browser

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// This file is the one place where an error of the driver becomes one of the contract. An error that
// leaves the package without a code is a fault of our own, which the caller reports as INTERNAL_ERROR.

// noTab is the tab id in TAB_NOT_FOUND when a call names no tab and none is open.
const noTab = "<active>"

// browserOf names the browser of a channel that init does not install, and the command that does.
var browserOf = map[string]struct{ name, command string }{
	"chrome": {"Google Chrome", "npx playwright install chrome"},
	"edge":   {"Microsoft Edge", "npx playwright install msedge"},
}

// notInstalled says what a host lacks for sessions of a channel, and the command that brings it there.
func notInstalled(channel, command string, missing ...string) *contract.Error {
	return errcode.BrowserNotInstalled{Channel: channel, InstallCommand: command, Missing: missing}.Err()
}

// NoPatchright is why nothing starts that has to run on Patchright. command installs it.
func NoPatchright(command string) *contract.Error {
	err := notInstalled("chromium", command, "Patchright")
	err.Message = fmt.Sprintf("Patchright is not installed, which stealthDriver=patchright asks for; run '%s' on the host.", command)
	return err
}

func crashed(sessionID string, cause error) *contract.Error {
	return errcode.BrowserCrashed{SessionID: sessionID}.Err().Because(brief(cause))
}

func tabNotFound(sessionID, tabID string) *contract.Error {
	return errcode.TabNotFound{SessionID: sessionID, TabID: tabID}.Err()
}

func pageClosed(tabID string, cause error) *contract.Error {
	return errcode.PageClosed{TabID: tabID}.Err().Because(brief(cause))
}

func dialogOpen(open *openDialog) *contract.Error {
	return errcode.DialogOpen{
		TabID: open.page.id, Type: errcode.DialogOpenType(open.pw.Type()), Message: shownText(open.pw.Message()),
	}.Err()
}

func blocked(address, pattern string) *contract.Error {
	return errcode.URLBlocked{URL: recorded(address), Pattern: pattern}.Err()
}

func invalidArgument(path, message string, cause error) *contract.Error {
	return errcode.InvalidArguments{
		Issues: []errcode.InvalidArgumentsIssuesItem{{Path: path, Message: message}},
	}.Err().Because(cause)
}

func elementNotFound(selector string, count int) *contract.Error {
	n := int64(count)
	return errcode.ElementNotFound{Selector: selector, Count: &n}.Err()
}

func notActionable(selector, detail string, cause error) *contract.Error {
	return errcode.ElementNotActionable{Selector: selector, Detail: &detail}.Err().Because(brief(cause))
}

func waitTimeout(what string, limit time.Duration, cause error) *contract.Error {
	return errcode.WaitTimeout{What: what, TimeoutMs: limit.Milliseconds()}.Err().Because(brief(cause))
}

func scriptError(message string, cause error) *contract.Error {
	return errcode.ScriptError{Message: shownText(firstLine(message))}.Err().Because(cause)
}

func uploadFailed(reason string, cause error) *contract.Error {
	return errcode.UploadFailed{Reason: reason}.Err().Because(brief(cause))
}

// uploadFaults are the driver's words for an element that does not take the files, and ours.
var uploadFaults = map[string]string{
	"Node is not an HTMLInputElement":  "the element is not a file input",
	"Node is not an HTMLElement":       "the element is not a file input",
	"Non-multiple file input":          "the input takes one file only",
	"[webkitdirectory] input requires": "the input takes a directory, not files",
}

// orUploadFailed turns the driver's word for an element that does not take the files into UPLOAD_FAILED.
func orUploadFailed(err error) error {
	if err == nil {
		return nil
	}
	message, _ := driverMessage(err)
	for theirs, ours := range uploadFaults {
		if strings.Contains(message, theirs) {
			return uploadFailed(ours, err)
		}
	}
	return err
}

func downloadFailed(reason string, cause error) *contract.Error {
	return errcode.DownloadFailed{Reason: reason}.Err().Because(brief(cause))
}

func callTimeout(limit time.Duration) *contract.Error {
	return errcode.CallTimeout{TimeoutMs: limit.Milliseconds()}.Err()
}

// ended says why ctx ended a call that began at the given time: its deadline, or its client.
func ended(ctx context.Context, began time.Time) *contract.Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		deadline, _ := ctx.Deadline()
		return callTimeout(max(deadline.Sub(began).Round(100*time.Millisecond), 0)) // It began a moment before.
	}
	return errcode.CallCancelled{}.Err()
}

// navigationError maps a failed navigation to the address.
func navigationError(address string, limit time.Duration, err error) error {
	message, _ := driverMessage(err)
	switch {
	case errors.Is(err, playwright.ErrTimeout):
		return errcode.NavigationTimeout{URL: recorded(address), TimeoutMs: limit.Milliseconds()}.Err().Because(brief(err))
	case strings.Contains(message, "Cannot navigate to invalid URL"), strings.Contains(message, "Invalid url"):
		return invalidArgument("url", "not a URL that a browser can open", brief(err))
	}
	netError := netErrorPattern.FindString(message)
	if netError == "" {
		// A download, or a newer navigation, took the place of this one; Chromium calls that aborted.
		netError = "net::ERR_ABORTED"
	}
	return errcode.NavigationFailed{URL: recorded(address), NetError: netError}.Err().Because(brief(err))
}

var netErrorPattern = regexp.MustCompile(`net::ERR_[A-Z0-9_]+`)

// blockedByClient reports whether a navigation failed because we did not let it through.
func blockedByClient(err error) bool {
	return netErrorPattern.FindString(err.Error()) == "net::ERR_BLOCKED_BY_CLIENT"
}

// opensErrorPage reports whether Chromium shows its error page for a failed navigation. After an
// aborted one the old page stays.
func opensErrorPage(err error) bool {
	netError := netErrorPattern.FindString(err.Error())
	return netError != "" && netError != "net::ERR_ABORTED"
}

// superseded reports whether a navigation failed only because an older one, such as the error page of
// the address before, arrived in the middle of it.
func superseded(err error) bool {
	message, _ := driverMessage(err)
	return strings.Contains(message, "is interrupted by another navigation")
}

// obstacle says in a few words what kept an action from an element, from the driver's log of its
// attempts; "" when the log does not tell.
func obstacle(err error) string {
	message, log := driverMessage(err)
	lines := strings.Split(log, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimLeft(strings.TrimSpace(lines[i]), "- ")
		if cover, ok := strings.CutSuffix(line, " intercepts pointer events"); ok {
			return "covered by " + cover
		}
		if word, ok := obstacles[line]; ok {
			return word
		}
	}
	if errors.Is(err, playwright.ErrTimeout) {
		return ""
	}
	return strings.TrimPrefix(firstLine(message), "Error: ")
}

var obstacles = map[string]string{
	"element is not visible":                      "hidden",
	"element is not enabled":                      "disabled",
	"element is not editable":                     "read-only",
	"element is not stable":                       "moving",
	"element is outside of the viewport":          "outside of the viewport",
	"did not find some options":                   "an option is missing",
	"element was detached from the DOM, retrying": "detached",
}

// targetGone reports whether the driver refused a call because page, browser or driver is gone.
func targetGone(err error) bool {
	message, _ := driverMessage(err)
	return errors.Is(err, playwright.ErrTargetClosed) ||
		strings.Contains(message, "Target crashed") || strings.Contains(message, "Page crashed") ||
		strings.Contains(message, "Connection closed") || strings.Contains(message, "transport closed") ||
		strings.Contains(message, "could not send message") // The pipe breaks a moment before anybody knows why.
}

// contextLost reports whether the page navigated away while a call looked at it.
func contextLost(err error) bool {
	message, _ := driverMessage(err)
	return strings.Contains(message, "Execution context was destroyed") ||
		strings.Contains(message, "Cannot find context with specified id") ||
		strings.Contains(message, "Frame was detached") ||
		strings.Contains(message, "the page is navigating and changing the content")
}

// driverMessage returns what the driver says and the log of how it came to that.
func driverMessage(err error) (message, log string) {
	text, log, _ := strings.Cut(err.Error(), "\nCall log:")
	var own *playwright.Error
	if errors.As(err, &own) {
		text, _, _ = strings.Cut(own.Message, "\nCall log:")
	}
	return text, log
}

// maxCause bounds what of a driver's error is kept for the log: a crash comes with pages of the
// browser's own output, and its beginning says what happened.
const maxCause = 2 << 10

// launching is the line of a browser's log with all its switches, some two kilobytes that explain nothing.
var launching = regexp.MustCompile(`\n*<launching> .*`)

// brief shortens a long cause.
func brief(cause error) error {
	if cause == nil || len(cause.Error()) <= maxCause {
		return cause
	}
	text := launching.ReplaceAllString(cause.Error(), "")
	if len(text) <= maxCause {
		return errors.New(text)
	}
	return fmt.Errorf("%.*s…", maxCause, text)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
