package browsertest

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"net/http"
)

//go:embed testdata/*.html
var files embed.FS

// Pages adds the test site to a server: a page per behaviour under /pages/, and what they need:
//
//	/pages/…    the files of testdata; frames.html?other=<origin> shows a frame of another origin
//	/silent     never answers; ends with the client
//	/redirect   leads to ?to=
//	/attachment a download
//	/broken     a download that breaks off
//	/endless    a download that begins and never ends
//	/upload     answers with the names and the contents of the files of a form
func Pages(mux *http.ServeMux) {
	pages, err := fs.Sub(files, "testdata")
	if err != nil {
		panic(err) // The directory is part of the program.
	}
	mux.Handle("/pages/", http.StripPrefix("/pages/", http.FileServerFS(pages)))
	mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.FormValue("to"), http.StatusFound) //nolint:gosec // it leads where a test wants
	})
	mux.HandleFunc("/attachment", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=report.csv")
		_, _ = io.WriteString(w, "a,b,c")
	})
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=half.bin")
		w.Header().Set("Content-Length", "100000")
		begin(w)
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=endless.bin")
		begin(w)
		<-r.Context().Done()
	})
	mux.HandleFunc("/upload", func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
		if err := r.ParseMultipartForm(1 << 20); err != nil { //nolint:gosec // the body is bounded
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, headers := range r.MultipartForm.File {
			for _, h := range headers {
				f, err := h.Open()
				if err != nil {
					continue
				}
				content, _ := io.ReadAll(f)
				_ = f.Close()
				fmt.Fprintf(w, "%s=%s;", h.Filename, content)
			}
		}
	})
}

func begin(w http.ResponseWriter) {
	_, _ = io.WriteString(w, "begun")
	w.(http.Flusher).Flush()
}
