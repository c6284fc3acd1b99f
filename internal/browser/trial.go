package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/browserhive/browserhive/internal/browser/install"
)

// Trial returns what starts the browser of an installation once, as a session does, and says how that went.
func Trial(root string, env func(string) string, patchright install.Use) func(context.Context, install.Installation) (string, error) {
	return func(ctx context.Context, found install.Installation) (string, error) {
		return try(ctx, DriverOptions{
			Root: root, Env: env, Patchright: patchright, Log: slog.New(slog.DiscardHandler),
			Installation: func() install.Installation { return found },
		})
	}
}

func try(ctx context.Context, o DriverOptions) (string, error) {
	drivers := NewDrivers(o)
	defer func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		_ = drivers.Stop(stopping)
	}()
	began := time.Now()
	b, err := drivers.Launch(ctx, LaunchOptions{SessionID: "init", Channel: "chromium", Headless: true, Stealth: true, Engine: drivers.Engine(true)})
	if err != nil {
		if cause := errors.Unwrap(err); cause != nil {
			err = cause // The code is for agents; a person needs to know why.
		}
		return "", err
	}
	detail := startedIn(time.Since(began))
	for _, warning := range b.Warnings() {
		detail += "; " + warning
	}
	return detail, nil
}

// slowStart is a start that tells of a slow host: elsewhere one takes a second or two, with nothing cached some
// five.
const slowStart = 10 * time.Second

func startedIn(took time.Duration) string {
	detail := fmt.Sprintf("Chromium started in %d ms", took.Milliseconds())
	if took > slowStart {
		detail += fmt.Sprintf("; this host is slow, since that is more than %d s: clients should wait a minute for launch_session", int(slowStart.Seconds()))
	}
	return detail
}
