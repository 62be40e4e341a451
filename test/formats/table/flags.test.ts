import { expect, test } from 'vitest';
import { MISSING, ONES, ZEROS } from '../../../src/formats/table/cells.ts';
import { optionsOfFlags, schemaFlags } from '../../../src/formats/table/flags.ts';

test('a schema as the options that declare it: words only where they are not the usual ones', () => {
  const numbers = { values: 'bits', binarize: 'none', seed: 0, kind: 'bits' } as const;
  expect(schemaFlags({ ...numbers, ones: ONES, zeros: ZEROS, missing: MISSING })).toBe('--values bits');
  expect(
    schemaFlags({
      ...numbers,
      ...{
        layout: 'wide',
        header: false,
        delimiter: '\t',
        idColumn: 0,
        columns: ['a b', 3],
        categorical: true,
      },
      ...{ ones: ['x', ...ONES], zeros: ['', ...ZEROS], missing: ['-9', "don't", ...MISSING] },
      ...{ values: 'bytes', binarize: 'sample', seed: 7 },
    }),
  ).toBe(
    "--layout wide --no-header --delimiter '\\t' --id-column 0 --columns 'a b,3' --categorical --ones x --zeros '' " +
      "--missing '-9,don'\\''t' --values bytes --binarize sample --binarize-seed 7",
  );
});

test('what an error proposes comes back as options', () => {
  expect(optionsOfFlags("--header --ones x --zeros ''")).toEqual({ header: true, ones: ['x'], zeros: [''] });
  expect(optionsOfFlags('--columns \'all but "a, b"\' --categorical')).toEqual({
    columns: 'all but "a, b"',
    categorical: true,
  });
  expect(optionsOfFlags("--missing '-9,don'\\''t' --delimiter '\\t' --no-id-column")).toEqual({
    missing: ['-9', "don't"],
    delimiter: '\t',
    idColumn: false,
  });
  expect(() => optionsOfFlags('--threads 2')).toThrow('--threads is not an option of reading a table');
});
