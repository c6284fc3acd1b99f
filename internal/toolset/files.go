package toolset

import (
	"context"
	"os"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/gen/tools"
	"github.com/browserhive/browserhive/internal/browser"
	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/session"
)

func (h *handlers) UploadFile(ctx context.Context, s *session.Session, p *browser.Page, a tools.UploadFileArgs) (*tools.UploadFileResult, error) {
	var files []*os.File
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	for _, path := range a.Paths {
		f, err := h.Dir.OpenUpload(path)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if err := p.SetFiles(ctx, a.Selector, files, limit(a.Timeout)); err != nil {
		return nil, err
	}
	return &tools.UploadFileResult{SessionID: s.ID, Selector: a.Selector, Ok: true}, nil
}

func (h *handlers) DownloadFile(ctx context.Context, s *session.Session, p *browser.Page, a tools.DownloadFileArgs) (*tools.DownloadFileResult, error) {
	if a.SaveAs != nil {
		if err := h.Dir.CheckDownloadName(s.ID, *a.SaveAs); err != nil {
			return nil, err
		}
	}
	download, err := p.Download(ctx, a.TriggerSelector, limit(a.Timeout))
	if err != nil {
		return nil, err
	}
	name := download.SuggestedName
	if a.SaveAs != nil {
		name = *a.SaveAs
	}
	saved, size, err := h.Dir.KeepDownload(s.ID, download.Path, name)
	if err != nil {
		return nil, errcode.DownloadFailed{Reason: "the server could not keep the file: " + contract.Reason(err)}.Err().Because(err)
	}
	return &tools.DownloadFileResult{SessionID: s.ID, SavedTo: saved, SuggestedName: download.SuggestedName, Size: size}, nil
}
