import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { patterns, pcae, workFolder, writeCsv } from '../helpers.ts';

const at = workFolder();
const [model, learned, others, strange] = [
  at('model.safetensors'),
  at('learned.csv'),
  at('others.csv'),
  at('strange.csv'),
];

beforeAll(async () => {
  const rows = patterns(1600, 24);
  writeCsv(learned, rows.slice(0, 800));
  writeCsv(others, rows.slice(800));
  writeCsv(strange, patterns(200, 24, 9));
  const { code, err } = await pcae(['train', learned, '-H', '3', '--epochs', '10', '-o', model]);
  expect(code, err).toBe(0);
});

interface Promised {
  readonly of: string;
  readonly bound: number;
  readonly statement: string;
}

describe('pcae calibrate', () => {
  it('lets a model promise what new rows cost, in its file', async () => {
    expect((await pcae(['inspect', model])).out).toContain('promises about new rows: none');
    const ran = await pcae(['calibrate', model, others, '-o', at('calibrated.safetensors'), '--json']);
    expect(ran.code, ran.err).toBe(0);
    const { n, promises, confidence } = ran.json() as unknown as {
      n: number;
      promises: Promised[];
      confidence: number;
    };
    expect([n, confidence]).toEqual([800, 0.99]);
    expect(promises.map(({ of }) => of)).toEqual([
      ...['mean', 'quantile', 'next row', 'tail', 'contaminated', 'ceiling', 'changed bits'],
    ]);
    const { out } = await pcae(['inspect', at('calibrated.safetensors')]);
    for (const { statement } of promises) expect(out).toContain(statement);
    // What all promises assume, and what only some of them do.
    expect(out).toContain('independent draws');
    expect(out).toContain('None of the calibration rows was one of those that may be anything.');
    expect(out).toContain('are decoded with scores capped at');
    const surer = (
      await pcae(['inspect', at('calibrated.safetensors'), '--confidence', '0.9999', '--json'])
    ).json();
    expect((surer.promises as Promised[])[0].bound).toBeGreaterThan(promises[0].bound);
  });

  it('writes into the model file unless told otherwise, and replaces no calibration without --force', async () => {
    const copy = at('copy.safetensors');
    expect((await pcae(['calibrate', model, others, '-o', copy])).code).toBe(0);
    const again = await pcae(['calibrate', copy, others]);
    expect(again.code).toBe(2);
    expect(again.err).toContain('use --force to replace it');
    const forced = await pcae(['calibrate', copy, others, '--rows', '0:300', '--force', '--json']);
    expect(forced.json()).toMatchObject({ n: 300, model: copy });
  });

  it('refuses rows that were learned from, unless they are said to be', async () => {
    const refused = await pcae(['calibrate', model, learned, '-o', at('no.safetensors')]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('among those that the model was learned from');
    const ran = await pcae([
      'calibrate',
      model,
      learned,
      '--learned',
      '-o',
      at('learned.safetensors'),
      '--json',
    ]);
    expect(ran.code, ran.err).toBe(0);
    const { promises } = ran.json() as unknown as { promises: Promised[] };
    expect(promises.map(({ of }) => of)).not.toContain('next row');
  });
});

describe('a calibrated model', () => {
  const calibrated = at('with.safetensors');

  beforeAll(async () => {
    const { code, err } = await pcae(['calibrate', model, others, '--rows', '0:500', '-o', calibrated]);
    expect(code, err).toBe(0);
  });

  it('says in eval what it promised, and whether rows are from the same source', async () => {
    const same = await pcae(['eval', calibrated, others, '--rows', '500:800']);
    expect(same.out).toContain('The mean loss of rows from this source is at most');
    expect(same.out).toMatch(/same source\? +consistent with the calibrated source/);
    const other = await pcae(['eval', calibrated, strange]);
    expect(other.out).toMatch(/same source\? +not from the calibrated source/);
    const { sameSource } = (await pcae(['eval', calibrated, strange, '--json'])).json() as unknown as {
      sameSource: { pValue: number };
    };
    expect(sameSource.pValue).toBeLessThan(0.001);
  });

  it('says in a line what too few rows cannot promise, and what to do', async () => {
    const few = await pcae(['calibrate', model, others, '--rows', '0:12', '-o', at('few.safetensors')]);
    expect(few.out).toMatch(/promised +The mean loss of rows/);
    expect(few.out).toMatch(
      /not promised +quantile, .*: nothing better than even odds for every bit, 16\.64 nats, follows from 12 rows; more calibration rows may promise more\n/,
    );
    expect(few.out).not.toContain('95% of the rows from this source');
    const { out } = await pcae(['calibrate', model, strange, '-o', at('worse.safetensors')]);
    expect(out).toContain('learn fewer units or from more rows');
  });

  it('is shown with its promises in the report', async () => {
    const { code } = await pcae(['eval', calibrated, others, '--report', at('page.html')]);
    expect(code).toBe(0);
    const { readFileSync } = await import('node:fs');
    const page = readFileSync(at('page.html'), 'utf8');
    expect(page).toContain('What new rows cost');
    expect(page).toContain('The next row from this source');
  });

  it('fills in what it is sure of, and leaves the rest empty', async () => {
    const [header, ...lines] = patternsText();
    const holes = lines.map((line, i) => {
      const cells = line.split(',');
      cells[(7 * i) % 24] = '';
      return cells.join(',');
    });
    writeFileSync(at('holes.csv'), [header, ...holes, ''].join('\n'));
    const fill = ['reconstruct', calibrated, at('holes.csv'), '--header', '--fill', '--as', 'bits'];
    const ran = await pcae([...fill, '--wrong', '0.2', '-o', at('filled.csv'), '--json']);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toContain('at most 20% of what is filled in is wrong');
    expect(ran.err).toMatch(/filled in [1-9]\d* of [1-9]\d* missing entries, each at least \d\d/);
    const { filling, missing, filledIn } = ran.json() as unknown as {
      filling: { threshold: number; filled: number };
      missing: number;
      filledIn: number;
    };
    expect(missing).toBe(lines.length);
    const { readFileSync } = await import('node:fs');
    const cells = readFileSync(at('filled.csv'), 'utf8').trim().split('\n').slice(1).join(',').split(',');
    expect(filledIn).toBe(missing - cells.filter((cell) => cell === '').length);
    expect(filling.filled).toBeGreaterThan(0.3);
    const none = await pcae([...fill, '--wrong', '0.0001']);
    expect(none.err).toContain('nothing is filled in');
    expect(none.err).toContain('calibrate with more rows');
    expect(
      none.out
        .split('\n')[1]
        .split(',')
        .filter((cell) => cell === '').length,
    ).toBe(1);
    expect(
      (await pcae(['reconstruct', model, at('holes.csv'), '--header', '--fill', '--wrong', '0.1'])).err,
    ).toContain('--wrong needs a calibrated model');
    expect(
      (await pcae(['reconstruct', calibrated, at('holes.csv'), '--header', '--wrong', '0.1'])).err,
    ).toContain('add --fill');
  });
});

describe('train --calibrate', () => {
  it('holds rows out of learning, by a share or in a file of their own', async () => {
    const ran = await pcae([
      ...[
        'train',
        learned,
        '-H',
        '3',
        '--epochs',
        '5',
        '--calibrate',
        '0.25',
        '-o',
        at('t.safetensors'),
        '--json',
      ],
    ]);
    expect(ran.code, ran.err).toBe(0);
    const { n, promises } = ran.json() as unknown as { n: number; promises: Promised[] };
    expect(n).toBe(600);
    expect(promises.length).toBe(7);
    const file = await pcae([
      ...['train', learned, '-H', '3', '--epochs', '5', '--calibrate', others, '-o', at('u.safetensors')],
    ]);
    expect(file.out).toContain('The 800 calibration rows');
  });

  it('goes with no weights of rows', async () => {
    writeFileSync(at('weights.txt'), `${Array.from({ length: 800 }, () => 1).join('\n')}\n`);
    const { code, err } = await pcae([
      ...['train', learned, '-H', '3', '--calibrate', '0.25', '--row-weights', at('weights.txt')],
      ...['-o', at('w.safetensors')],
    ]);
    expect(code).toBe(2);
    expect(err).toContain('--calibrate and --row-weights exclude each other');
  });
});

/** The other rows as lines of a table. */
function patternsText(): string[] {
  const rows = patterns(1600, 24).slice(800, 1000);
  return [rows[0].map((_, v) => `c${v}`).join(','), ...rows.map((row) => row.join(','))];
}
