// Package browsertest gives tests a real Chromium and a small site on loopback.
package browsertest

import (
	"net/http/httptest"
	"testing"

	"github.com/browserhive/browserhive/internal/browser"
)

func Drivers(t testing.TB) *browser.Drivers { panic("todo") }

func Site(t testing.TB) *httptest.Server { panic("todo") }
