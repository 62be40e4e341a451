// `npm run studio:pictures [FOLDER [DATA]]`: pictures of every view of the studio, light and dark, wide and
// narrow, to be looked at, with generated digits or a table; without a folder, the four of docs/studio.md.
// What is on them is learned while it runs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { serveStudio } from '../dist/node/studio/server.js';

const root = resolve(import.meta.dirname, '..');
const [folder, data] = process.argv.slice(2);
const docs = join(root, 'docs/images');

/** Views, how to get there, and what says that all of a view is there. */
const VIEWS = [
  { name: 'data', link: 'Data', ready: 'How it was read' },
  { name: 'learn', link: 'Learn', ready: 'learned' },
  { name: 'look', link: 'Look', ready: 'Do probabilities come true?' },
  { name: 'map', link: 'Map', ready: 'No rows chosen', act: layOut },
  { name: 'play', link: 'Play', ready: 'the best code', act: hideHalf },
  { name: 'find', link: 'Find', ready: 'Every code was compared' },
  { name: 'take', link: 'Take away', ready: 'What this browser keeps' },
];
const SIZES = [
  { width: 1280, height: 860 },
  { width: 390, height: 844 },
];

const server = await serveStudio({ port: 0, files: data ? [data] : [] });
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const args = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
const browser = await chromium.launch({ executablePath, args });
try {
  const context = await browser.newContext({
    viewport: SIZES[0],
    deviceScaleFactor: folder ? 1 : 1.5,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(300_000);
  await page.goto(server.address);
  if (data) {
    await page.getByRole('button', { name: 'Learn it' }).click();
    await page.getByRole('button', { name: 'Learn', exact: true }).click();
  }
  await page.getByText('learned', { exact: true }).waitFor();
  const chosen = folder ? VIEWS : VIEWS.filter(({ name }) => ['learn', 'look', 'map', 'play'].includes(name));
  for (const view of chosen) {
    await page.setViewportSize(SIZES[0]);
    await page.getByRole('navigation').getByRole('link', { name: view.link, exact: true }).click();
    await page.getByText(view.ready).first().waitFor();
    await view.act?.(page);
    await page.locator('progress').waitFor({ state: 'detached' });
    if (!folder) {
      await take(page, join(docs, `studio-${view.name}.webp`));
      continue;
    }
    mkdirSync(folder, { recursive: true });
    for (const size of SIZES) {
      for (const colorScheme of ['light', 'dark']) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        await page.waitForTimeout(500);
        await page.screenshot({
          path: join(folder, `${view.name}-${size.width}-${colorScheme}.png`),
          fullPage: true,
        });
      }
    }
  }
} finally {
  await browser.close();
  await server.close();
}

/** What is in sight, as WebP, which is a third of a PNG. */
async function take(page, path) {
  await page.evaluate(() => scrollTo(0, 0));
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70 });
  writeFileSync(path, Buffer.from(data, 'base64'));
}

async function layOut(page) {
  await page.getByRole('button', { name: 'UMAP' }).click();
  await page.getByText(/^UMAP of /).waitFor();
}

/** Hides a part of a digit, so that it is seen filled in. */
async function hideHalf(page) {
  if (data) return;
  await page.getByRole('spinbutton', { name: 'row number' }).fill('5');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Row 5' }).waitFor();
  await page.getByRole('button', { name: 'Hide', exact: true }).click();
  const box = await page.locator('.editor').boundingBox();
  const at = (x, y) => page.mouse.move(box.x + x * box.width, box.y + y * box.height);
  await at(0.3, 0.52);
  await page.mouse.down();
  for (const y of [0.52, 0.58]) for (let x = 0.3; x < 0.8; x += 0.05) await at(x, y);
  await page.mouse.up();
  await page.getByText('Filled in').waitFor();
}
