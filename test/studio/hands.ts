import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * What visitors do, with the waiting that belongs to it: nothing here goes on before the page shows that it
 * was done.
 */

export async function go(page: Page, view: string): Promise<void> {
  const link = page.getByRole('navigation').getByRole('link', { name: view, exact: true });
  await link.click();
  await page.locator('nav a[aria-current=page]', { hasText: view }).waitFor();
}

export function openFiles(page: Page, ...files: string[]): Promise<void> {
  return page.locator('input[type=file]').setInputFiles(files);
}

export interface Asked {
  readonly H?: number;
  readonly bits?: boolean;
  readonly epochs: number;
}

/** Fills in the form of Learn, which has to be in sight, and starts. */
export async function startLearning(page: Page, { H, bits = false, epochs }: Asked): Promise<void> {
  if (H !== undefined) await page.getByRole('spinbutton', { name: 'Size of a code' }).fill(String(H));
  if (bits) await page.getByRole('radio', { name: /^Bits/ }).check();
  const field = page.getByLabel('Epochs');
  if (!(await field.isVisible())) await page.getByText('More', { exact: true }).click();
  await field.fill(String(epochs));
  await page.getByRole('button', { name: /^Learn( another.*)?$/ }).click();
}

/**
 * Until the run that is shown is over: software for graphics alone takes a minute to compile on a busy
 * machine.
 */
export function learned(page: Page): Promise<void> {
  return page.getByText('learned', { exact: true }).waitFor({ timeout: 3 * PATIENCE });
}

/** Clicks a button that gives a file, and keeps the file. */
export async function saved(page: Page, button: string, path: string): Promise<string> {
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: button, exact: true }).click();
  await (await waiting).saveAs(path);
  return path;
}

/** The line of `pcae` that is shown in a part of the page, word by word, without `pcae` itself. */
export async function commandLine(within: Page | Locator): Promise<string[]> {
  const line = within.getByRole('group', { name: 'command line' });
  return ((await line.textContent()) ?? '').trim().split(' ').slice(1);
}

/** Waits until the page says it; tests of the studio assert nothing that may still change. */
export async function says(found: Locator, expected: string | RegExp): Promise<void> {
  await expect.poll(() => found.textContent(), { timeout: PATIENCE }).toMatch(expected);
}

/** Waits until the row in hand, its code and its loss belong together again. */
export function followed(page: Page): Promise<void> {
  return page.locator('.figures[aria-busy=false]').waitFor();
}

/** Waits until a text of the page is another. */
export async function changes(found: Locator, before: string | null): Promise<void> {
  await expect.poll(() => found.textContent(), { timeout: PATIENCE }).not.toBe(before);
}

/** Milliseconds that a page of a crowded machine may take. */
export const PATIENCE = 60_000;
