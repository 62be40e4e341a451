import { describe, expect, test } from 'vitest';
import { decideReading, look, type NumberType, newCensus } from '../../src/rows/census.ts';
import { readNumbers } from '../../src/rows/values.ts';
import { signs, table } from '../formats/helpers.ts';

function decide(numbers: number[], type: NumberType = 'number', options = {}) {
  const census = newCensus();
  look(census, Float64Array.from(numbers), numbers.length, 0);
  return decideReading('file', type, census, options);
}

describe('what numbers stand for', () => {
  test.each([
    [[0, 1, 1], 'bits', true],
    [[0, 0], 'bits', true],
    [[1, 1], 'bits', true],
    [[-1, 1], 'signs', true],
    [[-1, -1], 'signs', true],
    [[0, 0.5, 1], 'unit', false],
    [[Number.NaN, 1], 'bits', true],
  ])('%j is %s', (numbers, values, exact) => {
    expect(decide(numbers)).toMatchObject({ values, exact, binarize: 'none' });
  });

  test('a word that stands for no kind of values is refused, with those that do', () => {
    expect(() => decide([0, 1], 'number', { values: 'grey' })).toThrow(
      /found 'grey', expected bits, signs, unit, bytes/,
    );
  });

  test('grey levels of pictures are sampled, unless only black and white occur', () => {
    expect(decide([0, 7, 255], 'image')).toMatchObject({ values: 'bytes', binarize: 'sample', exact: false });
    expect(decide([0, 255], 'image')).toMatchObject({ values: 'bytes', binarize: 'none', exact: true });
    expect(decide([0, 1], 'image')).toMatchObject({ values: 'bits', exact: true });
    expect(decide([1, 255], 'image')).toMatchObject({ values: 'bytes', exact: false });
  });

  test.each([
    [[-1, 0, 1], '--missing'],
    [[-0.3, 0.2], '--binarize threshold'],
    [[-1, 0.2], '--values signs'],
    [[0, 1, 7], '--values bytes'],
    [[0, 300], '--values presence'],
    [[0, 2.5], 'column 2'],
    [[0, 0.5, 9], 'fractions'],
  ])('%j is refused, with the option that decides it', (numbers, hint) => {
    expect(() => decide(numbers)).toThrow(hint);
  });

  test('bits that somebody takes for grey levels are refused: they would all be black', () => {
    expect(() => decide([0, 1, 1], 'number', { values: 'bytes' })).toThrow('use --values bits');
    for (const numbers of [
      [0, 0],
      [0, 2],
      [1, 255],
    ])
      expect(decide(numbers, 'number', { values: 'bytes' })).toMatchObject({ values: 'bytes' });
  });

  test.each([
    [[0, 1, 57, 1, 0, 60], "up to 60 (in column 'age')", "leave the column out with --columns 'all but age'"],
    [[0, 0.5, 9, 0, 1, 1], "numbers above 1 (9 in column 'age')", "--columns 'all but age'"],
    [[0, 1, 1, 0, 1, 4.5], "row 2, column 'age': 4.5", "--columns 'all but age'"],
    [[0, 1, 1, 0, -1, 1], "-1 in column 'b, c'", '--missing -1'],
    [[0, 1, 1, 0, -0.5, 1], "below 0 in column 'b, c'", '--values signs'],
    [[0, 80, 1, 0, 1, 1], "up to 80 (in column 'b, c')", `--columns 'all but "b, c"'`],
  ])('%j is refused with the name of the column', (numbers, where, hint) => {
    for (const names of [['a', 'b, c', 'age'], undefined]) {
      const census = newCensus();
      // Chunk by chunk, as a file is read.
      for (const i of [0, 1]) look(census, Float32Array.from(numbers.slice(3 * i, 3 * i + 3)), 3, i);
      const decided = () => decideReading('file', 'number', census, {}, names);
      expect(decided).toThrow(names ? where : /column [23]/);
      if (names) expect(decided).toThrow(hint);
      else if (hint.includes('all but'))
        expect(decided).toThrow(/'all but [12]', which counts columns from 0/);
    }
  });

  test('any number has a sign', () => {
    const options = { values: 'signs', binarize: 'threshold' };
    expect(decide([0, 7, -300], 'number', options)).toMatchObject({ values: 'signs' });
  });
});

describe('rows from numbers', () => {
  const read = (numbers: number[], options: object, V = numbers.length) => {
    const census = newCensus();
    look(census, Float64Array.from(numbers), V, 0);
    const reading = decideReading('file', 'number', census, options);
    return table(readNumbers('file', Float64Array.from(numbers), V, 0, reading));
  };

  test('each kind', () => {
    expect(read([0, 1, Number.NaN], {})).toEqual(signs([[0, 1, null]]));
    expect(read([-1, 1, 0], { values: 'signs' })).toEqual([[-1, 1, 0]]);
    expect(read([0.25, 1], { values: 'unit' })).toEqual([[-0.5, 1]]);
    expect(read([0, 255, 51], { values: 'bytes', binarize: 'threshold' })).toEqual(signs([[0, 1, 0]]));
    expect(read([0, 17, -2.5, Number.NaN], { values: 'presence' })).toEqual(signs([[0, 1, 1, null]]));
    expect(read([-3, 0, 8], { values: 'signs', binarize: 'threshold' })).toEqual(signs([[0, 0, 1]]));
  });

  test('bytes are read as the same numbers are', () => {
    for (const numbers of [
      [0, 1, 1, 1, 0, 0, 1, 1, 0, 1],
      [0, 0, 255, 255, 0, 0, 0, 0, 255, 0],
      [1, 2, 0, 255, 9, 9, 9, 9, 9, 9],
    ]) {
      const [bytes, floats] = [Uint8Array.from(numbers), Float64Array.from(numbers)].map((x) => {
        const census = newCensus();
        look(census, x, 5, 0);
        const reading = decideReading('file', 'image', census, { binarize: 'threshold' });
        return { census, reading, rows: readNumbers('file', x, 5, 0, reading) };
      });
      expect(bytes).toEqual(floats);
    }
    const reading = decideReading('file', 'number', newCensus(), { values: 'bits' });
    expect(() => readNumbers('file', Uint8Array.of(0, 1, 3, 0), 2, 7, reading)).toThrow(
      'row 9, column 1: found 3',
    );
  });

  test('a number that does not belong is named with its place', () => {
    const bits = decideReading('file', 'number', newCensus(), { values: 'bits' });
    expect(() => readNumbers('file', Float32Array.of(0, 1, 2, 0), 2, 0, bits, ['age', 'b'])).toThrow(
      "row 2, column 'age': found 2",
    );
    expect(() => read([0, 1, 2, 0], { values: 'bits' }, 2)).toThrow(
      'row 2, column 1: found 2, expected 0 or 1',
    );
    expect(() => read([0, -0.5], { values: 'unit' })).toThrow('from 0 to 1');
    expect(() => read([0, 256], { values: 'bytes' })).toThrow('from 0 to 255');
    expect(() => read([0, 1.5], { values: 'signs' })).toThrow('from -1 to 1');
    expect(() => read([0, Number.POSITIVE_INFINITY], { values: 'signs', binarize: 'threshold' })).toThrow(
      'Infinity',
    );
  });
});
