// Package browserbench does with playwright-go alone what tools do with a session, so that the cost of
// the server shows beside it. It is for benchmarks only.
package browserbench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/internal/browser/install"
)

// Direct is a driver of its own with any number of browsers.
type Direct struct {
	pw      *playwright.Playwright
	found   install.Installation
	root    string
	sandbox bool
	count   int
}

// Run starts a driver. Files go below root.
func Run(found install.Installation, root string) (*Direct, error) {
	// The library looks for Node.js beside the driver's package.
	dir := filepath.Join(root, "driver")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for name, target := range map[string]string{"package": filepath.Join(found.DriverDir, "package"), "node": found.Node} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	pw, err := playwright.Run(&playwright.RunOptions{DriverDirectory: dir})
	if err != nil {
		return nil, fmt.Errorf("start the driver: %w", err)
	}
	return &Direct{pw: pw, found: found, root: root, sandbox: install.SandboxProblem() == ""}, nil
}

// Stop ends the driver.
func (d *Direct) Stop() error { return d.pw.Stop() }

// Launch starts the Chromium that sessions run, with a profile of its own and one tab.
func (d *Direct) Launch() (*Browser, error) {
	d.count++
	context, err := d.pw.Chromium.LaunchPersistentContext(filepath.Join(d.root, fmt.Sprintf("profile-%d", d.count)),
		playwright.BrowserTypeLaunchPersistentContextOptions{
			ExecutablePath: &d.found.Chromium, Headless: playwright.Bool(true), ChromiumSandbox: &d.sandbox,
		})
	if err != nil {
		return nil, err
	}
	pages := context.Pages()
	if len(pages) == 0 {
		return nil, errors.Join(errors.New("the browser has no tab"), context.Close())
	}
	return &Browser{context, pages[0]}, nil
}

// Browser is a running browser and its tab.
type Browser struct {
	context playwright.BrowserContext
	page    playwright.Page
}

// Close ends the browser.
func (b *Browser) Close() error { return b.context.Close() }

// Navigate opens a page, waits until it has loaded and reads its title, which the tool answers too.
func (b *Browser) Navigate(url string) error {
	if _, err := b.page.Goto(url); err != nil {
		return err
	}
	_, err := b.page.Title()
	return err
}

// Click clicks an element.
func (b *Browser) Click(selector string) error { return b.page.Locator(selector).Click() }

// Evaluate runs a script.
func (b *Browser) Evaluate(expression string) error {
	_, err := b.page.Evaluate(expression)
	return err
}

// Snapshot reads the accessible tree as agents get it.
func (b *Browser) Snapshot() (string, error) {
	return b.page.AriaSnapshot(playwright.PageAriaSnapshotOptions{Mode: playwright.AriaSnapshotModeAi})
}
