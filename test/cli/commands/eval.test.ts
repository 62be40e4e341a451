import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { learnedAndOthers, patterns, pcae, readLines, writeCsv } from '../helpers.ts';

const { at, names, train, test, model } = learnedAndOthers();

describe('eval', () => {
  it('says so if the model was learned from the rows', async () => {
    expect((await pcae(['eval', model, train])).err).toContain('was learned from about 100% of these rows');
    expect((await pcae(['eval', model, test])).err).not.toContain('learned from');
  });

  it('reports loss and certificates, and the worst case under drift where that is asked for', async () => {
    const found = (await pcae(['eval', model, test, '--json'])).json() as Record<string, never>;
    expect(Object.keys(found).sort()).toEqual(
      [
        'binarize',
        'data',
        'escaped',
        'gap',
        'hamming',
        'loss',
        'lossPerBit',
        'lossWithEscape',
        'n',
        'seconds',
        'tolerance',
        'uncertified',
      ].sort(),
    );
    const { n, loss, lossPerBit, gap } = found as unknown as Record<string, number> & {
      gap: { max: number };
    };
    expect(n).toBe(60);
    expect(lossPerBit).toBeCloseTo(loss / 12, 12);
    expect(loss).toBeLessThan(12 * Math.LN2);
    expect(gap.max).toBeLessThanOrEqual(0.01);
    expect((await pcae(['eval', model, test])).out).not.toMatch(/bound|drift/);
    const drifting = await pcae(['eval', model, test, '--measure-drift', '--json']);
    expect(drifting.json()).toMatchObject({ bound: expect.any(Number), drift: expect.any(Number) });
    expect((await pcae(['eval', model, test, '--measure-drift'])).out).toContain(
      'if each correlation may drift',
    );
  });

  it('finds the exact worst case under a drift, which App. C.1 bounds', async () => {
    const ran = await pcae(['eval', model, test, '--worst-case', '0.2', '--json']);
    expect(ran.code, ran.err).toBe(0);
    const { loss, worstCase } = ran.json() as unknown as {
      loss: number;
      worstCase: { bound: number; upper: number };
    };
    expect(worstCase.bound).toBeGreaterThan(loss);
    expect(worstCase.bound).toBeLessThanOrEqual(worstCase.upper);
    expect((await pcae(['eval', model, test, '--worst-case', '0.2', '--code-length'])).out).toMatch(
      /worst case .* exact(.|\n)*code length .* nats per example: .* for the code \(\d bits per unit\)/,
    );
  });

  it('finds it for all correlations that the source may have, too', async () => {
    const argv = ['eval', model, test, '--worst-case', 'ellipsoid', '--confidence', '0.9'];
    const ran = await pcae([...argv, '--json']);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.json().worstCase).toMatchObject({ drift: 'ellipsoid', confidence: 0.9 });
    expect((await pcae(argv)).out).toMatch(/that their source may have, at 90% confidence/);
    expect((await pcae(['eval', model, test, '--worst-case', 'sphere'])).err).toContain('ellipsoid');
  });

  it('names the loss of what is decoded beside the convex one, where the loss is bounded', async () => {
    const bounded = at('hamming.safetensors');
    const argv = ['train', train, '-H', '2', '--epochs', '2', '--loss', 'hamming', '-o', bounded];
    const convex = 'the convex function that codes minimise';
    expect((await pcae(argv)).out).toContain(convex);
    const { loss, decodedLoss } = (await pcae(['eval', bounded, test, '--json'])).json() as unknown as {
      loss: number;
      decodedLoss: number;
    };
    expect(decodedLoss).toBeLessThanOrEqual(loss);
    expect(decodedLoss).toBeGreaterThan(0);
    const page = at('hamming.html');
    expect((await pcae(['eval', bounded, test, '--report', page])).out).toContain('of what is decoded');
    expect(readFileSync(page, 'utf8')).toContain('loss of what is decoded');
    expect(readFileSync(page, 'utf8')).toContain(convex);
    expect((await pcae(['inspect', bounded])).out).toContain(convex);
  });

  it('finds the model’s columns by name, whatever their order', async () => {
    const shuffled = at('shuffled.csv');
    const order = [...names.keys()].reverse();
    const rows = readLines(test)
      .slice(1)
      .map((line) => line.split(',').map(Number));
    writeCsv(
      shuffled,
      rows.map((row) => [...order.map((v) => row[v]), 1]),
      [...order.map((v) => names[v]), 'extra'],
    );
    const [a, b] = [
      (await pcae(['eval', model, test, '--json'])).json(),
      (await pcae(['eval', model, shuffled, '--json'])).json(),
    ];
    expect(b.loss).toBe(a.loss);
  });

  it('reads a table of which it knows a few columns, whatever the others hold', async () => {
    const [mixed, few] = [at('mixed.csv'), at('few.safetensors')];
    const rows = patterns(60, 4).map((row, i) => [...row, `"note ${i}, or so"`, 20 + i]);
    writeFileSync(mixed, `${[['milk', 'tea', 'beer', 'wine', 'notes', 'age'], ...rows].join('\n')}\n`);
    const learn = ['train', mixed, '--columns', 'wine,milk,tea', '-H', '2', '--epochs', '2', '-o', few];
    expect((await pcae(learn)).code).toBe(0);
    const ran = await pcae(['eval', few, mixed, '--json']);
    expect(ran.err).toBe('');
    const chosen = await pcae(['eval', few, mixed, '--columns', 'wine,milk,tea', '--json']);
    expect(ran.json().loss).toBe(chosen.json().loss);
  });

  it('refuses rows that lack a column, and rows of another width', async () => {
    const lacking = at('lacking.csv');
    writeCsv(lacking, patterns(5, 11), names.slice(1));
    expect((await pcae(['eval', model, lacking])).err).toContain('lacks columns of the training rows: bit0');
    const narrow = at('narrow.csv');
    writeCsv(narrow, patterns(5, 7));
    expect((await pcae(['eval', model, narrow])).err).toContain('Use --no-header if its first line is a row');
    const bare = await pcae(['eval', model, narrow, '--no-header']);
    expect(bare.err).toContain('has 7 columns; the training rows have 12');
  });

  it('says that a file is no model', async () => {
    const ran = await pcae(['eval', train, test]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('train.csv');
  });
});
