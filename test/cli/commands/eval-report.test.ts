import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { learnedPatterns, pcae } from '../helpers.ts';

const { at, V, data, model } = learnedPatterns();

describe('eval --report', () => {
  it('writes one page that needs nothing else', async () => {
    const page = at('report.html');
    expect((await pcae(['eval', model, data, '--report', page])).code).toBe(0);
    const text = readFileSync(page, 'utf8');
    expect(text).toContain(`A model with codes of 3 numbers in [-1, 1] for rows of ${V} columns`);
    expect(text).not.toMatch(/<script|(src|href)="http/);
    expect(text).toContain('bit3');
    expect((await pcae(['eval', model, data, '--report', page])).err).toContain('--force');
  });
});
