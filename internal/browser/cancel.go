package browser

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/internal/browser/install"
)

// The driver can end a call early: its own clients send it the call's number. playwright-go has no such
// message and does not tell a call's number, so the call carries a mark of ours where one fits, in the
// digits of its timeout below a millisecond, and the mark goes to the driver in the one request of the
// library that has a free text and needs no browser. The driver's bundle is taught to look for it
// (install.CancelPrefix). Calls that take no timeout, such as the evaluation of a script, carry no mark; those live on
// until they end by themselves or their tab does.

// markBits is how many binary digits a mark has. With the twenty that the longest timeout needs, they fit
// a float64 without loss, and a billion calls pass before a mark comes again.
const markBits = 30

// cancelTimeout bounds how long a call that was given up waits for the driver to be done with it. It takes
// milliseconds; the bound is for a page that keeps the driver waiting.
const cancelTimeout = 500 * time.Millisecond

// mark numbers a call: a fraction above 0 and below 1.
func (d *driver) mark() float64 {
	const marks = 1 << markBits
	return (float64(d.calls.Add(1)%(marks-1)) + 1) / marks
}

// marked is a time left as the driver takes it, with a mark.
func marked(left time.Duration, mark float64) *float64 {
	ms := math.Floor(max(float64(left)/float64(time.Millisecond), 1)) + mark
	return &ms
}

// remaining is the time left until a deadline, for a later step of the call that left was given to: whoever
// cancels the call cancels the step.
func remaining(deadline time.Time, left *float64) *float64 {
	_, mark := math.Modf(*left)
	return marked(time.Until(deadline), mark)
}

// cancel ends the calls with a mark in the driver, those that reach it later included, and waits until
// they are done there, at most cancelTimeout. It reports how many there were.
func (d *driver) cancel(mark float64) (ended int) {
	found := make(chan int, 1)
	go func() { // Ends with the driver's answer, or with the driver.
		agent := install.CancelPrefix + strconv.FormatFloat(mark, 'g', -1, 64)
		_, err := protect(func() (playwright.APIRequestContext, error) {
			return d.pw.Request.NewContext(playwright.APIRequestNewContextOptions{UserAgent: &agent})
		})
		count := 0
		var answer *playwright.Error // The number comes as an error: there is no context to answer with.
		if errors.As(err, &answer) {
			count, _ = strconv.Atoi(answer.Message)
		}
		found <- count
	}()
	limit := time.NewTimer(cancelTimeout)
	defer limit.Stop()
	select {
	case ended = <-found:
	case <-limit.C:
	case <-d.died:
	}
	return ended
}
