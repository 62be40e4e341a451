// Measures the studio in Chromium: `node bench/studio.mjs [IDX FILE OF PICTURES]` after `npm run build`. For
// each step it prints seconds on the clock, which depend on what else the machine does, and seconds of
// processor time: of the page's own thread, and of the page with all its workers.
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { serveStudio } from '../dist/node/studio/server.js';

const pictures = process.argv[2];
const args = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args });
const folder = await mkdtemp(join(tmpdir(), 'pcae-bench-'));
console.log(`Chromium ${browser.version()}, load of the machine ${loadavg()[0].toFixed(1)}`);
try {
  for (let turn = 0; turn < 3; turn++) await firstVisit();
  await largeTable(1_000_000, 16);
  await map(100_000, 16);
  if (pictures) await learning(pictures);
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}

/** A page of its own, and what it has used so far. */
async function visit(files = []) {
  const server = await serveStudio({ port: 0, files });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(600_000);
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  const used = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (name) => metrics.find((one) => one.name === name)?.value ?? 0;
    return { wall: performance.now() / 1000, page: of('ThreadTime'), all: of('ProcessTime') };
  };
  const end = async () => {
    await context.close();
    await server.close();
  };
  await page.addInitScript(watchPicture);
  await page.goto(server.address);
  return { page, used, end };
}

async function timed(name, { used }, work) {
  const before = await used();
  const said = await work();
  const after = await used();
  const part = (key) => (after[key] - before[key]).toFixed(2);
  console.log(
    `${name}: ${part('wall')} s; processor ${part('page')} s of the page, ${part('all')} s of all${said ? `; ${said}` : ''}`,
  );
}

async function firstVisit() {
  const one = await visit();
  await one.page.waitForFunction(() => globalThis.pictureAt !== undefined);
  const seen = await one.page.evaluate(() => ({
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    picture: globalThis.pictureAt,
  }));
  const { page, all } = await one.used();
  const seconds = (ms) => (ms / 1000).toFixed(2);
  console.log(
    `first paint ${seconds(seen.paint)} s, first learned picture ${seconds(seen.picture)} s; processor ${page.toFixed(2)} s of the page, ${all.toFixed(2)} s of all`,
  );
  await one.end();
}

async function largeTable(n, V) {
  const one = await visit([table(n, V)]);
  await timed(`${n} x ${V} csv opened`, one, () => one.page.locator('[role=rowheader]').first().waitFor());
  await timed('scrolled', one, () => one.page.evaluate(scrollThrough, 60));
  console.log(`memory ${await memory()}`);
  await one.end();
}

async function map(n, V) {
  const one = await visit([table(n, V)]);
  await one.page.getByRole('button', { name: 'Learn it' }).click();
  await one.page.getByText('More', { exact: true }).click();
  await one.page.getByLabel('Epochs').fill('5');
  await one.page.getByLabel('Rows for promises').selectOption('0');
  await one.page.getByRole('button', { name: 'Learn', exact: true }).click();
  await one.page.getByText('learned', { exact: true }).waitFor();
  await one.page.getByRole('navigation').getByRole('link', { name: 'Map' }).click();
  await timed(`codes and principal axes of ${n} rows`, one, () => one.page.locator('.map canvas').waitFor());
  const move = async () => {
    for (let k = 0; k < 20; k++)
      await one.page.getByRole('application').press(k % 2 ? 'ArrowLeft' : 'ArrowRight');
  };
  await timed('map moved 20 times', one, move);
  await timed(`UMAP of ${n} rows`, one, async () => {
    await one.page.getByRole('button', { name: 'UMAP' }).click();
    await one.page.getByText(/^UMAP of /).waitFor();
  });
  console.log(`memory ${await memory()}`);
  await one.end();
}

async function learning(path) {
  const one = await visit([path]);
  await timed(`${path.split('/').at(-1)} opened`, one, () =>
    one.page.getByRole('heading', { name: path.split('/').at(-1) }).waitFor(),
  );
  await one.page.getByRole('button', { name: 'Learn it' }).click();
  await one.page.getByRole('button', { name: 'Learn', exact: true }).click();
  await one.page.getByText('from their codes').waitFor();
  await timed('15 s of learning', one, () => one.page.evaluate(watchFrames, 15_000));
  console.log(`memory ${await memory()}`);
  await one.end();
}

/** A table of eight kinds of rows. */
function table(n, V) {
  const path = join(folder, `${n}.csv`);
  let state = 1;
  const share = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const kinds = Array.from({ length: 8 }, () => Array.from({ length: V }, share));
  const text = Buffer.alloc(2 * n * V, ',');
  for (let i = 0; i < n; i++) {
    const kind = kinds[Math.floor(8 * share())];
    for (let v = 0; v < V; v++) text[2 * (i * V + v)] = share() < kind[v] ? 49 : 48;
    text[2 * (i + 1) * V - 1] = 10;
  }
  const head = `${Array.from({ length: V }, (_, v) => `c${v}`).join()}\n`;
  writeFileSync(path, Buffer.concat([Buffer.from(head), text]));
  return path;
}

/** The most that a page of this browser holds. */
async function memory() {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const held = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(
      ({ id }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    );
  return `${Math.round(Math.max(...held))} MiB`;
}

/** In the page: notes the frame that shows the first picture which a learned code decodes to. */
function watchPicture() {
  const look = () => {
    if (document.querySelectorAll('.preview ul').length > 1) globalThis.pictureAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** In the page: goes through all rows in so many steps, and says how long frames took. */
async function scrollThrough(steps) {
  const box = document.querySelector('.scroller');
  const times = [];
  for (let k = 0; k < steps; k++) {
    const began = performance.now();
    box.scrollTop = ((box.scrollHeight - box.clientHeight) * k) / steps;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  return `${steps} steps, median ${times[steps >> 1].toFixed(0)} ms, 95% within ${times[Math.floor(0.95 * steps)].toFixed(0)} ms`;
}

/** In the page: how long frames take while something else goes on. */
async function watchFrames(milliseconds) {
  const times = [];
  const tasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe(
    { type: 'longtask' },
  );
  const began = performance.now();
  let last = began;
  while (last - began < milliseconds) {
    const now = await new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now())));
    times.push(now - last);
    last = now;
  }
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(share * (times.length - 1))].toFixed(0);
  return `${times.length} frames, median ${at(0.5)} ms, 95% within ${at(0.95)} ms; longest task ${Math.max(0, ...tasks).toFixed(0)} ms`;
}
