import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CLAIM_NAMES, CLAIMS, claimsMarkdown } from '../src/claims.ts';
import { fakeData } from './fake-data.ts';
import { paper } from './helpers.ts';

const { data, at } = fakeData();
const out = at('claims');
const claims = (...more: string[]) =>
  paper(['claims', ...more, '--data', data, '--out', out, '--epochs', '1', '--json']);
const stored = () => JSON.parse(readFileSync(`${out}/claims.json`, 'utf8'));

describe('paper claims', () => {
  it('measures every claim and says what was found', async () => {
    writeFileSync(at('README.md'), '<!-- claims -->\n<!-- /claims -->\n');
    const ran = await claims('--readme', at('README.md'));
    expect(ran.code, ran.err).toBe(0);
    expect(Object.keys(stored())).toEqual(CLAIM_NAMES);
    for (const name of CLAIM_NAMES) {
      const { facts, seed, program, cpuSeconds } = stored()[name];
      expect([seed, typeof program, cpuSeconds > 0]).toEqual([1, 'string', true]);
      expect(CLAIMS[name].found(facts)).not.toMatch(/NaN|undefined|Infinity|\|/);
    }
    const readme = readFileSync(at('README.md'), 'utf8');
    expect(readme.split('\n').filter((line) => line.startsWith('| '))).toHaveLength(CLAIM_NAMES.length + 1);
    expect(readme).not.toContain('not run');
  });

  it('finds what must be so whatever the data', () => {
    const { bound, notBits, grey } = stored();
    expect(bound.facts.ownRows.farthestApart).toBeLessThan(1e-3);
    expect(bound.facts.model.bound).toBeGreaterThanOrEqual(bound.facts.model.test);
    expect(notBits.facts.drawnOnce).toBeGreaterThan(notBits.facts.numbers);
    expect(grey.facts.at[32].grey).toBeGreaterThanOrEqual(grey.facts.floor - 0.01);
  });

  it('keeps what is there, and the others when one is measured again', async () => {
    const before = stored();
    expect((await claims()).code).toBe(0);
    expect(stored()).toEqual(before);
    expect((await claims('fewUnits')).code).toBe(0);
    expect(Object.keys(stored()).sort()).toEqual([...CLAIM_NAMES].sort());
    expect(stored().grey).toEqual(before.grey);
    expect(stored().fewUnits.facts).toEqual(before.fewUnits.facts);
  });

  it('shows what has not been run as not run', () => {
    const { grey } = stored();
    expect(claimsMarkdown({ grey }).match(/not run/g)).toHaveLength(CLAIM_NAMES.length - 1);
  });
});
