package install

import "strconv"

// LoadStateSelector before the name of a state is a selector that the driver takes for a wait for that
// state. The library's own wait lives in the client, where the driver cannot end it, and reads what its
// reader of messages writes without a lock.
const LoadStateSelector = "browserhive-load-state="

// loadStateCode is that wait, behind the head of the other.
var loadStateCode = "        if (!params2.strict && params2.selector.startsWith(\"" + LoadStateSelector + "\")) {\n" +
	"          await this._frame.waitForLoadState(progress2, params2.selector.substring(" + strconv.Itoa(len(LoadStateSelector)) + "));\n" +
	"          return {};\n        }\n"

// loadStateEdits teach it to the driver, which has the wait already. An agent's selectors are strict, so
// none of them is taken for one.
var loadStateEdits = []edit{{
	from: "      async waitForSelector(params2, progress2) {\n        return { element: ElementHandleDispatcher.fromNullable(this, ",
	to:   "      async waitForSelector(params2, progress2) {\n" + loadStateCode + "        return { element: ElementHandleDispatcher.fromNullable(this, ",
	patchright: &replacement{
		from: "      async waitForSelector(params2, progress2) {\n        return {\n          element: ElementHandleDispatcher.fromNullable(\n            this,\n",
		to:   "      async waitForSelector(params2, progress2) {\n" + loadStateCode + "        return {\n          element: ElementHandleDispatcher.fromNullable(\n            this,\n",
	},
}}
