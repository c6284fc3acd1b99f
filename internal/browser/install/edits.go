package install

import (
	"slices"

	"github.com/browserhive/browserhive/gen/types"
)

// editsOf are our edits of an engine's bundle. Each list stands with what needs it.
func editsOf(engine types.Engine) []replacement {
	var list []replacement
	for _, e := range slices.Concat(ownEdits, outlineEdits, evaluateEdits, cancelEdits, loadStateEdits, traceEdits, readyEdits) {
		switch {
		case engine == types.EnginePatchright && e.patchright != nil:
			list = append(list, *e.patchright)
		case e.from != "":
			list = append(list, replacement{e.from, e.to})
		}
	}
	return list
}

// libraryEdits are what playwright-go itself changes after a download (run.go, patchDriverBundle):
// page errors without a location would break its protocol.
var libraryEdits = []replacement{
	{"pageError.location.url", `pageError.location?.url || ""`},
	{"pageError.location.lineNumber", "pageError.location?.lineNumber || 0"},
	{"pageError.location.columnNumber", "pageError.location?.columnNumber || 0"},
}

// MetadataOption is the launch option that carries a session's client hints to the driver, as JSON
// text. It is an option for another browser that Chromium launches ignore, so nothing of it reaches
// the browser process.
const MetadataOption = "userAgentMetadata"

// metadataCode is what a driver does for it.
const metadataCode = "  const own = options.firefoxUserPrefs?." + MetadataOption + ";\n  if (own)\n    Object.assign(metadata, JSON.parse(own));\n  return metadata;\n"

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
