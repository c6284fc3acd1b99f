package e2e

import (
	"bytes"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"
)

func TestScreenshotOptions(t *testing.T) {
	work(t)
	site := newSite(t)
	site.page("/tall", "Tall", `<div id=box style="width:40px;height:30px;background:red"></div><div style="height:9000px"></div>`)
	p := tenant(t)
	a := p.connect(stateful)
	id := a.launch()
	a.call("navigate", args{"session_id": id, "url": site.URL + "/tall"})
	got := a.call("screenshot", args{"session_id": id, "selector": "#box", "format": "jpeg", "quality": 60, "save_path": "box.jpg"})
	if got.fields["width"] != 40.0 || got.fields["height"] != 30.0 || got.fields["truncated"] != nil {
		t.Errorf("%v", got.fields)
	}
	if _, err := jpeg.Decode(bytes.NewReader(got.image)); err != nil {
		t.Error(err)
	}
	if saved, err := os.ReadFile(filepath.Join(p.dataDir, "sessions", id, "box.jpg")); err != nil || !bytes.Equal(saved, got.image) {
		t.Errorf("the copy is another: %v", err)
	}
	if got := a.call("screenshot", args{"session_id": id, "full_page": true}); got.fields["height"] != 8000.0 || got.fields["truncated"] != true {
		t.Errorf("%v", got.fields)
	}
	a.refused("ELEMENT_NOT_FOUND", "screenshot", args{"session_id": id, "selector": "e999"})
	a.refused("INVALID_ARGUMENTS", "screenshot", args{"session_id": id, "quality": 50})
	a.refused("INVALID_ARGUMENTS", "screenshot", args{"session_id": id, "format": "gif"})
}
