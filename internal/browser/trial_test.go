package browser

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestSlowHostIsTold(t *testing.T) {
	t.Parallel()
	if text := startedIn(1500 * time.Millisecond); text != "Chromium started in 1500 ms" {
		t.Error(text)
	}
	if text := startedIn(12 * time.Second); !strings.Contains(text, "12000 ms") || !strings.Contains(text, "slow") {
		t.Error(text)
	}
}

// What a browser printed before it ended stands behind its long command line, and is what a person looks for.
func TestBriefCauseKeepsTheBrowsersWords(t *testing.T) {
	t.Parallel()
	log := "target closed\nBrowser logs:\n\n<launching> /usr/bin/chromium " + strings.Repeat("--switch ", 400) + "\n<launched> pid=1\n[pid=1][err] no such option"
	got := brief(errors.New(log)).Error()
	if !strings.HasSuffix(got, "[err] no such option") || strings.Contains(got, "--switch") {
		t.Error(got)
	}
	if got := brief(errors.New(log + strings.Repeat("x", 2*maxCause))).Error(); len(got) > maxCause+len("…") {
		t.Errorf("%d bytes", len(got))
	}
}
