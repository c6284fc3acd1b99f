// The servers that are compared, each with what an agent does first: connect, open a page, look at it, click.
//
// A server has a name and how it is run, and start(run), which returns {connect, stop}. connect opens a client and
// returns a session of it: {open(url), look(), click(ref), evaluate(), close()}; look returns the text of the page as
// an agent sees it, and ref finds the button in it.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const modules = path.join(import.meta.dirname, 'node_modules');

// Switches that every browser gets: without a sandbox where the user is root, and none of the traffic of its own that
// a closed network would make it wait for.
const switches = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

// startTimeout bounds the start of a server, in milliseconds; on a slow host one takes some seconds.
const startTimeout = 60_000;

async function connected(transport) {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  return client;
}

// caller calls tools of a client and returns their text.
function caller(client, prefix = '') {
  return async (tool, args = {}) => {
    const result = await client.callTool({ name: prefix + tool, arguments: args });
    const text = result.content.map(part => part.text ?? '').join('\n');
    if (result.isError) throw new Error(`${tool}: ${text.slice(0, 300)}`);
    return text;
  };
}

function freePort() {
  return new Promise(resolve => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

// answers waits until a server takes requests.
async function answers(url) {
  for (const end = Date.now() + startTimeout; Date.now() < end;) {
    try {
      await (await fetch(url)).arrayBuffer();
      return;
    } catch {
      await new Promise(resolve => setTimeout(resolve, 10));
    }
  }
  throw new Error(`nothing answers at ${url}`);
}

function playwrightMCP({ chromium }) {
  return {
    name: 'playwright-mcp', how: 'one server over HTTP, --isolated: a context for each client in one browser',
    async start({ dir, env }) {
      const port = await freePort(), config = path.join(dir, 'config.json');
      fs.writeFileSync(config, JSON.stringify({ browser: { launchOptions: { args: switches } } }));
      const server = spawn(process.execPath, [path.join(modules, '@playwright/mcp/cli.js'), '--port', port, '--headless', '--isolated',
        '--no-sandbox', '--executable-path', chromium, '--config', config].map(String), { env, stdio: 'ignore' });
      await answers(`http://localhost:${port}/mcp`);
      return {
        async connect() {
          const client = await connected(new StreamableHTTPClientTransport(new URL(`http://localhost:${port}/mcp`))), call = caller(client, 'browser_');
          return {
            open: url => call('navigate', { url }), look: () => call('snapshot'), ref: text => /button "Click me".*?\[ref=(\w+)\]/.exec(text)[1],
            click: ref => call('click', { element: 'Click me', target: ref }), evaluate: () => call('evaluate', { function: '() => 1' }), close: () => client.close(),
          };
        },
        stop: () => server.kill(),
      };
    },
  };
}

function chromeDevToolsMCP({ chromium }) {
  return {
    name: 'chrome-devtools-mcp', how: 'over stdio, a server and a browser for each client, --isolated',
    async start({ env }) {
      return {
        async connect() {
          const client = await connected(new StdioClientTransport({
            command: process.execPath, args: [path.join(modules, 'chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js'), '--headless', '--isolated',
              '--no-usage-statistics', '--no-performance-crux', '--executablePath', chromium, ...switches.map(s => '--chromeArg=' + s)],
            env: { ...env, CI: '1' }, stderr: 'ignore',
          }));
          const call = caller(client);
          let page;
          const active = async () => page ??= Number(/(\d+):/.exec(await call('list_pages'))[1]);
          return {
            open: async url => call('navigate_page', { pageId: await active(), type: 'url', url }), look: () => call('take_snapshot', { pageId: page }),
            ref: text => /uid=(\S+) button "Click me"/.exec(text)[1], click: ref => call('click', { pageId: page, uid: ref }),
            evaluate: () => call('evaluate_script', { pageId: page, function: '() => 1' }), close: () => client.close(),
          };
        },
        stop() {},
      };
    },
  };
}

function agentBrowser({ chromium }) {
  const program = path.join(modules, 'agent-browser/bin', `agent-browser-${process.platform}-${process.arch}`);
  return {
    name: 'agent-browser', how: 'over stdio, a daemon and a browser for each client',
    async start({ dir, env }) {
      let sessions = 0;
      fs.chmodSync(program, 0o755); // npm runs no scripts here, and one of its would have done this.
      return {
        async connect() {
          const client = await connected(new StdioClientTransport({
            command: program, args: ['mcp'], stderr: 'ignore',
            env: { ...env, AGENT_BROWSER_SESSION: `${path.basename(dir)}-${sessions++}`, AGENT_BROWSER_EXECUTABLE_PATH: chromium, AGENT_BROWSER_ARGS: switches.join(',') },
          }));
          const call = caller(client, 'agent_browser_');
          return {
            open: url => call('open', { url }), look: () => call('snapshot', { interactive: false }),
            ref: text => '@' + /button \\?"Click me\\?".*?ref=(e\d+)/.exec(text)[1], click: ref => call('click', { selector: ref }),
            evaluate: () => call('eval', { script: '1' }), close: () => client.close(),
          };
        },
        stop() {},
      };
    },
  };
}

// browserHive is ours: over HTTP or stdio, with the stealth that it has by default or none. prepared is a data directory
// that init has made; each run has a new one with the same driver, as after a restart.
function browserHive({ program, prepared }, transport, stealth) {
  return {
    name: `browserhive, ${transport}${stealth === 'off' ? ', stealth off' : ''}`, how: 'a browser for each session',
    async start({ dir, env }) {
      const data = path.join(dir, 'data');
      fs.cpSync(path.join(prepared, 'driver'), path.join(data, 'driver'), { recursive: true, verbatimSymlinks: true });
      const args = ['--dataDir', data, '--maxSessions', '10', ...(stealth === 'off' ? ['--stealth', 'off'] : [])];
      const session = client => {
        const call = caller(client);
        let id;
        const launched = async () => id ??= JSON.parse(await call('launch_session', { slug: 'bench' })).session_id;
        return {
          open: async url => call('navigate', { session_id: await launched(), url }), look: async () => JSON.parse(await call('snapshot', { session_id: id })).tree,
          ref: text => /button "Click me".*?\[ref=(\w+)\]/.exec(text)[1], click: ref => call('click', { session_id: id, selector: ref }),
          evaluate: () => call('evaluate', { session_id: id, expression: '1' }), close: () => client.close(),
          another: () => session(client), // A session more of the same client, as our clients have them.
        };
      };
      if (transport === 'stdio') {
        return {
          connect: async () => session(await connected(new StdioClientTransport({ command: program, args: ['--transport', 'stdio', ...args], env, stderr: 'ignore' }))),
          stop() {},
        };
      }
      const port = await freePort(), server = spawn(program, ['--port', String(port), ...args], { env, stdio: 'ignore' });
      await answers(`http://127.0.0.1:${port}/health`);
      return {
        connect: async () => session(await connected(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)))),
        stop: () => server.kill(),
      };
    },
  };
}

// servers are all that are compared, on the same browser.
export function servers(options) {
  return [
    playwrightMCP(options), chromeDevToolsMCP(options), agentBrowser(options),
    ...['http', 'stdio'].flatMap(transport => ['standard', 'off'].map(stealth => browserHive(options, transport, stealth))),
  ];
}
