// An agent's errand with the official TypeScript client: it finds a form field in a snapshot, fills it,
// clicks by ref, and looks at the result. The client checks every structured result against the output
// schema that the server advertises, and throws where it does not fit.
//
// Usage: node client.mjs '{"url": …} or {"command": …, "args": […], "env": {…}}' <address of the form>
// Prints one line of JSON: what it saw.
import { createRequire } from "node:module";

// The client is pinned in tools/npm, so that no other package.json has to exist.
const require = createRequire(new URL("../tools/npm/package.json", import.meta.url));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

const server = JSON.parse(process.argv[2]);
const form = process.argv[3];

const transport = server.url
  ? new StreamableHTTPClientTransport(new URL(server.url))
  : new StdioClientTransport({ ...server, stderr: "inherit" });
const client = new Client({ name: "e2e", version: "1.0.0" });
await client.connect(transport);

const saw = { instructions: client.getInstructions(), server: client.getServerVersion() };
// The client checks results against the schemas that it has seen.
saw.tools = (await client.listTools()).tools.map((tool) => tool.name);

async function call(name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError) {
    throw new Error(`${name}: ${result.content[0].text}`);
  }
  return result;
}

async function refused(name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  return { isError: result.isError, text: result.content[0]?.text, meta: result._meta?.["browserhive.ai/error"] };
}

// refOf finds the ref of the first element of a tree whose line contains the text.
function refOf(tree, text) {
  const line = tree.split("\n").find((line) => line.includes(text) && line.includes("[ref="));
  if (!line) {
    throw new Error(`no ${text} in:\n${tree}`);
  }
  return /\[ref=([^\]]+)\]/.exec(line)[1];
}

const launched = await call("launch_session", { slug: "errand" });
saw.session = launched.structuredContent;
const session_id = saw.session.session_id;

saw.navigate = (await call("navigate", { session_id, url: form })).structuredContent;
const { tree } = (await call("snapshot", { session_id })).structuredContent;
saw.tree = tree;
await call("fill", { session_id, selector: refOf(tree, 'textbox "Your name"'), value: "Ada Lovelace" });
await call("click", { session_id, selector: refOf(tree, 'button "Send"') });
await call("wait_for_selector", { session_id, selector: "#thanks" });
saw.evaluate = (
  await call("evaluate", { session_id, expression: "document.querySelector('#thanks').textContent" })
).structuredContent.result;

const shot = await call("screenshot", { session_id });
saw.screenshot = shot.structuredContent;
saw.image = shot.content.find((block) => block.type === "image");

saw.listed = (await call("list_sessions")).structuredContent;
saw.gone = await refused("click", { session_id, selector: "#nothing-of-the-kind", timeout: 200 });
saw.blocked = await refused("navigate", { session_id, url: "file:///etc/passwd" });
saw.planned = await refused("vault_list_available", { session_id });
saw.invalid = await refused("navigate", { session_id });
saw.closed = (await call("close_session", { session_id })).structuredContent;
saw.after = await refused("snapshot", { session_id });

await client.close();
console.log(JSON.stringify(saw));
