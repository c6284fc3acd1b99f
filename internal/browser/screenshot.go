package browser

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // DecodeConfig reads the size of a picture.
	_ "image/png"
	"math"
	"strings"
	"time"

	"github.com/mxschmitt/playwright-go"
)

// Rect is an area of the page in CSS pixels.
type Rect struct{ X, Y, Width, Height float64 }

// ScreenshotOptions adjust a screenshot. The zero value is the visible part of the page as PNG.
type ScreenshotOptions struct {
	FullPage       bool
	OmitBackground bool // Leaves transparent what the page does not paint.
	Clip           *Rect
	// Selector is an element to take instead; it goes with neither FullPage nor Clip.
	Selector string
	// Format is png, jpeg or webp, and png for "".
	Format string
	// Quality is that of jpeg and webp, from 1 to 100; 0 means 80.
	Quality int
}

// Picture is a screenshot.
type Picture struct {
	Data          []byte
	Width, Height int // In pixels of the image.
	// Cut says that the area was larger than MaxSide, and that its right or lower part is missing.
	Cut bool
}

// MaxSide is the most pixels that a side of a screenshot has: models refuse a picture with more, and
// Chromium paints no more than twice as many.
const MaxSide = 8000

// elementTimeout is how long a screenshot waits for its element, well within the time of the whole call.
const elementTimeout = 10 * time.Second

// defaultQuality is what the driver takes for jpeg, too.
const defaultQuality = 80

// Screenshot takes a picture. Errors: INVALID_ARGUMENTS when the clip lies outside of the page, the element
// is larger than MaxSide, or options do not go together; with a selector those of every action on an element.
func (p *Page) Screenshot(ctx context.Context, o ScreenshotOptions) (Picture, error) {
	if o.Format == "" {
		o.Format = "png"
	}
	switch {
	case o.Format == "png" && o.Quality != 0:
		return Picture{}, invalidArgument("quality", "png has no quality; choose jpeg or webp as format", nil)
	case o.Selector != "" && (o.FullPage || o.Clip != nil):
		return Picture{}, invalidArgument("selector", "goes with neither full_page nor clip", nil)
	case o.Selector != "":
		return p.elementScreenshot(ctx, o)
	}
	clip, cut, err := p.bound(ctx, o)
	if err != nil {
		return Picture{}, err
	}
	data, err := read(ctx, p, "the screenshot", func(left *float64) ([]byte, error) {
		data, err := p.pw.Screenshot(playwright.PageScreenshotOptions{
			FullPage: &o.FullPage, OmitBackground: &o.OmitBackground, Timeout: left,
			Type: o.kind(), Quality: o.quality(), Clip: clip,
		})
		if err != nil && strings.Contains(err.Error(), "Clipped area is either empty or outside") {
			return nil, invalidArgument("clip", "the area is empty or lies outside of the page", brief(err))
		}
		return data, err
	})
	if err != nil {
		return Picture{}, err
	}
	width, height, err := size(data)
	return Picture{data, width, height, cut}, err
}

func (p *Page) elementScreenshot(ctx context.Context, o ScreenshotOptions) (Picture, error) {
	data, err := on(ctx, p, p.element(o.Selector, "selector"), elementTimeout, func(l playwright.Locator, left *float64) ([]byte, error) {
		return l.Screenshot(playwright.LocatorScreenshotOptions{
			OmitBackground: &o.OmitBackground, Timeout: left, Type: o.kind(), Quality: o.quality(),
		})
	})
	if err != nil {
		return Picture{}, err
	}
	width, height, err := size(data)
	if max(width, height) > MaxSide {
		return Picture{}, invalidArgument("selector", fmt.Sprintf("the element is %d by %d pixels, and a screenshot has at most %d a side; choose a part of it with clip", width, height, MaxSide), nil)
	}
	return Picture{Data: data, Width: width, Height: height}, err
}

func (o ScreenshotOptions) kind() *playwright.ScreenshotType {
	kind := playwright.ScreenshotType(o.Format)
	return &kind
}

func (o ScreenshotOptions) quality() *int {
	switch {
	case o.Format == "png":
		return nil
	case o.Quality == 0:
		return playwright.Int(defaultQuality)
	}
	return &o.Quality
}

// measureScript returns the sizes of the window and of the whole page, as the driver takes it, in CSS
// pixels, and how many pixels of the image one of those is.
const measureScript = `() => {
  const all = [document.body, document.documentElement].filter(Boolean);
  const most = name => Math.max(0, ...all.flatMap(e => ['scroll', 'offset', 'client'].map(kind => e[kind + name] || 0)));
  return JSON.stringify([innerWidth, innerHeight, most('Width'), most('Height'), devicePixelRatio]);
}`

// bound keeps the area of a screenshot within MaxSide. It returns the clip to take, nil for none, and
// whether that leaves something out.
func (p *Page) bound(ctx context.Context, o ScreenshotOptions) (clip *playwright.Rect, cut bool, err error) {
	answer, err := read(ctx, p, "the size of the page", func(*float64) (any, error) { return p.pw.Evaluate(measureScript) })
	if err != nil {
		return nil, false, err
	}
	text, _ := answer.(string)
	var sizes [5]float64
	// A page that has bent what it is measured by gets no bound.
	if json.Unmarshal([]byte(text), &sizes) != nil || sizes[4] <= 0 {
		sizes = [5]float64{4: 1}
	}
	area := playwright.Rect{Width: sizes[0], Height: sizes[1]}
	if o.FullPage {
		area = playwright.Rect{Width: sizes[2], Height: sizes[3]}
	}
	if o.Clip != nil {
		// Only what of the clip lies on the area is taken.
		clip = &playwright.Rect{X: o.Clip.X, Y: o.Clip.Y, Width: o.Clip.Width, Height: o.Clip.Height}
		area = playwright.Rect{
			X: clip.X, Y: clip.Y,
			Width:  math.Min(clip.Width, area.Width-clip.X),
			Height: math.Min(clip.Height, area.Height-clip.Y),
		}
	}
	most := math.Floor(MaxSide / sizes[4])
	if area.Width <= most && area.Height <= most {
		return clip, false, nil
	}
	area.Width, area.Height = math.Min(area.Width, most), math.Min(area.Height, most)
	return &area, true, nil
}

var errNoPicture = errors.New("the browser sent something else than a picture")

// size reads the size of a picture in pixels.
func size(data []byte) (width, height int, err error) {
	if len(data) >= 30 && bytes.Equal(data[:4], []byte("RIFF")) && bytes.Equal(data[8:12], []byte("WEBP")) {
		switch string(data[12:16]) {
		case "VP8 ": // Lossy: 14 bits each.
			return int(binary.LittleEndian.Uint16(data[26:]) & 0x3fff), int(binary.LittleEndian.Uint16(data[28:]) & 0x3fff), nil
		case "VP8L": // Lossless: 14 bits each, one less.
			bits := binary.LittleEndian.Uint32(data[21:])
			return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, nil
		case "VP8X": // Extended: 24 bits each, one less.
			return int(binary.LittleEndian.Uint32(data[24:])&0xffffff) + 1, int(binary.LittleEndian.Uint32(data[26:])>>8) + 1, nil
		}
		return 0, 0, errNoPicture
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0, errors.Join(errNoPicture, err)
	}
	return config.Width, config.Height, nil
}
