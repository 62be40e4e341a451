import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wordsOf } from '../../../src/formats/table/cells.ts';
import { type Declared, describeTable, isQuestion } from '../../../src/formats/table/describe.ts';
import type { Question } from '../../../src/formats/table/question.ts';
import type { TablePart } from '../../../src/formats/table/records.ts';
import { splitWords } from '../../../src/rows/select.ts';
import { holds } from '../../property.ts';

const sampleOf = (records: string[][]) => ({ name: 'a.csv', records, typed: false });
const described = (records: string[][], said: Declared = {}): TablePart | Question => {
  const found = describeTable(sampleOf(records), { ...said, ...wordsOf(said) });
  return isQuestion(found) ? found : found.part;
};

/** What the flags of a candidate say, as options. */
function saidBy(flags: string): Declared {
  const said: Record<string, unknown> = {};
  const words = flags.matchAll(/--([\w-]+)(?: (?:'((?:[^']|'\\'')*)'|([^\s'-]\S*|-\S+(?=$| ))))?/g);
  for (const [, flag, quoted, plain] of words) {
    const value = quoted?.replaceAll("'\\''", "'") ?? plain;
    const name = flag.replace(/^no-/, '').replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());
    if (flag === 'header' || flag.startsWith('no-')) said[name] = !flag.startsWith('no-');
    else said[name] = ['ones', 'zeros', 'missing'].includes(flag) ? splitWords(value) : (value ?? true);
  }
  return said;
}

/** Cells such as people have, most of them bits. */
const cell = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('0', '1') },
  { weight: 2, arbitrary: fc.constantFrom('yes', 'no', '', 'NA', 'true') },
  { weight: 2, arbitrary: fc.constantFrom('2', '45', '-1', '0.5', 'x', 'maybe', 'b 1', "it's", 'milk, hot') },
);
const table = fc
  .integer({ min: 1, max: 4 })
  .chain((width) =>
    fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
  );

describe('a table is described', () => {
  test('in one way, with its schema as data', () => {
    expect(
      described([
        ['id', 'a'],
        ['r1', '0'],
        ['r2', '1'],
      ]),
    ).toMatchObject({
      layout: 'wide',
      header: true,
      idColumn: 'id',
    });
    expect(
      described([
        ['0', '1'],
        ['1', '1'],
      ]),
    ).toMatchObject({ layout: 'wide', header: false, idColumn: false });
    expect(described([['milk', 'tea'], ['tea']], { layout: 'items' })).toMatchObject({ header: false });
  });

  test('or by the readings that are possible, each with its flags', () => {
    expect(
      described([
        ['a', 'b'],
        ['yes', 'no'],
        ['no', 'maybe'],
      ]),
    ).toEqual({
      place: "row 2, column 'b'",
      found: "found 'maybe', which is not a bit",
      candidates: [
        { flags: '--layout long', reading: 'each line is a row and its item' },
        { flags: '--layout items', reading: 'each line lists the items of a row' },
        { flags: '--categorical', reading: 'columns like it hold categories' },
        { flags: '--missing maybe', reading: 'it is a missing entry' },
        { flags: "--columns 'all but b'", reading: 'leave the column out' },
      ],
    });
  });

  test('the same way again when its schema is said', async () => {
    let read = 0;
    await holds(
      fc.property(table, (records) => {
        const schema = described(records);
        if ('candidates' in schema) return;
        read++;
        expect(described(records, schema)).toEqual(schema);
      }),
      { numRuns: 500, seed: 1 },
    );
    expect(read).toBeGreaterThan(50);
  });

  test('so that following a candidate never leads to the same question', async () => {
    let followed = 0;
    await holds(
      fc.property(table, (records) => {
        const asked = described(records);
        if (!('candidates' in asked)) return;
        expect(asked.candidates.length).toBeGreaterThan(0);
        for (const { flags } of asked.candidates) {
          // What separates cells is not known here, and a number may be the name of another column.
          const number = /^--id-column (\d+)$/.exec(flags)?.[1];
          if (/^--delimiter|ROW/.test(flags) || (number && records[0].some((name) => name === number)))
            continue;
          try {
            expect(described(records, saidBy(flags)), flags).not.toEqual(asked);
            followed++;
          } catch (error) {
            // A table of one column has none left.
            if (!(error instanceof RangeError && error.message.includes('leaves no column'))) throw error;
          }
        }
      }),
      { numRuns: 500, seed: 1 },
    );
    expect(followed).toBeGreaterThan(50);
  });
});
