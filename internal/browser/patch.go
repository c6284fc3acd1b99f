package browser

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// replacement puts a text into a driver's bundle in the place of another. Both are recognised, so applying it
// again changes nothing.
type replacement struct{ from, to string }

// done reports whether the replacement was made. What it leaves may hold what it replaces, and may stand
// elsewhere, too.
func (r replacement) done(bundle []byte) bool {
	rest := bytes.ReplaceAll(bundle, []byte(r.to), nil)
	return len(rest) < len(bundle) && !bytes.Contains(rest, []byte(r.from))
}

// edit is one change of ours, for both drivers.
type edit struct {
	from, to string // "" where Patchright alone needs the change.
	// patchright stands in for from and to where Patchright writes the code in another way; nil where it has
	// the same.
	patchright *replacement
}

// libraryEdits are what playwright-go itself changes after a download (run.go, patchDriverBundle):
// page errors without a location would break its protocol.
var libraryEdits = []replacement{
	{"pageError.location.url", `pageError.location?.url || ""`},
	{"pageError.location.lineNumber", "pageError.location?.lineNumber || 0"},
	{"pageError.location.columnNumber", "pageError.location?.columnNumber || 0"},
}

// metadataOption is the launch option that carries a session's client hints to the driver, as JSON
// text. It is an option for another browser that Chromium launches ignore, so nothing of it reaches
// the browser process.
const metadataOption = "userAgentMetadata"

// metadataCode is what a driver does for it.
const metadataCode = "  const own = options.firefoxUserPrefs?." + metadataOption + ";\n  if (own)\n    Object.assign(metadata, JSON.parse(own));\n  return metadata;\n"

// ownEdits are ours; each has exactly one place.
var ownEdits = []edit{
	// Lets a launch set its client hints. Playwright derives them from the user agent string alone and
	// leaves brands and high-entropy values out, and no public option adds them.
	{
		from: "  if (ua.includes(\"ARM\"))\n    metadata.architecture = \"arm\";\n  return metadata;\n",
		to: "  if (ua.includes(\"ARM\"))\n    metadata.architecture = \"arm\";\n" +
			metadataCode,
		patchright: &replacement{
			from: "  if (ua.includes(\"ARM\")) metadata.architecture = \"arm\";\n  return metadata;\n",
			to:   "  if (ua.includes(\"ARM\")) metadata.architecture = \"arm\";\n" + metadataCode,
		},
	},
	// Keeps a snapshot from waiting for an iframe that never loads, such as one whose server is silent
	// or whose address Chromium blocks: after two seconds it counts as empty. Half as long for each
	// level further in, so that an outer frame outlasts an inner one.
	{
		from: "return await ariaSnapshotJSONForFrame(progress2, snapshot3.resolvedFrame, frameRootSelector, { ...options, depth: childDepth, strict: false });",
		to: "const patience = options.patience ?? 2000;\n" +
			"      return await Promise.race([\n" +
			"        ariaSnapshotJSONForFrame(progress2, snapshot3.resolvedFrame, frameRootSelector, { ...options, depth: childDepth, strict: false, patience: patience / 2 }),\n" +
			"        new Promise((resolve) => setTimeout(resolve, patience, []))\n" +
			"      ]);",
		patchright: &replacement{
			from: "      return await ariaSnapshotJSONForFrame(progress2, snapshot3.resolvedFrame, frameRootSelector, {\n        ...options,\n        depth: childDepth,\n        strict: false\n      });",
			to: "      const patience = options.patience ?? 2000;\n" +
				"      return await Promise.race([\n" +
				"        ariaSnapshotJSONForFrame(progress2, snapshot3.resolvedFrame, frameRootSelector, { ...options, depth: childDepth, strict: false, patience: patience / 2 }),\n" +
				"        new Promise((resolve) => setTimeout(resolve, patience, []))\n" +
				"      ]);",
		},
	},
	// Answers a snapshot of a document without a body: with what there is of it, such as an SVG, and with
	// nothing where a page has emptied itself by document.open(). Playwright would wait for a body until
	// the call's time is up. One that may still be parsed gets a second for its first element, and five
	// for its body.
	{
		from: "throw new NonRecoverableDOMError(`Selector \"${selector}\" does not match any element`);\n        return continuePolling;\n      }\n      return { ...resolved.result, resolvedFrame: resolved.frame };",
		to: "throw new NonRecoverableDOMError(`Selector \"${selector}\" does not match any element`);\n" +
			"        const waited = Date.now() - (options.since ??= Date.now());\n" +
			"        const root = await progress3.race(frame.selectors.callOnSelector({ selector: \":root\", strict: false }, ({ injected, elements }, ariaOptions) => {\n" +
			"          return { ...injected.ariaSnapshotJSON(elements[0], ariaOptions), parsing: elements[0].localName === \"html\" && elements[0].ownerDocument.readyState === \"loading\" };\n" +
			"        }, { mode: options.mode ?? \"default\", depth: options.depth, boxes: options.boxes }));\n" +
			"        if (root ? root.result.parsing && waited < 5000 : waited < 1000)\n" +
			"          return continuePolling;\n" +
			"        return { json: [], iframeRefs: [], iframeDepths: {}, ...root?.result, resolvedFrame: frame };\n" +
			"      }\n      return { ...resolved.result, resolvedFrame: resolved.frame };",
		patchright: &replacement{
			from: "throw new NonRecoverableDOMError(`Selector \"${selector}\" does not match any element`);\n          return continuePolling;\n        }\n        return { ...resolved.result, resolvedFrame: resolved.frame };",
			to: "throw new NonRecoverableDOMError(`Selector \"${selector}\" does not match any element`);\n" +
				"          const waited = Date.now() - (options.since ??= Date.now());\n" +
				"          const root = await progress3.race(frame.selectors.callOnSelector(\":root\", { strict: false }, ({ injected, elements }, ariaOptions) => {\n" +
				"            return { ...injected.ariaSnapshotJSON(elements[0], ariaOptions), parsing: elements[0].localName === \"html\" && elements[0].ownerDocument.readyState === \"loading\" };\n" +
				"          }, { mode: options.mode ?? \"default\", depth: options.depth, boxes: options.boxes }));\n" +
				"          if (root ? root.result.parsing && waited < 5000 : waited < 1000)\n" +
				"            return continuePolling;\n" +
				"          return { json: [], iframeRefs: [], iframeDepths: {}, ...root?.result, resolvedFrame: frame };\n" +
				"        }\n        return { ...resolved.result, resolvedFrame: resolved.frame };",
		},
	},
	// Forgets a navigation of a page whose request has not gone out after a second. Chromium drops one to
	// an address that it blocks, or hands to another program, without a word, and whatever acts on the page
	// next would wait for it.
	{
		from: "        frame._setPendingDocument({ documentId, request: request2 });\n      }\n      frameCommittedNewDocumentNavigation(",
		to: "        const requested = { documentId, request: request2 };\n" +
			"        frame._setPendingDocument(requested);\n" +
			"        if (!documentId)\n" +
			"          setTimeout(() => frame.pendingDocument() === requested && this.frameAbortedNavigation(frameId, \"no request\"), 1000).unref();\n" +
			"      }\n      frameCommittedNewDocumentNavigation(",
	},
	// Bounds how long a click or a key, once done, waits for the navigation that it began: a server may
	// take any time to answer, and the page does not answer either until then.
	{
		from: "          await progress2.race(this._page.delegate.inputActionEpilogue());\n          await barrier.waitFor(progress2);\n",
		to: "          await progress2.race(Promise.race([\n" +
			"            this._page.delegate.inputActionEpilogue().then(() => (barrier.release(), barrier._promise)),\n" +
			"            new Promise((resolve) => setTimeout(resolve, 5000).unref())\n" +
			"          ]));\n",
	},
	// Lets a route decide about each hop of a redirected document. Playwright asks about the first address
	// alone, so a redirect would lead past the blocklist.
	{
		from: "if (redirectedFrom || !this._userRequestInterceptionEnabled && this._protocolRequestInterceptionEnabled) {",
		to:   "if (redirectedFrom && requestWillBeSentEvent.type !== \"Document\" || !this._userRequestInterceptionEnabled && this._protocolRequestInterceptionEnabled) {",
	},
	// Starts the browser without a renderer for the suggestions below its address bar, which nobody sees. It
	// loads while the session's first page does, and takes its cores.
	{
		from: "      // Disables forced sign-in in Edge.\n",
		to:   "      \"WebUIOmniboxPopup\",\n      \"WebUIOmniboxAimPopup\",\n      // Disables forced sign-in in Edge.\n",
	},
	// The next three make routes a matter of documents alone, which is all that the blocklist stops, and keep
	// the HTTP cache, which Playwright turns off because what the memory cache serves is never paused; that
	// holds no documents. Credentials of a context still need every request.
	{
		from: "        if (enabled === this._protocolRequestInterceptionEnabled)\n          return;\n        this._protocolRequestInterceptionEnabled = enabled;\n        await this._forEachSession(",
		to: "        const documentsOnly = !this._credentials?.length;\n" +
			"        if (enabled === this._protocolRequestInterceptionEnabled && (!enabled || documentsOnly === this._documentsOnly))\n          return;\n" +
			"        this._documentsOnly = documentsOnly;\n        this._protocolRequestInterceptionEnabled = enabled;\n        await this._forEachSession(",
		patchright: &replacement{
			from: "        if (enabled === this._protocolRequestInterceptionEnabled) return;\n        this._protocolRequestInterceptionEnabled = enabled;\n        await this._forEachSession(",
			to: "        const documentsOnly = !this._credentials?.length;\n" +
				"        if (enabled === this._protocolRequestInterceptionEnabled && (!enabled || documentsOnly === this._documentsOnly)) return;\n" +
				"        this._documentsOnly = documentsOnly;\n        this._protocolRequestInterceptionEnabled = enabled;\n        await this._forEachSession(",
		},
	},
	{
		from: "{ cacheDisabled: enabled });\n        let fetchPromise = Promise.resolve(void 0);\n        if (!info.workerFrame) {\n          if (enabled)\n            fetchPromise = info.session.send(\"Fetch.enable\", { handleAuthRequests: true, patterns: [{ urlPattern: \"*\", requestStage: \"Request\" }] });",
		to: "{ cacheDisabled: enabled && !this._documentsOnly });\n        let fetchPromise = Promise.resolve(void 0);\n        if (!info.workerFrame) {\n          if (enabled)\n" +
			"            fetchPromise = info.session.send(\"Fetch.enable\", { handleAuthRequests: true, patterns: [{ urlPattern: \"*\", resourceType: this._documentsOnly ? \"Document\" : void 0, requestStage: \"Request\" }] });",
		patchright: &replacement{
			from: "          cacheDisabled: userInterception || hasHarRecorders\n        });\n        let fetchPromise = Promise.resolve(void 0);\n        if (!info.workerFrame) {\n          if (enabled)\n            fetchPromise = info.session.send(\"Fetch.enable\", {\n              handleAuthRequests: true,\n              patterns: [{ urlPattern: \"*\", requestStage: \"Request\" }]\n            });",
			to: "          cacheDisabled: userInterception && !this._documentsOnly || hasHarRecorders\n        });\n        let fetchPromise = Promise.resolve(void 0);\n        if (!info.workerFrame) {\n          if (enabled)\n            fetchPromise = info.session.send(\"Fetch.enable\", {\n              handleAuthRequests: true,\n" +
				"              patterns: [{ urlPattern: \"*\", resourceType: this._documentsOnly ? \"Document\" : void 0, requestStage: \"Request\" }]\n            });",
		},
	},
	{
		from: "if (this._protocolRequestInterceptionEnabled && !event.request.url.startsWith(\"data:\")) {",
		to:   "if (this._protocolRequestInterceptionEnabled && !(this._documentsOnly && event.type !== \"Document\") && !event.request.url.startsWith(\"data:\")) {",
	},
	{patchright: &replacement{
		from: "{ cacheDisabled: this._page.needsRequestInterception() })",
		to:   "{ cacheDisabled: this._page.needsRequestInterception() && !this._documentsOnly })",
	}},
	// Patchright pauses every request of every page, and listens anew at each, to write scripts of a client
	// of its own into documents. No session has that client, so both are left out.
	{patchright: &replacement{
		from: "        this._networkManager.setRequestInterception(true);\n",
		to:   "        this.updateRequestInterception();\n",
	}},
	{patchright: &replacement{
		from: "        eventsHelper.addEventListener(\n          this._session,\n          \"Fetch.requestPaused\",\n          async (e) => await this._networkRequestIntercepted(e)\n        );\n",
		to:   "        // Nothing of the session is tracked.\n",
	}},
	// Patchright asks for the world of a page without a pause until there is one, which keeps the driver, with
	// all its sessions, busy for good when the page's process has crashed.
	{patchright: &replacement{
		from: "              this._mainWorldContextPromise = void 0;\n              if (this._isDetached()) throw new Error(\"Frame was detached\");\n",
		to:   "              this._mainWorldContextPromise = void 0;\n" + worldCode,
	}},
	{patchright: &replacement{
		from: "            this._isolatedWorldContextPromise = void 0;\n            if (this._isDetached()) throw new Error(\"Frame was detached\");\n",
		to:   "            this._isolatedWorldContextPromise = void 0;\n" + worldCode,
	}},
}

// worldCode ends that with the page's process, and pauses.
const worldCode = "            if (this._isDetached() || client._crashed || client._closed || client._connection._closed || client._connection._browserDisconnectedLogs)\n" +
	"              throw new Error(\"Frame was detached\");\n" +
	"            await new Promise((resolve) => setTimeout(resolve, 10));\n"

// patchMarker is the file, beside the driver's package, that is written last. It holds the hash of the
// patched bundle, so a driver whose patch was interrupted, or changed by others, is not taken as done.
const patchMarker = "browserhive-patch.json"

type marker struct {
	Edits  string `json:"edits"`  // Hash of the edits that were made.
	Bundle string `json:"bundle"` // Hash of the bundle after them.
	Size   int64  `json:"size"`   // Of the bundle, in bytes.
}

func bundlePath(dir string) string { return filepath.Join(dir, "package", "lib", "coreBundle.js") }

// patched reports whether the driver in dir carries the patch. It compares sizes, which is cheap;
// intact compares the bytes.
func (r release) patched(dir string) bool {
	m, ok := r.readMarker(dir)
	if !ok {
		return false
	}
	info, err := os.Stat(bundlePath(dir))
	return err == nil && info.Size() == m.Size
}

// intact reports whether the driver's bundle is byte for byte what patch left.
func (r release) intact(dir string) bool {
	m, ok := r.readMarker(dir)
	if !ok {
		return false
	}
	content, err := os.ReadFile(bundlePath(dir))
	return err == nil && hash(content) == m.Bundle
}

func (r release) readMarker(dir string) (m marker, ok bool) {
	content, err := os.ReadFile(filepath.Join(dir, patchMarker))
	ok = err == nil && json.Unmarshal(content, &m) == nil && m.Edits == r.hash
	return m, ok
}

// patch edits the driver's bundle and writes the marker. Each file is replaced as a whole, so an
// interruption leaves the old or the new one; running it again completes it.
func (r release) patch(dir string) error {
	content, err := os.ReadFile(bundlePath(dir))
	if err != nil {
		return err
	}
	edited := content
	for _, e := range libraryEdits {
		if !bytes.Contains(edited, []byte(e.from)) && !bytes.Contains(edited, []byte(e.to)) {
			return fmt.Errorf("the driver's bundle lacks %q, which playwright-go needs changed", e.from)
		}
		edited = bytes.ReplaceAll(edited, []byte(e.from), []byte(e.to))
	}
	for _, e := range r.edits {
		if e.done(edited) {
			continue
		}
		if n := bytes.Count(edited, []byte(e.from)); n != 1 {
			return fmt.Errorf("%q is in the driver's bundle %d times, not once", firstLine(e.from), n)
		}
		edited = bytes.Replace(edited, []byte(e.from), []byte(e.to), 1)
	}
	if !bytes.Equal(edited, content) {
		if err := replaceFile(bundlePath(dir), edited); err != nil {
			return err
		}
	}
	m, err := json.Marshal(marker{Edits: r.hash, Bundle: hash(edited), Size: int64(len(edited))})
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, patchMarker), m)
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// replaceFile writes the content beside path and renames it into place.
func replaceFile(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // Fails, as it should, once the rename is done.
	_, err = file.Write(content)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
