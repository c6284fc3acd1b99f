package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

// StorageState returns the session's login in Playwright's form: its cookies, and the localStorage and
// IndexedDB of every origin that it visited or started with. What JSON cannot carry, such as a key of Web
// Cryptography, becomes an empty object; where the driver cannot read a database at all, all are left out.
// Errors: BROWSER_CRASHED, CALL_TIMEOUT, CALL_CANCELLED, DATA_DIR_UNWRITABLE.
func (b *Browser) StorageState(ctx context.Context) (json.RawMessage, error) {
	return b.storageState(ctx, true)
}

// ProfileState returns what the browser may not have written to its profile yet: cookies and localStorage,
// in the form of StorageState.
func (b *Browser) ProfileState(ctx context.Context) (json.RawMessage, error) {
	return b.storageState(ctx, false)
}

func (b *Browser) storageState(ctx context.Context, databases bool) (json.RawMessage, error) {
	// The library's own type lacks IndexedDB, so the answer goes through a file, in the private directory.
	dir, err := os.MkdirTemp(b.tmp, "state")
	if err != nil {
		if gone := b.Err(); gone != nil {
			return nil, gone // It took the directory with it.
		}
		return nil, b.drivers.launchError(b.options, err)
	}
	path := filepath.Join(dir, "state.json")
	state, err := await(ctx, b, nil, callLimit, func(*float64) (json.RawMessage, error) {
		defer os.RemoveAll(dir)
		if _, err := b.pw.StorageState(playwright.BrowserContextStorageStateOptions{
			Path: playwright.String(path), IndexedDB: playwright.Bool(databases),
		}); err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	})
	switch {
	case err == nil:
		return state, nil
	case databases && strings.Contains(err.Error(), "Unable to serialize IndexedDB"):
		b.log.Warn("a saved login lacks IndexedDB", "error", brief(err))
		return b.storageState(ctx, false)
	case errors.Is(err, errUnanswered):
		return nil, callTimeout(callLimit)
	case targetGone(err):
		return nil, b.gone(err)
	case contract.DiskFault(err) || driverDiskFault(err):
		return nil, b.drivers.unwritable(errors.New(firstLine(brief(err).Error())))
	}
	return nil, err
}

// driverDiskFault reports whether the driver says that the disk does not take a file: it has only words for it.
func driverDiskFault(err error) bool {
	message, _ := driverMessage(err)
	return slices.ContainsFunc([]string{"ENOSPC:", "EDQUOT:", "EROFS:", "EIO:", "EFBIG:"}, func(name string) bool {
		return strings.Contains(message, name)
	})
}

// storedLogin is the part of a storage state that is checked.
type storedLogin struct {
	Cookies []json.RawMessage `json:"cookies"`
	Origins []storedOrigin    `json:"origins"`
}

// storedOrigin is what a storage state has of a site.
type storedOrigin struct {
	Origin       string
	LocalStorage json.RawMessage
}

// UnmarshalJSON reads names as the driver does, to the letter: encoding/json would take "Origin" for
// "origin", and check another address than the one that is opened.
func (o *storedOrigin) UnmarshalJSON(b []byte) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(b, &keys); err != nil {
		return err
	}
	o.LocalStorage = keys["localStorage"]
	return json.Unmarshal(keys["origin"], &o.Origin)
}

// CheckStorageState refuses what is no storage state of ours to restore: INVALID_ARGUMENTS, or
// UNSAFE_LAUNCH_ARG for parts that StorageState never writes.
func CheckStorageState(state json.RawMessage) error {
	const option = "context_options.storageState"
	var keys map[string]json.RawMessage
	var login storedLogin
	if json.Unmarshal(state, &keys) != nil || json.Unmarshal(state, &login) != nil {
		return invalidArgument(option, "is not a storage state as Playwright writes it", nil)
	}
	for key := range keys {
		if key != "cookies" && key != "origins" {
			return errcode.UnsafeLaunchArg{Arg: option + "." + key}.Err()
		}
	}
	for _, o := range login.Origins {
		// The driver opens the origin to write into its storage, so nothing but a site may stand here.
		u, err := url.Parse(o.Origin)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "" {
			return invalidArgument(option+".origins", "holds something else than origins of http and https", nil)
		}
	}
	return nil
}

// restore puts the login that the session starts from into its browser.
func (b *Browser) restore(ctx context.Context) error {
	if state := b.options.StorageState; state != nil {
		if err := CheckStorageState(state); err != nil {
			return err
		}
		_, err := await(ctx, b, nil, launchTimeout, func(*float64) (struct{}, error) { return struct{}{}, b.setState(state) })
		return b.restoreError("context_options.storageState", err)
	}
	if state := b.options.ProfileState; state != nil {
		_, err := await(ctx, b, nil, launchTimeout, func(*float64) (struct{}, error) { return struct{}{}, b.complete(state) })
		return b.restoreError("restore_profile", err)
	}
	return nil
}

func (b *Browser) restoreError(argument string, err error) error {
	switch {
	case err == nil, coded(err):
		return err
	case errors.Is(err, errUnanswered):
		return callTimeout(launchTimeout)
	case targetGone(err):
		return b.gone(err)
	case contract.DiskFault(err) || driverDiskFault(err):
		return b.drivers.unwritable(err)
	}
	return invalidArgument(argument, "holds something that the browser does not take", brief(err))
}

func (b *Browser) setState(state json.RawMessage) error {
	path := filepath.Join(b.tmp, "state.json")
	defer os.Remove(path)
	if err := os.WriteFile(path, state, 0o600); err != nil {
		return err
	}
	return b.pw.SetStorageState(path)
}

// writeStorage puts an origin's localStorage back.
const writeStorage = `items => { localStorage.clear(); for (const {name, value} of items || []) localStorage.setItem(name, value); }`

// complete writes cookies and localStorage over those of the profile. Playwright's own way of setting a
// state would delete the profile's databases and service workers.
func (b *Browser) complete(state json.RawMessage) (err error) {
	var login struct {
		Cookies []playwright.OptionalCookie `json:"cookies"`
		Origins []struct {
			Origin       string `json:"origin"`
			LocalStorage []any  `json:"localStorage"`
		} `json:"origins"`
	}
	if err := json.Unmarshal(state, &login); err != nil {
		return fmt.Errorf("the state of the profile: %w", err)
	}
	if len(login.Cookies) > 0 {
		if err := b.pw.AddCookies(login.Cookies); err != nil {
			return err
		}
	}
	if len(login.Origins) == 0 {
		return nil
	}
	page, err := b.pw.NewPage()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, page.Close()) }()
	control, err := b.pw.NewCDPSession(page)
	if err != nil {
		return err
	}
	// A service worker of the profile would answer in our place.
	if _, err := control.Send("Network.setBypassServiceWorker", map[string]any{"bypass": true}); err != nil {
		return err
	}
	if err := page.Route("**/*", answerEmpty); err != nil {
		return err
	}
	for _, o := range login.Origins {
		if !strings.HasPrefix(o.Origin, "http://") && !strings.HasPrefix(o.Origin, "https://") {
			continue // Only sites have storage to complete.
		}
		if _, err := page.Goto(o.Origin); err != nil {
			return err
		}
		if _, err := page.Evaluate(writeStorage, o.LocalStorage); err != nil {
			return err
		}
	}
	return nil
}

// answerEmpty answers a request of a page of our own with an empty document.
func answerEmpty(route playwright.Route) {
	go func() { // The handler runs where messages are read and must not wait for an answer.
		_ = route.Fulfill(playwright.RouteFulfillOptions{ContentType: playwright.String("text/html"), Body: "<!doctype html>"})
	}()
}
