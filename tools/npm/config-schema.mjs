// Compiles the JSON Schema of the config file with ajv at its strictest and asks it about config files, one
// {"file": …, "taken": …} a line on standard input. Prints a line for each that it judges otherwise; any
// line, and any fault of the schema, ends with exit code 1.
import { readFileSync } from "node:fs";
import Ajv2020 from "ajv/dist/2020.js";

const path = process.argv[2];
const schema = JSON.parse(readFileSync(path, "utf8"));
const ajv = new Ajv2020({ strict: true });
// Annotations of ours, which a strict validator has to be told of.
ajv.addVocabulary(["x-derived", "x-runtime", "x-secret", "x-stage"]);
const validate = ajv.compile(schema);
if (ajv.getSchema(schema.$id) !== validate) {
  throw new Error(`${path} is not known by its $id`);
}
let asked = 0;
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const { file, taken } = JSON.parse(line);
  asked++;
  if (validate(file) !== taken) {
    console.log(`${JSON.stringify(file)}: ${taken ? `refused: ${ajv.errorsText(validate.errors)}` : "taken"}`);
    process.exitCode = 1;
  }
}
if (asked === 0) {
  throw new Error("no config file was asked about");
}
