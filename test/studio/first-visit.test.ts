import { expect, it } from 'vitest';
import { describeInBrowser, visit } from './browser.ts';

describeInBrowser('a first visit', () => {
  it('shows generated digits that are learned as one watches, and paused and gone on with', {
    timeout: 240_000,
  }, async () => {
    const { page, faults } = await visit();
    await page.getByText('from their codes').waitFor();
    expect(await page.evaluate('crossOriginIsolated')).toBe(true);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('paused: the model of this moment can be used').waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect(faults).toEqual([]);
  });
});
