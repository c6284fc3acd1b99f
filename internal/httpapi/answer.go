package httpapi

import (
	"bytes"
	"mime"
	"net/http"

	"github.com/browserhive/browserhive/internal/secret"
)

// answer buffers JSON until it is complete, and removes the secrets of other principals from it. Anything else
// (a picture, an archive) is passed through: its secrets were removed when it was recorded. The largest JSON is
// one page of rows.
type answer struct {
	http.ResponseWriter
	secrets *secret.Redactor
	caller  string // "" for one who did not have to say who he is
	status  int
	passes  bool
	held    bytes.Buffer
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status != 0 {
		return
	}
	a.status = status
	switch kind, _, _ := mime.ParseMediaType(a.Header().Get("Content-Type")); kind {
	case jsonType, problemType:
	default:
		a.passes = true
		a.ResponseWriter.WriteHeader(status)
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.passes {
		return a.ResponseWriter.Write(b)
	}
	return a.held.Write(b)
}

// send sends what was held back. A handler that panics has sent nothing yet.
func (a *answer) send() {
	if a.passes || a.status == 0 {
		return
	}
	a.ResponseWriter.WriteHeader(a.status)
	_, _ = a.ResponseWriter.Write(a.secrets.ScrubJSONFor(a.caller, a.held.Bytes())) // a client that is gone cannot be told
}
