// Package stealth builds what a browser says about itself at stealth=standard: user agent, client
// hints, languages and the switches that go with them. It is data and pure functions: every value is
// derived from what the real browser reports, and nothing here talks to one.
package stealth

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Brand is one entry of the client hint Sec-CH-UA.
type Brand struct {
	Brand   string `json:"brand"`
	Version string `json:"version"`
}

// Metadata is the client-hint part of an identity. Its JSON is the DevTools protocol's
// Emulation.UserAgentMetadata.
type Metadata struct {
	Brands          []Brand  `json:"brands"`
	FullVersionList []Brand  `json:"fullVersionList"`
	Platform        string   `json:"platform"`
	PlatformVersion string   `json:"platformVersion"`
	Architecture    string   `json:"architecture"`
	Model           string   `json:"model"`
	Mobile          bool     `json:"mobile"`
	Bitness         string   `json:"bitness"`
	Wow64           bool     `json:"wow64"`
	FormFactors     []string `json:"formFactors,omitempty"`
}

// Native is what an unmodified browser of this host reports about itself.
type Native struct {
	UserAgent string
	Metadata  Metadata
}

// Identity is what a session presents instead.
type Identity struct {
	UserAgent string
	Metadata  Metadata
	// Languages are the preferred language tags, best first.
	Languages []string
}

// The brands that Chromium's own list knows, and the one that says headless.
const (
	chromium = "Chromium"
	chrome   = "Google Chrome"
	headless = "HeadlessChrome"
)

// Present turns what the browser reports into what a session presents: the same browser, not
// headless, and branded Google Chrome where it has no brand of its own. It fails when the report is
// not that of a Chromium, because a half-known identity contradicts itself.
func Present(n Native, languages []string) (Identity, error) {
	if !strings.Contains(n.UserAgent, "Chrome/") {
		return Identity{}, fmt.Errorf("user agent %q is not a Chromium's", n.UserAgent)
	}
	if len(languages) == 0 {
		return Identity{}, errors.New("no language to present")
	}
	brands, err := branded(n.Metadata.Brands)
	if err != nil {
		return Identity{}, fmt.Errorf("brands: %w", err)
	}
	full, err := branded(n.Metadata.FullVersionList)
	if err != nil {
		return Identity{}, fmt.Errorf("full version list: %w", err)
	}
	id := Identity{
		UserAgent: strings.ReplaceAll(n.UserAgent, headless+"/", "Chrome/"),
		Metadata:  n.Metadata,
		Languages: slices.Clone(languages),
	}
	id.Metadata.Brands, id.Metadata.FullVersionList = brands, full
	return id, nil
}

// branded returns the list as Google Chrome of the same version sends it. A list that already has a
// brand, as that of Chrome or Edge, keeps it.
func branded(native []Brand) ([]Brand, error) {
	var engine, grease, own *Brand
	for i := range native {
		switch b := &native[i]; {
		case b.Brand == chromium:
			engine = b
		case b.Brand == headless:
			// The stripped shell's brand gives way to Chrome's.
		case isGrease(b.Brand):
			grease = b
		default:
			own = b
		}
	}
	switch {
	case engine == nil || grease == nil:
		return nil, fmt.Errorf("%v lacks Chromium or the filler brand", native)
	case own != nil:
		return slices.Clone(native), nil
	}
	major, err := strconv.Atoi(before(engine.Version, "."))
	if err != nil {
		return nil, fmt.Errorf("version %q of Chromium is no number", engine.Version)
	}
	list := make([]Brand, 3)
	for item, place := range brandOrders[major%len(brandOrders)] {
		list[place] = []Brand{*grease, *engine, {Brand: chrome, Version: engine.Version}}[item]
	}
	return list, nil
}

// brandOrders are the places of filler, Chromium and Google Chrome, chosen by major version modulo
// six, as Chromium's user_agent_utils shuffles its list.
var brandOrders = [6][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// isGrease reports whether a brand is the filler that Chromium adds so that sites do not parse the
// list by position. Its name varies with the version but always reads "Not", "A" and "Brand" with
// punctuation between them.
func isGrease(brand string) bool {
	letters := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, brand)
	return letters == "NotABrand"
}

// Switches are the Chromium command-line switches that carry the identity into the places where the
// DevTools protocol does not reach: workers, and the first request of a window without an opener.
func (id Identity) Switches() []string {
	return []string{
		"--disable-blink-features=AutomationControlled",
		"--user-agent=" + id.UserAgent,
		"--accept-lang=" + strings.Join(id.Languages, ","),
		"--lang=" + id.Languages[0],
	}
}

// DroppedSwitches are the switches that Playwright adds by default and an ordinary browser lacks: the
// first tells pages of the automation, the second lets a page open windows without a user's gesture,
// which a page can test.
func DroppedSwitches() []string {
	return []string{"--enable-automation", "--disable-popup-blocking"}
}

// StatesIdentity reports whether a request header, in lower case, says who the browser is. Another value
// would contradict what scripts of the same page see.
func StatesIdentity(header string) bool {
	return header == "user-agent" || header == "accept-language" || strings.HasPrefix(header, "sec-ch-ua")
}

func before(s, sep string) string {
	head, _, _ := strings.Cut(s, sep)
	return head
}
