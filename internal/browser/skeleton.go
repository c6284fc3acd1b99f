// Package browser runs isolated Chromium sessions: what is installed, driver processes, launches, pages.
package browser

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"github.com/browserhive/browserhive/internal/contract"
)

type Installation struct {
	DriverDir, DriverVersion  string
	Node, NodeVersion         string
	Chromium, ChromiumVersion string
	Shell                     string
	Patched                   bool
}

func Find(ctx context.Context, root string, env func(string) string) Installation { panic("todo") }

func (i Installation) Missing() []string { panic("todo") }

type Step struct {
	Name, Detail string
	OK           bool
	Err          error
}

type InstallOptions struct {
	Force      bool
	Registry   string
	HTTPClient *http.Client
	Stall      time.Duration
}

func Install(ctx context.Context, root string, env func(string) string, opts InstallOptions, report func(Step)) (Installation, error) {
	panic("todo")
}

func FindChannel(channel string) (path string, ok bool) { panic("todo") }

// SandboxProblem says why Chromium's sandbox cannot be used on this host, or "" when it can.
func SandboxProblem() string { panic("todo") }

type DriverOptions struct {
	Root         string
	Installation func() Installation
	PerDriver    int
	Log          *slog.Logger
	Env          func(string) string
}

type Drivers struct{}

func NewDrivers(DriverOptions) *Drivers { panic("todo") }

func (d *Drivers) Launch(ctx context.Context, o LaunchOptions) (*Browser, error) { panic("todo") }
func (d *Drivers) Stop(ctx context.Context) error                                { panic("todo") }

type LaunchOptions struct {
	SessionID, Channel string
	Headless           bool
	ProfileDir         string
	Stealth            bool
	DownloadsDir       string
	Locale, Timezone   string
	AllowURL           func(url string) *contract.Error
}

type Browser struct{}

func (b *Browser) Page(tabID string) (*Page, error)                  { panic("todo") }
func (b *Browser) Pages() []*Page                                    { panic("todo") }
func (b *Browser) Done() <-chan struct{}                             { panic("todo") }
func (b *Browser) Err() error                                        { panic("todo") }
func (b *Browser) Close(ctx context.Context) error                   { panic("todo") }
func (b *Browser) Identity() *Identity                               { panic("todo") }
func (b *Browser) PID() int                                          { panic("todo") }
func (b *Browser) StartedAt() time.Time                              { panic("todo") }
func (b *Browser) Warnings() []string                                { panic("todo") }
func (b *Browser) NavigationCount() int64                            { panic("todo") }
func (b *Browser) OnNavigated(notify func(tabID, url, title string)) { panic("todo") }

// Identity is what pages see, read back from a page after launch.
type Identity struct {
	UserAgent           string
	Brands              []Brand
	Platform            string
	PlatformVersion     string
	Architecture        string
	Bitness             string
	Mobile              bool
	ChromeVersion       string
	Locale              string
	Languages           []string
	Timezone            string
	Screen              Screen
	Viewport            *Viewport // nil when pages follow the window
	WebDriver           bool
	DeviceMemory        *float64 // GiB; nil when pages see none
	HardwareConcurrency int
}
type Brand struct{ Brand, Version string }
type Screen struct {
	Width, Height, AvailWidth, AvailHeight int
	DevicePixelRatio                       float64
}
type Viewport struct{ Width, Height int }

type Page struct{}
type Rect struct{ X, Y, Width, Height float64 }
type ClickOptions struct {
	Button    string
	Count     int
	Modifiers []string
	X, Y      *float64
}
type ScreenshotOptions struct {
	FullPage, OmitBackground bool
	Clip                     *Rect
}

func (p *Page) ID() string                                { panic("todo") }
func (p *Page) URL() string                               { panic("todo") }
func (p *Page) Title(ctx context.Context) (string, error) { panic("todo") }
func (p *Page) Goto(ctx context.Context, url, waitUntil string, timeout time.Duration) (status *int, err error) {
	panic("todo")
}
func (p *Page) Back(ctx context.Context, waitUntil string, timeout time.Duration) error {
	panic("todo")
}
func (p *Page) Forward(ctx context.Context, waitUntil string, timeout time.Duration) error {
	panic("todo")
}
func (p *Page) Reload(ctx context.Context, waitUntil string, timeout time.Duration) error {
	panic("todo")
}
func (p *Page) Click(ctx context.Context, selector string, o ClickOptions, timeout time.Duration) error {
	panic("todo")
}
func (p *Page) Type(ctx context.Context, selector, text string, delay, timeout time.Duration) error {
	panic("todo")
}
func (p *Page) Fill(ctx context.Context, selector, value string, timeout time.Duration) error {
	panic("todo")
}
func (p *Page) Press(ctx context.Context, selector, key string, timeout time.Duration) error {
	panic("todo")
}
func (p *Page) Snapshot(ctx context.Context) (tree string, err error) { panic("todo") }
func (p *Page) Content(ctx context.Context) (html string, err error)  { panic("todo") }
func (p *Page) Screenshot(ctx context.Context, o ScreenshotOptions) (png []byte, width, height int, err error) {
	panic("todo")
}
func (p *Page) Evaluate(ctx context.Context, expression string) (json.RawMessage, error) {
	panic("todo")
}
func (p *Page) WaitForSelector(ctx context.Context, selector, state string, timeout time.Duration) error {
	panic("todo")
}
func (p *Page) WaitForLoadState(ctx context.Context, state string, timeout time.Duration) error {
	panic("todo")
}

func Sweep(root string, log *slog.Logger) (killed int) { panic("todo") }
