package install

import "strconv"

// CancelPrefix is what the driver reads as a message of ours when a request context has it as its user agent. The
// mark of the call to end follows it.
const CancelPrefix = "BrowserHive cancels "

// cancelCode, behind the name of the method, takes our message.
var cancelCode = " === \"newRequest\" && params2?.userAgent?.startsWith(\"" + CancelPrefix + "\")) {\n" +
	"          const mark = +params2.userAgent.substring(" + strconv.Itoa(len(CancelPrefix)) + ");\n" +
	"          this._cancelledMarks ??= /* @__PURE__ */ new Set();\n" +
	"          this._cancelledMarks.add(mark);\n" +
	"          if (this._cancelledMarks.size > 1e3)\n" +
	"            this._cancelledMarks.delete(this._cancelledMarks.values().next().value);\n" +
	"          const entries = [...this._activeProgressControllers.values()].filter((entry) => entry.mark === mark);\n" +
	"          await Promise.all(entries.map((entry) => {\n" +
	"            entry.abortError = new AbortError();\n" +
	"            return entry.controller?.abort(entry.abortError);\n" +
	"          }));\n" +
	"          this.onmessage({ id, error: serializeError(new Error(entries.length)) });\n" +
	"          return;\n        }\n"

// cancelEdits let a call be cancelled by the mark in its timeout.
var cancelEdits = []edit{
	// A mark stays for the steps of the call that are still to come; a thousand are far more than any server
	// has on their way.
	{
		from: "        if (method2 === \"__abort__\") {\n",
		to:   "        if (method2" + cancelCode + "        if (method2 === \"__abort__\") {\n",
		patchright: &replacement{
			from: "        if (method === \"__abort__\") {\n",
			to:   "        if (method" + cancelCode + "        if (method === \"__abort__\") {\n",
		},
	},
	{
		from: "        const abortControllerEntry = {};\n",
		to: "        const abortControllerEntry = { mark: validMetadata.timeout % 1 };\n" +
			"        if (this._cancelledMarks?.has(abortControllerEntry.mark))\n" +
			"          abortControllerEntry.abortError = new AbortError();\n",
	},
	// A launch that is given up, or fails, ends its browser before it says so, and by force: its profile is
	// about to be removed. Playwright gives up on that too, and on what it has begun for the browser.
	{
		from: "const prepared = await progress2.race(this._prepareToLaunch(options, isPersistent, userDataDir));\n",
		to:   "const prepared = await this._prepareToLaunch(options, isPersistent, userDataDir);\n",
	},
	{
		from: "await progress2.race(launchProcess({\n          command: prepared.executable,\n",
		to:   "await (launchProcess({\n          command: prepared.executable,\n",
	},
	{
		from: "          await progress2.race(closeOrKill(DEFAULT_PLAYWRIGHT_TIMEOUT).catch(() => {\n          }));\n",
		to:   "          await kill().catch(() => {\n          });\n",
	},
	{
		from: "          await progress2.race(browserProcess.close().catch(() => {\n          }));\n",
		to:   "          await browserProcess.kill().catch(() => {\n          });\n",
	},
}
