package contract_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/browserhive/browserhive/internal/contract"
	"github.com/browserhive/browserhive/internal/hosttest"
)

// What the system says of a network in its own terms is said in words.
func TestNetworkReason(t *testing.T) {
	t.Parallel()
	get := func(url string, wait time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = res.Body.Close()
		}
		return err
	}
	var lc net.ListenConfig
	taken, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	_, again := lc.Listen(t.Context(), "tcp", taken.Addr().String())
	encrypted := httptest.NewTLSServer(nil)
	t.Cleanup(encrypted.Close)
	cut := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(cut.Close)
	patience := hosttest.Limit(10 * time.Second)
	for want, err := range map[string]error{
		"nothing listens there":         get("http://127.0.0.1:1", patience),
		"another program listens there": again,
		"no answer came in time":        get("http://"+taken.Addr().String(), 50*time.Millisecond),
		"its certificate is of":         get(encrypted.URL, patience),
		"the connection broke off":      get(cut.URL, patience),
		"there is no host a.invalid":    &net.DNSError{Name: "a.invalid", IsNotFound: true},
		"own words":                     io.ErrShortWrite,
	} {
		if want == "own words" {
			want = err.Error()
		}
		if got := contract.NetworkReason(err); err == nil || !strings.HasPrefix(got, want) {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
