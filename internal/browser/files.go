package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/mxschmitt/playwright-go"

	"github.com/browserhive/browserhive/internal/contract"
)

// maxUpload bounds what the pages of one browser may be given, in bytes. A page reads a file when it sends
// it, which may be long after it was chosen, so each copy stays until the browser ends, on the host's disk.
const maxUpload = 1 << 30

// SetFiles puts files into the file input that the selector matches, hidden or not; the page sees their
// base names. It works on copies, so that what the caller opened is what the page reads, whatever happens
// to the path. The files stay open. Errors: those of every action on an element; UPLOAD_FAILED when the
// element takes no such files, or they are larger than 1 GiB together with what the session was given
// before.
func (p *Page) SetFiles(ctx context.Context, selector string, files []*os.File, timeout time.Duration) error {
	return p.onElement(ctx, selector, timeout, func(l playwright.Locator, left *float64) error {
		other, err := l.Evaluate(otherInput, nil, playwright.LocatorEvaluateOptions{Timeout: left})
		if err != nil {
			return err
		}
		if other == true {
			return uploadFailed("the element is not a file input", nil)
		}
		given, err := p.b.copyUploads(files)
		if err == nil {
			err = orUploadFailed(l.SetInputFiles(given.paths, playwright.LocatorSetInputFilesOptions{Timeout: left}))
		}
		if err != nil {
			p.b.discard(given)
		}
		return err
	})
}

// otherInput reports whether an element is, or labels, an input of another kind. The driver refuses what is
// no input at all, and tries such a one until the time is over.
const otherInput = "e => { const i = e.control ?? e; return i.tagName === 'INPUT' && i.type !== 'file' }"

// uploads are the copies of the files of one call.
type uploads struct {
	dir   string
	paths []string
	size  int64 // In bytes, of what maxUpload counts.
}

// copyUploads copies files into the browser's own directory. What it returns with an error is to be
// discarded.
func (b *Browser) copyUploads(files []*os.File) (u uploads, err error) {
	defer func() {
		if err != nil && !coded(err) {
			err = uploadFailed("the server could not copy the files: "+contract.Reason(err), err)
		}
	}()
	root := filepath.Join(b.tmp, "uploads")
	if err := os.MkdirAll(root, 0o700); err != nil {
		return u, err
	}
	if u.dir, err = os.MkdirTemp(root, ""); err != nil {
		return u, err
	}
	for i, file := range files {
		info, err := file.Stat()
		if err != nil {
			return u, err
		}
		u.size += info.Size()
		if b.uploaded.Add(info.Size()) > maxUpload {
			return u, uploadFailed(fmt.Sprintf("a session may be given files of %d MiB altogether", maxUpload>>20), nil)
		}
		own := filepath.Join(u.dir, strconv.Itoa(i)) // Two files may have one name.
		if err := os.Mkdir(own, 0o700); err != nil {
			return u, err
		}
		path := filepath.Join(own, filepath.Base(file.Name()))
		if err := copyFile(path, io.LimitReader(file, info.Size())); err != nil { // It may grow meanwhile.
			return u, err
		}
		u.paths = append(u.paths, path)
	}
	return u, nil
}

// discard gives back what copyUploads took.
func (b *Browser) discard(u uploads) {
	b.uploaded.Add(-u.size)
	if err := removeAll(u.dir); err != nil {
		b.log.Warn("copies of uploads were left behind until the browser ends", "error", err)
	}
}

func copyFile(path string, from io.Reader) (err error) {
	target, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	_, err = io.Copy(target, from)
	return err
}

// Download is a file that a page gave. It lies in the browser's temporary directory until its owner moves
// it; Close removes it.
type Download struct {
	Path string
	// SuggestedName is what the site calls it, which may be anything.
	SuggestedName string
}

// Download clicks on an element and waits until the download that this starts is complete. Errors: those of
// every action on an element; DOWNLOAD_FAILED when no download begins within the timeout, it does not
// complete in that time, or it breaks off; URL_BLOCKED when it comes from an address that is not allowed.
func (p *Page) Download(ctx context.Context, trigger string, timeout time.Duration) (Download, error) {
	deadline := time.Now().Add(timeout)
	ctx, cancel := context.WithDeadline(ctx, deadline.Add(ownLimit/2)) // So that await ends at the limit.
	defer cancel()
	begun := make(chan playwright.Download, 1)
	if !p.wanted.CompareAndSwap(nil, &begun) {
		return Download{}, downloadFailed("another call waits for a download of this tab", nil)
	}
	defer p.wanted.Store(nil)
	_, err := on(ctx, p, p.element(trigger, "trigger_selector"), timeout, func(l playwright.Locator, left *float64) (struct{}, error) {
		return struct{}{}, l.Click(playwright.LocatorClickOptions{Timeout: left})
	})
	if err != nil {
		return Download{}, err
	}
	download, err := await(ctx, p.b, p, time.Until(deadline), func(*float64) (playwright.Download, error) {
		select {
		case d := <-begun:
			return d, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	if errors.Is(err, errUnanswered) {
		return Download{}, downloadFailed(fmt.Sprintf("the click started no download within %v", timeout), err)
	} else if err != nil {
		return Download{}, err
	}
	path, err := p.finished(ctx, download, time.Until(deadline))
	if err != nil {
		// Nobody will ask for it any more. The goroutine ends with the driver's answer.
		go func() { _, _ = protect(func() (struct{}, error) { return struct{}{}, download.Cancel() }) }()
	}
	if errors.Is(err, errUnanswered) {
		err = downloadFailed(fmt.Sprintf("it did not complete within %v", timeout), err)
	}
	return Download{Path: path, SuggestedName: download.SuggestedFilename()}, err
}

// onDownload hands a download that begins to the call that waits for one. It must not block: it runs where
// the driver's messages are read. Downloads that nobody asked for go with the browser.
func (p *Page) onDownload(download playwright.Download) {
	if begun := p.wanted.Load(); begun != nil {
		select {
		case *begun <- download:
		default: // One click, one download.
		}
	}
}

// finished waits for the end of a download and returns where it is.
func (p *Page) finished(ctx context.Context, download playwright.Download, limit time.Duration) (string, error) {
	// A link with a download attribute is no document, so the network layer has let it through.
	if refused := p.b.refuse(download.URL()); refused != nil {
		return "", refused
	}
	path, err := await(ctx, p.b, p, limit, func(*float64) (string, error) { return download.Path() })
	if err == nil || coded(err) || errors.Is(err, errUnanswered) {
		return path, err
	}
	message, _ := driverMessage(err)
	return "", downloadFailed(firstLine(message), err)
}
