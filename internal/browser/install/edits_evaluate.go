package install

import (
	_ "embed"
	"encoding/json"
)

// evaluateScript runs in the page. It encodes the result there because the library's own decoding
// loses the order of keys and fails on cycles.
//
//go:embed evaluate.js
var evaluateScript string

// EvaluateName is what the driver takes for the script of evaluate.js: given as the expression, the script
// runs with the argument beside it.
const EvaluateName = "browserhiveEvaluate"

// evaluateEdits hand the script to a document together with the driver's own, once. Sent with every call it
// would be a fifth of what a short call takes.
var evaluateEdits = []edit{{
	from: "        return new (module.exports.UtilityScript())(globalThis, ${isUnderTest()});\n      })();`;\n          this._utilityScriptPromise",
	to: "        const utility = new (module.exports.UtilityScript())(globalThis, ${isUnderTest()});\n" +
		"        const run = ${" + scriptLiteral(evaluateScript) + "};\n" +
		"        const evaluate = utility.evaluate;\n" +
		"        utility.evaluate = (...given) => given[2] === \"" + EvaluateName + "\" ? utility._promiseAwareJsonValueNoThrow(run(given[4])) : evaluate.apply(utility, given);\n" +
		"        return utility;\n      })();`;\n          this._utilityScriptPromise",
}}

// scriptLiteral is a text as a literal of JavaScript.
func scriptLiteral(text string) string {
	literal, _ := json.Marshal(text) // A string always encodes.
	return string(literal)
}
