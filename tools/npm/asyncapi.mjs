// Parses an AsyncAPI document with the public parser. Errors go to stderr and end with exit code 1.
import { readFileSync } from "node:fs";
import { DiagnosticSeverity, Parser } from "@asyncapi/parser";

const file = process.argv[2];
const { document, diagnostics } = await new Parser().parse(readFileSync(file, "utf8"), { source: file });
const errors = diagnostics.filter((d) => d.severity === DiagnosticSeverity.Error);
for (const d of errors) {
  console.error(`${file}:${d.range.start.line + 1}: ${d.message} (${d.path.join(".")})`);
}
if (!document || errors.length > 0) {
  process.exit(1);
}
console.log(`${document.messages().length} messages, ${document.channels().length} channels`);
