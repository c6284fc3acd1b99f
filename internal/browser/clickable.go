package browser

import (
	_ "embed"

	"github.com/mxschmitt/playwright-go"
)

//go:embed clickable.js
var clickableEngine string

// clickable, after a selector, is what the mouse clicks when that element is meant.
const clickable = clickableName + "=here"

const clickableName = "clickable"

// addSelectors teaches a driver the selectors of our own. They run beside the page's scripts, not among
// them.
func addSelectors(pw *playwright.Playwright) error {
	return pw.Selectors.Register(clickableName, playwright.Script{Content: &clickableEngine},
		playwright.SelectorsRegisterOptions{ContentScript: playwright.Bool(true)})
}
