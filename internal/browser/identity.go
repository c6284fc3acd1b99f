package browser

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/internal/browser/install"
	"github.com/browserhive/browserhive/internal/stealth"
)

// Identity is what pages see of a browser. Every value was read back from a page.
type Identity struct {
	UserAgent string
	// Brands and the five after it are the client hints; empty where the browser sends none.
	Brands          []Brand
	Platform        string
	PlatformVersion string
	Architecture    string
	Bitness         string
	Mobile          bool
	ChromeVersion   string
	Locale          string   // Formats dates and numbers.
	Languages       []string // Best first, as in Accept-Language.
	Timezone        string
	Screen          Screen
	Viewport        *Viewport // nil when pages follow the window.
	WebDriver       bool
	DeviceMemory    *float64 // GiB; nil when pages see none.
	// HardwareConcurrency is the number of processor cores.
	HardwareConcurrency int
}

// Brand is one entry of the client hints' brands.
type Brand = stealth.Brand

// Screen is the display that a page sees, in CSS pixels.
type Screen struct {
	Width            int     `json:"width"`
	Height           int     `json:"height"`
	AvailWidth       int     `json:"availWidth"`
	AvailHeight      int     `json:"availHeight"`
	DevicePixelRatio float64 `json:"devicePixelRatio"`
}

// Viewport is the area that a page is laid out in, in CSS pixels.
type Viewport struct{ Width, Height int }

//go:embed identity.js
var identityScript string

// report is the answer of identity.js.
type report struct {
	UserAgent           string            `json:"userAgent"`
	Platform            string            `json:"platform"`
	Languages           []string          `json:"languages"`
	WebDriver           bool              `json:"webdriver"`
	HardwareConcurrency int               `json:"hardwareConcurrency"`
	DeviceMemory        *float64          `json:"deviceMemory"`
	Locale              string            `json:"locale"`
	Timezone            string            `json:"timezone"`
	Screen              Screen            `json:"screen"`
	Hints               *stealth.Metadata `json:"hints"`
}

// readReport asks a page what it sees.
func readReport(page playwright.Page) (report, error) {
	var r report
	answer, err := page.Evaluate(identityScript)
	if err != nil {
		return r, err
	}
	text, _ := answer.(string)
	return r, json.Unmarshal([]byte(text), &r)
}

// secureAddress is where a page of the browser's own is opened to read what only secure pages see. It
// is answered by us and never leaves the host: .invalid has no servers.
const secureAddress = "https://identity.invalid/"

// readSecureReport asks a secure page what it sees. The page is opened for this and closed again.
func readSecureReport(open func() (playwright.Page, error)) (r report, err error) {
	page, err := open()
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, page.Close()) }()
	if err := page.Route(secureAddress, answerEmpty); err != nil {
		return r, err
	}
	if _, err := page.Goto(secureAddress); err != nil {
		return r, err
	}
	return readReport(page)
}

// remembered returns what the executable answered to a question, or asks and remembers it: what secure pages see
// depends on nothing but the executable, how it is run and what runs it, and takes a page, or even a browser, to
// find out.
func (b *Browser) remembered(executable, question string, read func() (report, error)) (report, error) {
	// Another script asks for something else, and another driver may present something else.
	question = fmt.Sprintf("%s, %s, %s", question, install.ReleaseHash(b.driver.engine), identityHash())
	known := b.drivers.known
	if answer, ok := known.Get(executable, question); ok {
		var r report
		if json.Unmarshal(answer, &r) == nil {
			return r, nil
		}
	}
	r, err := read()
	if err != nil {
		return r, err
	}
	if answer, err := json.Marshal(r); err == nil {
		known.Put(executable, question, answer)
	}
	return r, nil
}

// identityHash tells one script of ours from another.
var identityHash = sync.OnceValue(func() string {
	sum := sha256.Sum256([]byte(identityScript))
	return hex.EncodeToString(sum[:8])
})

// identityToPresent derives the session's identity from what the same executable reports when nothing
// is changed about it, which the first such session finds out by running it once.
func (b *Browser) identityToPresent(ctx context.Context, executable string) (stealth.Identity, error) {
	native, err := await(ctx, b, nil, launchTimeout, func(left *float64) (report, error) {
		return b.remembered(executable, "as it is", func() (report, error) {
			return b.readNative(executable, left)
		})
	})
	if err != nil {
		return stealth.Identity{}, fmt.Errorf("reading the browser's own identity: %w", err)
	}
	if native.Hints == nil {
		return stealth.Identity{}, errors.New("the browser sends no client hints")
	}
	locale := b.options.locale()
	if locale == "" {
		locale = stealth.HostLocale(b.drivers.opts.Env)
	}
	return stealth.Present(stealth.Native{UserAgent: native.UserAgent, Metadata: *native.Hints}, stealth.Languages(locale))
}

// readNative runs the executable as it is, with a profile of its own, and asks it what it is.
func (b *Browser) readNative(executable string, timeout *float64) (r report, err error) {
	browser, err := b.driver.pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath:  playwright.String(executable),
		Headless:        playwright.Bool(true),
		ChromiumSandbox: playwright.Bool(install.SandboxProblem() == ""),
		ArtifactsDir:    playwright.String(filepath.Join(b.tmp, "artifacts")),
		Env:             install.Environment(b.drivers.opts.Env, b.socketDir, false),
		HandleSIGHUP:    playwright.Bool(false),
		HandleSIGINT:    playwright.Bool(false),
		HandleSIGTERM:   playwright.Bool(false),
		Timeout:         timeout,
	})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, browser.Close()) }()
	return readSecureReport(func() (playwright.Page, error) { return browser.NewPage() })
}

// readIdentity reads back what pages of this session see. It fails only when the browser cannot be
// used at all; an identity that cannot be read is a warning.
func (b *Browser) readIdentity(ctx context.Context, executable string) error {
	id, err := await(ctx, b, nil, launchTimeout, func(*float64) (*Identity, error) { return b.seen(executable) })
	if err != nil {
		if coded(err) {
			return err
		}
		b.warnings = append(b.warnings, "What pages see of this browser could not be read: "+firstLine(brief(err).Error())+".")
	}
	b.identity = id
	if b.stealthy {
		if fault := exposed(id); fault != "" {
			b.stealthy = false
			b.warnings = append(b.warnings, stealthFailed(errors.New(fault)))
		}
	}
	return nil
}

func (b *Browser) seen(executable string) (*Identity, error) {
	pages := b.pw.Pages()
	if len(pages) == 0 {
		return nil, errNoTab
	}
	first, err := readReport(pages[0])
	if err != nil {
		return nil, err
	}
	read := func() (report, error) {
		return readSecureReport(func() (playwright.Page, error) { return b.pw.NewPage() })
	}
	var secure report
	if b.options.plain() {
		secure, err = b.remembered(executable, fmt.Sprintf("as a session: stealth %v, headless %v", b.stealthy, b.options.Headless), read)
	} else {
		secure, err = read() // What the caller chose may change it.
	}
	if err != nil {
		return nil, err
	}
	id := &Identity{
		UserAgent: first.UserAgent, Platform: first.Platform, Languages: first.Languages,
		Locale: first.Locale, Timezone: first.Timezone, Screen: first.Screen, WebDriver: first.WebDriver,
		HardwareConcurrency: first.HardwareConcurrency, DeviceMemory: secure.DeviceMemory,
		ChromeVersion: b.pw.Browser().Version(),
	}
	if size := pages[0].ViewportSize(); size != nil && size.Width > 0 && b.options.Headless {
		id.Viewport = &Viewport{Width: size.Width, Height: size.Height}
	}
	if h := secure.Hints; h != nil {
		id.Brands, id.Platform, id.PlatformVersion = h.Brands, h.Platform, h.PlatformVersion
		id.Architecture, id.Bitness, id.Mobile = h.Architecture, h.Bitness, h.Mobile
	}
	return id, nil
}

// exposed says how an identity betrays automation, or "" when it does not.
func exposed(id *Identity) string {
	switch {
	case id == nil:
		return "what pages see could not be read back"
	case id.WebDriver:
		return "pages still see navigator.webdriver"
	case strings.Contains(id.UserAgent, "Headless"):
		return "the user agent still says headless"
	case !slices.ContainsFunc(id.Brands, func(b Brand) bool { return b.Brand != "Chromium" && !strings.HasPrefix(b.Brand, "Not") }):
		return "the client hints name no browser"
	}
	return ""
}
