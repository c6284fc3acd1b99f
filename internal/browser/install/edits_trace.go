package install

// traceEdits are what traces need of the driver; each has exactly one place.
var traceEdits = []edit{
	// Every part of a trace stands on its own, so a part writes anew what an earlier one has written.
	{
		from: "        const traceName = options.name || createGuid();\n        const tracesDir = this._createTracesDirIfNeeded();\n",
		to:   "        this._allResources = /* @__PURE__ */ new Set();\n        const traceName = options.name || createGuid();\n        const tracesDir = this._createTracesDirIfNeeded();\n",
	},
	// The stacks of the server's own code, which the library sends with every call, would be kept in memory for
	// as long as any session is traced. Nobody reads them.
	{
		from: "function addStackToTracingNoReply(stackSessions, params2) {\n",
		to:   "function addStackToTracingNoReply(stackSessions, params2) {\n  return;\n",
	},
	// The bodies of requests hold what a person typed, who may have logged in.
	{
		from: "      _postDataForBuffer(postData, contentType, content) {\n        if (!postData)\n",
		to:   "      _postDataForBuffer(postData, contentType, content) {\n        if (!postData || content === \"attach\")\n",
	},
	// Dots stand for what password fields hold, and for what fields hold that were one when they were seen
	// before.
	{
		from: "  const kValueAttribute = \"__playwright_value_\";\n",
		to: "  const kValueAttribute = \"__playwright_value_\";\n" +
			"  const passwords = /* @__PURE__ */ new WeakSet();\n" +
			"  const hidesValue = (field) => {\n" +
			"    if (field.type === \"password\")\n      passwords.add(field);\n" +
			"    return passwords.has(field) || (field.getAttribute(\"autocomplete\") || \"\").toLowerCase().includes(\"-password\") ||\n" +
			"      ![void 0, \"\", \"none\"].includes(field.ownerDocument.defaultView?.getComputedStyle(field).webkitTextSecurity);\n" +
			"  };\n",
	},
	{
		from: "          if (nodeName === \"INPUT\" || nodeName === \"TEXTAREA\") {\n            const value2 = element3.value;\n",
		to: "          if (nodeName === \"INPUT\" || nodeName === \"TEXTAREA\") {\n" +
			"            const value2 = element3.value && hidesValue(element3) ? String.fromCharCode(8226).repeat(8) : element3.value;\n",
	},
	{
		from: "            if (nodeName === \"META\")\n              value2 = this.__sanitizeMetaAttribute(",
		to: "            if (nodeName === \"INPUT\" && name === \"value\" && hidesValue(element3))\n              value2 = \"\";\n" +
			"            else if (nodeName === \"META\")\n              value2 = this.__sanitizeMetaAttribute(",
	},
	// The same for the picture of an element in words, which stands in the log of a call and in errors.
	{
		from: inLiteral("const { name, value } = element.attributes[i];\n      if (name === \"style\")\n"),
		to:   inLiteral("const { name, value } = element.attributes[i];\n      if (name === \"style\" || name === \"value\" && element.type === \"password\")\n"),
	},
}
