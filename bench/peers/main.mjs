// Measures BrowserHive beside other MCP servers, on one machine, one browser and one page, in turns in one run, and
// prints the table of docs/performance.md: node bench/peers/main.mjs PROGRAM PREPARED CHROMIUM [rounds] [calls]
//
// PROGRAM is the built browserhive, PREPARED a data directory that its init has made.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { servers } from './servers.mjs';
import { site } from './site.mjs';

const [program, prepared, chromium, rounds = '5', calls = '40'] = process.argv.slice(2);
const all = servers({ program, prepared, chromium });
const further = 3; // sessions in a row after the first
const settle = 1500; // ms between the first session and those in a row: an agent reads the page meanwhile
const thought = 3000; // ms from connecting to the first call of an agent that has a model to ask first
const warmUp = 3; // calls that are not counted: the first of each kind compile what the others use

const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

async function timed(measured, name, action) {
  const began = performance.now(), value = await action();
  (measured[name] ??= []).push(performance.now() - began);
  return value;
}

// Everything that a run starts carries its mark in the environment, so that nothing of it is left for the next run,
// and nothing else is ended.
const variable = 'BENCH_PEERS_RUN';

function newRun() {
  const mark = randomBytes(8).toString('hex'), dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bp-'));
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BROWSERHIVE_')));
  return { mark, dir, env: { ...env, [variable]: mark } };
}

function end(run) {
  for (const signal of ['SIGTERM', 'SIGKILL']) {
    for (const pid of fs.readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
      try {
        if (fs.readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${variable}=${run.mark}`)) process.kill(Number(pid), signal);
      } catch { /* It has ended, or is another user's. */ }
    }
  }
}

async function finish(run) {
  end(run);
  await sleep(500);
  end(run);
  fs.rmSync(run.dir, { recursive: true, force: true, maxRetries: 5 });
}

// first measures a server from its start: the first call until a page is there, at once or after a pause, and sessions
// in a row.
async function first(server, url, measured, pause) {
  const run = newRun();
  try {
    const started = await server.start(run), session = await started.connect();
    await sleep(pause);
    await timed(measured, pause ? 'thought' : 'first', () => session.open(url));
    if (pause) return;
    await sleep(settle);
    for (let i = 0; i < further; i++) {
      await timed(measured, 'further' + i, async () => {
        const next = session.another ? session.another() : await started.connect();
        await next.open(url);
      });
    }
  } finally {
    await finish(run);
  }
}

// latency measures calls of all servers in turns.
async function latency(url, results) {
  const runs = [];
  try {
    for (const server of all) {
      const run = newRun();
      runs.push(run);
      const session = await (await server.start(run)).connect();
      await session.open(url);
      runs.at(-1).session = session;
    }
    for (let i = 0; i < Number(calls) + warmUp; i++) {
      for (const [n, { session }] of runs.entries()) {
        const measured = i < warmUp ? {} : results[n];
        await timed(measured, 'open', () => session.open(url));
        const text = await timed(measured, 'look', () => session.look());
        (measured.characters ??= []).push(text.length);
        await timed(measured, 'click', () => session.click(session.ref(text)));
        await timed(measured, 'evaluate', () => session.evaluate());
      }
    }
  } finally {
    for (const run of runs) await finish(run);
  }
}

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

const shown = ms => ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en');

const rows = [
  ['first call until a page is there, ms', m => shown(median(m.first))],
  [`the same ${thought / 1000} s after connecting, ms`, m => shown(median(m.thought))],
  [`${further} more sessions in a row, ms each`, m => Array.from({ length: further }, (_, i) => shown(median(m['further' + i]))).join(', ')],
  ['navigate, then snapshot, ms', m => `${shown(median(m.open))} + ${shown(median(m.look))}`],
  ['characters of the snapshot', m => median(m.characters)],
  ['click, ms', m => shown(median(m.click))],
  ['evaluate, ms', m => shown(median(m.evaluate))],
];

const { url, close } = await site();
const results = all.map(() => ({}));
for (let round = 0; round < Number(rounds); round++) {
  for (const [n, server] of all.entries()) {
    await first(server, url, results[n], 0);
    await first(server, url, results[n], thought);
  }
}
await latency(url, results);
close();

const lines = [['', ...all.map(s => s.name)], ['---', ...all.map(() => '---:')], ...rows.map(([name, cell]) => [name, ...results.map(cell)])];
console.log(lines.map(cells => `| ${cells.join(' | ')} |`).join('\n'));
process.exit(0); // Clients whose servers are gone would keep the process.
