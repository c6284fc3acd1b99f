package browser

import (
	"context"
	"time"
)

// Visit is a document that a tab has opened.
type Visit struct {
	TabID string
	// URL is its address, as it is.
	URL string
	// Title is empty where the document has none, or was left before it was known.
	Title string
	At    time.Time
}

// titleTimeout bounds how long a visit waits for its title: a page that is not parsed by then is reported
// without one. A change of address within a document never parses anew, and waits as long.
const titleTimeout = 3 * time.Second

// report tells of a visit once the title is known, in the background: at most titleTimeout for the document
// and as long for the title.
func (p *Page) report(address string) {
	tell := p.b.options.OnVisit
	if tell == nil {
		return
	}
	v := Visit{TabID: p.id, URL: address, At: time.Now()}
	parsed, moved := p.parsed.wait(), p.moved.wait()
	go func() {
		limit := time.NewTimer(titleTimeout)
		defer limit.Stop()
		select {
		case <-parsed:
		case <-limit.C:
		case <-moved:
		case <-p.closed:
		case <-p.b.done:
		}
		v.Title = p.titleOf(address)
		tell(v)
	}()
}

// titleOf is the title of a document while the tab shows it, "" once it is gone.
func (p *Page) titleOf(address string) string {
	select {
	case <-p.closed:
		return ""
	case <-p.b.done:
		return ""
	default:
	}
	if p.URL() != address {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), titleTimeout)
	defer cancel()
	title, err := await(ctx, p.b, p, titleTimeout, func(*float64) (string, error) { return p.pw.Title() })
	if err != nil || p.URL() != address {
		return ""
	}
	return title
}
