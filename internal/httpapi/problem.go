package httpapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/browserhive/browserhive/gen/errcode"
	"github.com/browserhive/browserhive/internal/contract"
)

const problemType = "application/problem+json"

type requestIDKey struct{}

// requestID names a request in the log and in its problem document.
func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

func withRequestID(ctx context.Context) context.Context {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, and the id need not be secret
	return context.WithValue(ctx, requestIDKey{}, hex.EncodeToString(b[:]))
}

// fail answers a request with the problem document of err. It is the one place where an error becomes an
// HTTP answer. An error without a code is a fault of ours: the client gets a reference, the log the cause.
func fail(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error) {
	var e *contract.Error
	switch {
	case errors.As(err, &e):
	case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		// What proved the caller was revoked meanwhile. When the client is gone instead, nobody reads this.
		e = errcode.Unauthorized{}.Err()
	default:
		e = errcode.InternalError{Ref: requestID(r.Context())}.Err().Because(err)
	}
	info, known := errcode.Info(e.Code)
	if !known {
		info = contract.ErrorInfo{Type: "about:blank", Title: string(e.Code), HTTP: http.StatusInternalServerError, Retryable: "never"}
	}
	if cause := e.Unwrap(); cause != nil {
		log.Error("request failed", "request_id", requestID(r.Context()), "code", string(e.Code), "cause", cause.Error())
	}
	body, merr := json.Marshal(contract.Problem{
		Type: info.Type, Title: info.Title, Status: info.HTTP, Detail: e.Message, Code: e.Code,
		Retryable: info.Retryable, Hint: info.Hint, Details: e.Details, RequestID: requestID(r.Context()),
	})
	if merr != nil {
		log.Error("problem not encoded", "err", merr)
	}
	h := w.Header()
	h.Set("Content-Type", problemType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if info.HTTP == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="browserhive"`)
	}
	var later errcode.RateLimited
	if e.Code == errcode.CodeRateLimited && json.Unmarshal(e.Details, &later) == nil {
		h.Set("Retry-After", strconv.FormatInt((later.RetryAfterMs+999)/1000, 10))
	}
	w.WriteHeader(info.HTTP)
	_, _ = w.Write(body) // a client that is gone cannot be told
}
