import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { holds } from './property.ts';

const folder = mkdtempSync(join(tmpdir(), 'pcae-property-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('is the only way in which property tests run', () => {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const own = ['property.ts', 'property.test.ts'];
  const others = files.filter(
    (name) => !own.includes(name) && readFileSync(join('test', name), 'utf8').includes('fc.assert('),
  );
  expect(others).toEqual([]);
});

it('draws the same cases in each npm test, and others for another seed', () => {
  const drawn = (env: Record<string, string | undefined>) => {
    const cases: number[] = [];
    for (const name of ['PROPERTY_SEED', 'PROPERTY_SECONDS', 'PROPERTY_LOG']) vi.stubEnv(name, env[name]);
    holds(
      fc.property(fc.integer(), (value) => void cases.push(value)),
      { seed: 3, numRuns: 20 },
    );
    vi.unstubAllEnvs();
    return cases;
  };
  expect(drawn({})).toEqual(drawn({}));
  expect(drawn({})).toEqual(drawn({ PROPERTY_SEED: '3' }));
  expect(drawn({})).not.toEqual(drawn({ PROPERTY_SEED: '4' }));
});

it('goes on with the next seeds, and says which of them a failure needs', async () => {
  const log = join(folder, 'log');
  vi.stubEnv('PROPERTY_SEED', '7');
  vi.stubEnv('PROPERTY_SECONDS', '3600');
  vi.stubEnv('PROPERTY_LOG', log);
  let cases = 0;
  const until45 = fc.asyncProperty(fc.nat(), async () => {
    expect(++cases).toBeLessThan(45);
  });
  await expect(holds(until45, { seed: 1, numRuns: 20 })).rejects.toThrow(
    /PROPERTY_SEED=9 npx vitest run \S*property\.test\.ts -t "goes on with the next seeds/,
  );
  vi.unstubAllEnvs();
  const entries = readFileSync(log, 'utf8').trim().split('\n');
  expect(entries.map((line) => JSON.parse(line))).toMatchObject([
    { cases: 20 },
    { cases: 20 },
    { cases: 5, repeat: expect.stringContaining('PROPERTY_SEED=9') },
  ]);
});
