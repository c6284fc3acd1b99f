// Writes the TypeScript that openapi-typescript makes of an OpenAPI document to stdout.
import { readFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const document = JSON.parse(readFileSync(process.argv[2], "utf8"));
// A property with a default may be left out of a request, so it is not required.
process.stdout.write(astToString(await openapiTS(document, { defaultNonNullable: false })));
