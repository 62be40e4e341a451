import { expect, it } from 'vitest';
import { describeInBrowser, visit } from './browser.ts';

describeInBrowser('a first visit', () => {
  it('shows generated digits that are learned as one watches', async () => {
    const { page, faults } = await visit();
    await page.getByText('from their codes').waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /^learn(ing|ed)$/ })
      .waitFor();
    expect(await page.evaluate('crossOriginIsolated')).toBe(true);
    expect(faults).toEqual([]);
  });
});
