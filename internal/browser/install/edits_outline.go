package install

import "strings"

// outlineEdits are what snapshots need of the driver; each has exactly one place. Most change the script
// that the driver runs beside a page's own, which the bundle holds as one literal.
var outlineEdits = []edit{
	// A ref of an older document must never mean an element of a newer one. Refs of a document carry its
	// frame's number, or none, and Playwright gives the main frame a new number mostly and others none. Now
	// every frame whose document gave refs gets one.
	{
		from: "          if (frame === this._mainFrame && previousUrl && previousUrl !== \"about:blank\")\n            frame.seq = this._allocateFrameSeq();\n",
		to:   "          // A document that gave refs has made it take a new number.\n",
	},
	{
		from: "        const navigationEvent = { url: url3, name, newDocument: frame._currentDocument, isPublic: true };\n",
		to: "        if (frame.gaveRefs) {\n          frame.gaveRefs = false;\n          frame.seq = this._allocateFrameSeq();\n        }\n" +
			"        const navigationEvent = { url: url3, name, newDocument: frame._currentDocument, isPublic: true };\n",
	},
	{
		from: "  const renderedIframeRefs = snapshot3.iframeRefs.filter((ref) => ref in snapshot3.iframeDepths);\n",
		to: "  if (options.mode === \"ai\")\n    snapshot3.resolvedFrame.gaveRefs = true;\n" +
			"  const renderedIframeRefs = snapshot3.iframeRefs.filter((ref) => ref in snapshot3.iframeDepths);\n",
	},
	// Refs are counted in each world of a document, and only one of them looks them up.
	{
		from: "    options = { ...options, refPrefix: this._frameSeq",
		to: inLiteral("    if (options.mode === \"ai\" && !this._isUtilityWorld)\n"+
			"      throw this.createStacklessError(\"this kind of selector gives no refs\");\n") +
			"    options = { ...options, refPrefix: this._frameSeq",
	},
	// Keeps the refs of the snapshot before when a part of the page is read, as long as they mean what they
	// meant.
	{
		from: "    this._lastAriaSnapshotForQuery = ariaSnapshot;",
		to: inLiteral("    if (node !== this.document.body)\n"+
			"      for (const [ref, info] of (this._lastAriaSnapshotForQuery || ariaSnapshot).info)\n"+
			"        if (info.element.isConnected && info.element._ariaRef.ref === ref && !ariaSnapshot.info.has(ref))\n"+
			"          ariaSnapshot.info.set(ref, info);\n") +
			"    this._lastAriaSnapshotForQuery = ariaSnapshot;",
	},
	// Hides the content of password fields: of those, of what was one when an earlier snapshot saw it, of what
	// a password manager would fill, and of fields that show dots instead of text. Eight dots stand for it,
	// whatever its length. What takes clicks without a role is told here, too, for the last two edits.
	{
		from: "var lastRef = 0;",
		to: "var lastRef = 0;" + inLiteral(`
var passwords = new WeakSet();
function shownValue(element) {
  const style = getElementComputedStyle(element);
  if (element.type === "password")
    passwords.add(element);
  const secret = passwords.has(element) || (element.getAttribute("autocomplete") || "").toLowerCase().includes("-password") ||
    !!style && !!style.webkitTextSecurity && style.webkitTextSecurity !== "none";
  return secret && element.value ? String.fromCharCode(8226).repeat(8) : element.value;
}
function isClickTarget(element, role, box) {
  if (role !== "generic")
    return false;
  if (element.hasAttribute("onclick") || element.hasAttribute("tabindex") && element.tabIndex >= 0)
    return true;
  const parent = box.cursor === "pointer" && parentElementOrShadowHost(element);
  const style = parent && getElementComputedStyle(parent);
  return !!style && style.cursor !== "pointer";
}`),
	},
	{from: "result.children = [element.value];", to: "result.children = [shownValue(element)];"},
	{
		from: inLiteral("tagName === \"TEXTAREA\")\n          return compositeString(element.value, element"),
		to:   inLiteral("tagName === \"TEXTAREA\")\n          return compositeString(shownValue(element), element"),
	},
	{
		from: inLiteral("tagName === \"INPUT\") {\n          return compositeString(element.value, element"),
		to:   inLiteral("tagName === \"INPUT\") {\n          return compositeString(shownValue(element), element"),
	},
	// Keeps a ref on an element without a role that takes clicks. Playwright takes an inline one for text,
	// joins another with what is around it, and knows a click target by its cursor alone.
	{
		from: "if (role === \"generic\" && box.inline && ",
		to: inLiteral("const clickTarget = isClickTarget(element, role, box);\n  if (clickTarget)\n    box.cursor = \"pointer\";\n  else ") +
			"if (role === \"generic\" && box.inline && ",
	},
	{
		from: inLiteral("  setAriaNodeElement(result, element);\n  nameSourceElements.set(result, name.elements);"),
		to: inLiteral("  if (clickTarget)\n    result.props.clickTarget = true;\n" +
			"  setAriaNodeElement(result, element);\n  nameSourceElements.set(result, name.elements);"),
	},
}

// inLiteral is code as it stands in the bundle's literal. It holds neither backslashes nor single quotes.
func inLiteral(code string) string { return strings.ReplaceAll(code, "\n", `\n`) }
