package install

// readyEdits put the driver's script into a document as soon as it is parsed. The driver does so when a call first
// needs it, so that the first snapshot or click of each page would pay for the compilation of 300 KiB; now that
// happens while the page loads its images and its answer is on the way. Iframes get theirs when they are looked at.
var readyEdits = []edit{{
	from: "      onLifecycleEvent(event) {\n",
	to: "      onLifecycleEvent(event) {\n" +
		"        if (event === \"domcontentloaded\" && this === this._page.mainFrame())\n" +
		"          this.context(\"utility\").then((context) => context.injectedScript()).catch(() => {});\n",
}}
