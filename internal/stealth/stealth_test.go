package stealth_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/browserhive/browserhive/internal/stealth"
)

func native(version, grease, greaseVersion string) stealth.Native {
	major, _, _ := strings.Cut(version, ".")
	return stealth.Native{
		UserAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/" + major + ".0.0.0 Safari/537.36",
		Metadata: stealth.Metadata{
			Brands:          []stealth.Brand{{grease, greaseVersion}, {"Chromium", major}},
			FullVersionList: []stealth.Brand{{grease, greaseVersion + ".0.0.0"}, {"Chromium", version}},
			Platform:        "Linux", Architecture: "x86", Bitness: "64", FormFactors: []string{"Desktop"},
		},
	}
}

// The wanted lists are what released versions of Google Chrome send.
func TestBrandsAreThoseOfChrome(t *testing.T) {
	t.Parallel()
	tests := []struct {
		version, grease, greaseVersion string
		want                           []stealth.Brand
	}{
		{"120.0.6099.109", "Not_A Brand", "8", []stealth.Brand{{"Not_A Brand", "8"}, {"Chromium", "120"}, {"Google Chrome", "120"}}},
		{"123.0.6312.86", "Not:A-Brand", "8", []stealth.Brand{{"Google Chrome", "123"}, {"Not:A-Brand", "8"}, {"Chromium", "123"}}},
		{"124.0.6367.60", "Not-A.Brand", "99", []stealth.Brand{{"Chromium", "124"}, {"Google Chrome", "124"}, {"Not-A.Brand", "99"}}},
		{"156.0.8078.114", "Not:A-Brand", "8", []stealth.Brand{{"Not:A-Brand", "8"}, {"Chromium", "156"}, {"Google Chrome", "156"}}},
	}
	for _, test := range tests {
		id, err := stealth.Present(native(test.version, test.grease, test.greaseVersion), []string{"en-US", "en"})
		if err != nil {
			t.Fatalf("%s: %v", test.version, err)
		}
		if !slices.Equal(id.Metadata.Brands, test.want) {
			t.Errorf("%s: brands %v, want %v", test.version, id.Metadata.Brands, test.want)
		}
		for i, b := range id.Metadata.FullVersionList {
			if b.Brand != test.want[i].Brand || !strings.HasPrefix(b.Version, test.want[i].Version+".") {
				t.Errorf("%s: full version %v does not go with %v", test.version, b, test.want[i])
			}
		}
	}
}

func TestPresentHidesNothingButTheHeadlessMark(t *testing.T) {
	t.Parallel()
	before := native("156.0.8078.114", "Not:A-Brand", "8")
	id, err := stealth.Present(before, []string{"en-CA", "en"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(id.UserAgent, "Headless") || !strings.Contains(id.UserAgent, " Chrome/156.0.0.0 ") {
		t.Errorf("user agent %q", id.UserAgent)
	}
	after := id.Metadata
	after.Brands, after.FullVersionList = before.Metadata.Brands, before.Metadata.FullVersionList
	got, _ := json.Marshal(after)
	want, _ := json.Marshal(before.Metadata)
	if string(got) != string(want) {
		t.Errorf("beyond the brands, %s became %s", want, got)
	}
	for _, want := range []string{"--user-agent=" + id.UserAgent, "--accept-lang=en-CA,en", "--lang=en-CA"} {
		if !slices.Contains(id.Switches(), want) {
			t.Errorf("switches %q lack %q", id.Switches(), want)
		}
	}
}

func TestBrandedBrowserKeepsItsBrand(t *testing.T) {
	t.Parallel()
	edge := native("156.0.8078.114", "Not:A-Brand", "8")
	edge.Metadata.Brands = append(edge.Metadata.Brands, stealth.Brand{Brand: "Microsoft Edge", Version: "156"})
	edge.Metadata.FullVersionList = append(edge.Metadata.FullVersionList, stealth.Brand{Brand: "Microsoft Edge", Version: "156.0.1.2"})
	id, err := stealth.Present(edge, []string{"en-US"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(id.Metadata.Brands, edge.Metadata.Brands) {
		t.Errorf("brands %v", id.Metadata.Brands)
	}
}

func TestHeadlessShellIsBrandedChrome(t *testing.T) {
	t.Parallel()
	shell := native("156.0.8078.114", "Not:A-Brand", "8")
	shell.Metadata.Brands = append(shell.Metadata.Brands, stealth.Brand{Brand: "HeadlessChrome", Version: "156"})
	id, err := stealth.Present(shell, []string{"en-US"})
	if err != nil {
		t.Fatal(err)
	}
	if len(id.Metadata.Brands) != 3 || id.Metadata.Brands[2].Brand != "Google Chrome" {
		t.Errorf("brands %v", id.Metadata.Brands)
	}
}

func TestPresentRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	good := native("156.0.8078.114", "Not:A-Brand", "8")
	noBrands, strange, firefox := good, good, good
	noBrands.Metadata.Brands = nil
	strange.Metadata.FullVersionList = []stealth.Brand{{"Not:A-Brand", "8"}, {"Chromium", "x"}}
	firefox.UserAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	for name, n := range map[string]stealth.Native{"no brands": noBrands, "no version": strange, "not a Chromium": firefox} {
		if id, err := stealth.Present(n, []string{"en-US"}); err == nil {
			t.Errorf("%s: presented %+v", name, id)
		}
	}
	if _, err := stealth.Present(good, nil); err == nil {
		t.Error("presented without a language")
	}
}

func TestHostLocale(t *testing.T) {
	t.Parallel()
	tests := []struct {
		env  map[string]string
		want string
	}{
		{nil, "en-US"},
		{map[string]string{"LANG": "C"}, "en-US"},
		{map[string]string{"LANG": "C.UTF-8"}, "en-US"},
		{map[string]string{"LANG": "POSIX"}, "en-US"},
		{map[string]string{"LANG": "en_CA.UTF-8"}, "en-CA"},
		{map[string]string{"LANG": "de_DE@euro"}, "de-DE"},
		{map[string]string{"LANG": "fr"}, "fr"},
		{map[string]string{"LANG": "../../etc"}, "en-US"},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_ALL": "pt_BR.UTF-8"}, "pt-BR"},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, "en-US"},
		{map[string]string{"LANG": "de_DE.UTF-8", "LC_MESSAGES": "sv_SE"}, "sv-SE"},
	}
	for _, test := range tests {
		if got := stealth.HostLocale(func(name string) string { return test.env[name] }); got != test.want {
			t.Errorf("%v: %q, want %q", test.env, got, test.want)
		}
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{"en-CA": "en-CA,en", "fr": "fr", "": "en-US,en"} {
		if got := strings.Join(stealth.Languages(tag), ","); got != want {
			t.Errorf("%q: %q, want %q", tag, got, want)
		}
	}
}
