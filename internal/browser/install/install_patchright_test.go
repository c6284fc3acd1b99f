package install

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// Patchright is held to its bytes as the driver is. Without it an installation fails only if it has to be there.
func TestInstallOfPatchright(t *testing.T) {
	t.Parallel()
	for use, fails := range map[Use]bool{PatchrightIfInstalled: false, PatchrightRequired: true} {
		in, reg := fixture(t, nil)
		in.opts.Patchright = use
		for _, step := range []func() error{
			func() error { _, err := in.prepare(t.Context()); return err },
			func() error { _, err := in.installDriver(t.Context()); return err },
		} {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		reg.fault = func(w http.ResponseWriter, _ *http.Request, content []byte) { _, _ = w.Write(content[1:]) }
		var steps []Step
		found, err := in.run(t.Context(), func(s Step) { steps = append(steps, s) })
		if (err != nil) != fails || found.PatchrightDir != "" || found.Missing() != nil {
			t.Errorf("use %d: %v, found %+v", use, err, found)
		}
		if s := steps[2]; s.Name != "Patchright" || s.OK || s.Optional == fails || !strings.Contains(s.Err.Error(), "sha512") {
			t.Errorf("use %d: %+v", use, s)
		}
		noLeftovers(t, in)

		found, failed := install(t, in)
		if failed != nil || found.PatchrightDir != in.paths.driver(in.patchright) || found.PatchrightDir == found.DriverDir || !HasPatchright(in.paths.Root) {
			t.Errorf("use %d: the run after it: found %+v, failed %+v", use, found, failed)
		}
		before := reg.requests
		if _, failed := install(t, in); failed != nil || reg.requests != before {
			t.Errorf("use %d: a third run failed with %+v after %d requests", use, failed, reg.requests-before)
		}
		if err := os.WriteFile(bundlePath(found.PatchrightDir), []byte(bundleOf(in.patchright)), 0o644); err != nil {
			t.Fatal(err)
		}
		if HasPatchright(in.paths.Root) {
			t.Errorf("use %d: a bundle without the edits is taken for ours", use)
		}
		if found, failed := install(t, in); failed != nil || found.PatchrightDir == "" {
			t.Errorf("use %d: not repaired: found %+v, failed %+v", use, found, failed)
		}
	}
}

func TestInstallWithoutPatchrightFetchesNone(t *testing.T) {
	t.Parallel()
	in, reg := fixture(t, nil)
	delete(reg.packages, "/npm/"+patchrightPin.name+"/-/"+patchrightPin.name+"-"+patchrightPin.version+".tgz")
	if found, failed := install(t, in); failed != nil || found.PatchrightDir != "" {
		t.Errorf("found %+v, failed %+v", found, failed)
	}
}

func TestReplacementIsDoneOnce(t *testing.T) {
	t.Parallel()
	insertion := replacement{from: "a();", to: "a(); b();"}
	other := replacement{from: "set(true);", to: "update();"}
	for text, want := range map[string]bool{
		"a();": false, "x a(); b(); y": true, "": false, "b();": false,
	} {
		if got := insertion.done([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for text, want := range map[string]bool{
		"set(true);": false, "update();": true, "set(true); if (x) update();": false, "update(); if (x) update();": true,
	} {
		if got := other.done([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
