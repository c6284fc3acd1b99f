// Package generators holds the published OpenAPI document to what code generators make of it. That of
// openapi-typescript is held in tools/npm.
package generators

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	// What generated code imports, for go.mod.
	_ "github.com/go-faster/errors"
	_ "github.com/go-faster/jx"
	_ "github.com/oapi-codegen/runtime"
	_ "github.com/ogen-go/ogen/conv"
	_ "github.com/ogen-go/ogen/http"
	_ "github.com/ogen-go/ogen/middleware"
	_ "github.com/ogen-go/ogen/ogenerrors"
	_ "github.com/ogen-go/ogen/ogenregex"
	_ "github.com/ogen-go/ogen/otelogen"
	_ "github.com/ogen-go/ogen/uri"
	_ "github.com/ogen-go/ogen/validate"
	_ "go.opentelemetry.io/otel"
	_ "go.opentelemetry.io/otel/attribute"
	_ "go.opentelemetry.io/otel/codes"
	_ "go.opentelemetry.io/otel/metric"
	_ "go.opentelemetry.io/otel/semconv/v1.39.0"
	_ "go.opentelemetry.io/otel/trace"
)

const document = "../../docs/reference/openapi.json"

func TestOgen(t *testing.T) {
	dir := t.TempDir()
	run(t, "go", "tool", "ogen", "--config", "ogen.yml", "--target", dir, "--package", "generated", document)
	compile(t, dir)
}

func TestOapiCodegen(t *testing.T) {
	dir := t.TempDir()
	run(t, "go", "tool", "oapi-codegen", "-generate", "types,client,std-http-server,strict-server", "-package", "generated",
		"-o", filepath.Join(dir, "generated.go"), document)
	compile(t, dir)
}

func TestHeyAPI(t *testing.T) {
	const bin = "../npm/node_modules/.bin/"
	if _, err := os.Stat(bin); err != nil {
		t.Fatal("tools/npm/node_modules is missing: run `make deps`")
	}
	dir := t.TempDir()
	run(t, bin+"openapi-ts", "--input", document, "--output", dir, "--client", "@hey-api/client-fetch", "--no-log-file")
	run(t, bin+"tsc", "--strict", "--noEmit", "--noUnusedLocals", "--target", "es2022", "--module", "esnext",
		"--moduleResolution", "bundler", filepath.Join(dir, "index.ts"))
	sdk, err := os.ReadFile(filepath.Join(dir, "sdk.gen.ts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range operations(t) {
		if !strings.Contains(strings.ToLower(string(sdk)), "export const "+strings.ToLower(id)+" ") {
			t.Errorf("there is no function %s", id)
		}
	}
}

// compile compiles generated files as a package of this module, without writing them into it, and asks that
// every operation is in them.
func compile(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("nothing was generated (%v)", err)
	}
	here, err := filepath.Abs("generated")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	var source strings.Builder
	for _, f := range files {
		replace[filepath.Join(here, filepath.Base(f))] = f
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(raw)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "go", "build", "-overlay", list, "./generated")
	for _, id := range operations(t) {
		if name := strings.ToUpper(id[:1]) + id[1:]; !strings.Contains(source.String(), ") "+name+"(") {
			t.Errorf("there is no method %s", name)
		}
	}
}

func operations(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, item := range doc.Paths {
		for _, o := range item {
			out = append(out, o.OperationID)
		}
	}
	if len(out) == 0 {
		t.Fatal("the document has no operations")
	}
	return out
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}
