import { decode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import {
  bitConfusionFigure,
  codeHistogramFigure,
  hiddenUnitFigure,
  hSweepFigure,
  lossCurveFigure,
  map2dFigure,
  reconstructionFigure,
  sparsityFigure,
} from '../../src/figures.ts';
import { parseXml } from './xml.ts';

const count = (svg: string, name: string) => parseXml(svg).names.filter((each) => each === name).length;
const pictures = (svg: string) =>
  [...svg.matchAll(/href="data:image\/png;base64,([^"]*)"/g)].map((match) =>
    decode(Uint8Array.from(atob(match[1]), (sign) => sign.charCodeAt(0))),
  );

describe('reconstructionFigure', () => {
  const rows = [
    { label: 'original', values: [-1, 1, 0, Number.NaN, 1, 1, 1, 1] },
    { label: 'PC-AE', values: [-2, 2, 0, 0, 1, 1, 1, 1] },
  ];

  it('shows every example in every row, -1 as paper and 1 as ink', () => {
    const svg = reconstructionFigure({ rows, V: 4, image: { height: 2, width: 2 } });
    const [first, , reconstructed] = pictures(svg);
    expect(pictures(svg)).toHaveLength(4);
    expect([...first.data]).toEqual([
      255, 255, 255, 255, 0, 0, 0, 255, 128, 128, 128, 255, 240, 170, 60, 255,
    ]);
    expect([...reconstructed.data].slice(0, 8)).toEqual([255, 255, 255, 255, 0, 0, 0, 255]);
  });

  it('folds long rows that are no pictures, and leaves the rest of the last line open', () => {
    const [picture] = pictures(
      reconstructionFigure({ rows: [{ label: 'a', values: new Float32Array(100) }], V: 100 }),
    );
    expect([picture.width, picture.height]).toEqual([64, 2]);
    expect(picture.data[4 * 99 + 3]).toBe(255);
    expect(picture.data[4 * 100 + 3]).toBe(0);
  });

  it('folds rows of very many values into squares, which do not grow with them', () => {
    const strip = (V: number) =>
      reconstructionFigure({ rows: [{ label: 'a', values: new Float32Array(V) }], V });
    const size = (svg: string) => /<image [^>]*width="(\d+)" height="(\d+)"/.exec(svg)?.slice(1).map(Number);
    expect(size(strip(4096))).toEqual([128, 128]);
    expect(size(strip(40_000))).toEqual([128, 128]);
    const [picture] = pictures(strip(40_000));
    expect([picture.width, picture.height]).toEqual([200, 200]);
  });

  it('says so when it does not show all', () => {
    const svg = reconstructionFigure({ rows, V: 4, show: 1 });
    expect(svg).toContain('The first 1 of 2 examples.');
  });

  it('names what does not fit', () => {
    expect(() => reconstructionFigure({ rows, V: 3 })).toThrow(
      '"original" has 8 values, which is not a multiple of V = 3',
    );
    expect(() => reconstructionFigure({ rows, V: 4, image: { height: 3, width: 2 } })).toThrow(
      '3 x 2 = 6 pixels',
    );
  });
});

describe('hiddenUnitFigure', () => {
  it('numbers the units from 1', () => {
    const svg = hiddenUnitFigure({ units: new Float32Array(12 * 9), V: 9, image: { height: 3, width: 3 } });
    expect(pictures(svg)).toHaveLength(12);
    expect(parseXml(svg).texts.slice(-12)).toEqual(Array.from({ length: 12 }, (_, h) => String(h + 1)));
  });
});

describe('lossCurveFigure', () => {
  it('keeps a spike of one step among very many', () => {
    const x = Array.from({ length: 100_000 }, (_, i) => i);
    const y = x.map((i) => (i === 54_321 ? 100 : 0));
    const svg = lossCurveFigure({ over: 'steps', series: [{ label: 'loss', x, y }] });
    const [, path] = /class="line s0" d="(M[^"]*L[^"]*)"/.exec(svg) ?? [];
    const heights = path
      .split(/[ML]/)
      .slice(1)
      .map((place) => Number(place.split(' ')[1]));
    expect(path.length).toBeLessThan(50_000);
    expect(heights.filter((height) => height === Math.min(...heights))).toHaveLength(1);
  });

  const pathsOf = (svg: string) =>
    [...svg.matchAll(/class="line s0"[^>]* d="(M[^"]*L[^"]*)"/g)].map(([, path]) => path.split(/(?=[ML])/));

  it('draws gaps on a logarithmic axis as far as they are above 0, and says where they are not', () => {
    const gaps = [{ label: 'gap', x: [0, 1, 2, 3, 4, 5], y: [10, 0.1, 0, -1e-9, 0.1, 0.2] }];
    const svg = lossCurveFigure({ over: 'seconds', series: [], gaps });
    const paths = pathsOf(svg);
    expect(paths.map((path) => path.length)).toEqual([2, 2]);
    const heights = paths.flat().map((place) => Number(place.split(' ')[1]));
    expect(heights[0]).toBeLessThan(heights[1]);
    expect(heights[2]).toBe(heights[1]);
    expect(parseXml(svg).texts).toContain('gap, where above 0');
    const positive = [{ label: 'gap', x: [0, 1], y: [10, 0.1] }];
    expect(parseXml(lossCurveFigure({ over: 'seconds', series: [], gaps: positive })).texts).toContain('gap');
  });

  it('has no panel for gaps that were never above 0', () => {
    const series = [{ label: 'loss', x: [0, 1], y: [2, 1] }];
    const without = lossCurveFigure({ over: 'seconds', series });
    const gaps = [{ label: 'gap', x: [0, 1], y: [0, -1] }];
    expect(lossCurveFigure({ over: 'seconds', series, gaps })).toBe(without);
    expect(lossCurveFigure({ over: 'seconds', series: [], gaps })).toContain('There is no history to show.');
  });

  it('draws no line to a point at which something begins anew', () => {
    const curve = { label: 'loss', x: [0, 1, 2, 3], y: [2, 1, 2, Number.NaN], starts: [2] };
    expect(pathsOf(lossCurveFigure({ over: 'epochs', series: [curve] }))).toHaveLength(1);
    expect(count(lossCurveFigure({ over: 'epochs', series: [curve] }), 'circle')).toBe(1);
  });
});

describe('hSweepFigure', () => {
  it('marks the values of H that were tried', () => {
    const svg = hSweepFigure({ series: [{ label: 'train', H: [32, 2, 12], loss: [40, 180, 96] }] });
    expect(parseXml(svg).texts).toEqual(expect.arrayContaining(['2', '12', '32', 'H (hidden units)']));
    expect(count(svg, 'circle')).toBe(3);
  });
});

describe('map2dFigure', () => {
  it('places points by rank where asked to, equal codes together', () => {
    const marks = (points: number[]) =>
      [...map2dFigure({ points, ranks: true }).matchAll(/M[\d.]+ [\d.]+m/g)].flat();
    const spread = marks([0, 0, 1, 1, 1, 5, 9, 9]);
    expect(marks([0, 0, 1, 1, 1, 5, 1e9, 9])).toEqual(spread);
    const across = spread.map((mark) => mark.split(' ')[0]);
    expect(across[1]).toBe(across[2]);
    expect(new Set(across).size).toBe(3);
  });

  it('tells ten classes apart without colours, and seventy with them', () => {
    const classes = Array.from({ length: 70 }, (_, k) => k);
    const svg = map2dFigure({ points: new Float32Array(140), classes });
    const inLegend = /class="(dot|ring) (s\d)" d="M578 [\d.]+(m[^"]*)"/g;
    const marks = [...svg.matchAll(inLegend)];
    expect(new Set(marks.map(([, fill, colour, shape]) => fill + colour + shape)).size).toBe(70);
    expect(new Set(marks.slice(0, 10).map(([, fill, , shape]) => fill + shape)).size).toBe(10);
  });

  it('has an entry in the legend for each class that occurs', () => {
    const points = [0, 0, 1, 1, 2, 2, 3, 3];
    const svg = map2dFigure({ points, classes: [2, 0, 2, 2], names: ['zero', 'one', 'two'] });
    const { texts } = parseXml(svg);
    expect(texts.filter((text) => text === 'two')).toHaveLength(2);
    expect(texts).toContain('zero');
    expect(texts).not.toContain('one');
  });

  it('keeps names of classes apart that have their middle in one place', () => {
    const points = [0, 0, 5, 5, 5, 5, 5.01, 5, 9, 9];
    const svg = map2dFigure({
      points,
      classes: [0, 1, 2, 3, 4],
      names: ['a', 'beech', 'beeches', 'bee', 'e'],
    });
    const rows = [...svg.matchAll(/halo"[^>]* y="([\d.]+)"|y="([\d.]+)"[^>]*halo"/g)].map((found) =>
      Number(found[1] ?? found[2]),
    );
    expect(rows).toHaveLength(5);
    rows.sort((a, b) => a - b);
    rows.slice(1).forEach((y, k) => {
      expect(y - rows[k]).toBeGreaterThan(15);
    });
  });

  it('names what does not fit', () => {
    expect(() => map2dFigure({ points: [1, 2, 3] })).toThrow('points has 3 values');
    expect(() => map2dFigure({ points: [1, 2], classes: [0, 1] })).toThrow(
      'classes has 2 entries for 1 points',
    );
    expect(() => map2dFigure({ points: [1, 2], classes: [-1] })).toThrow('classes[0] is -1');
  });
});

describe('what the figures say in numbers', () => {
  it('codeHistogramFigure: the share of entries that are nearly bits', () => {
    expect(codeHistogramFigure({ codes: [-1, 0.96, 0, 0.5] })).toContain(
      '50% of all code entries are within 0.05',
    );
  });

  it('bitConfusionFigure: the share of bits that come out right, missing ones left out', () => {
    const svg = bitConfusionFigure({ truth: [1, -1, 1, -1, Number.NaN], decoded: [0.9, -0.8, -0.1, -1, 1] });
    expect(svg).toContain('75% of 4 bits come out right');
    expect(() => bitConfusionFigure({ truth: [1], decoded: [] })).toThrow(
      'truth has 1 entries and decoded 0',
    );
  });

  it('bitConfusionFigure: a randomised bit counts as both values in proportion', () => {
    expect(bitConfusionFigure({ truth: [0.5, 0.5], decoded: [1, 1] })).toContain(
      '75% of 2 bits come out right',
    );
  });

  it('sparsityFigure: the share of weights that are exactly 0', () => {
    const svg = sparsityFigure({ series: [{ label: 'L1', W: [0, 0, 0, 2] }] });
    expect(svg).toContain('Weights that are exactly 0: 75%.');
    const series = [0, 2].map((w, k) => ({ label: `eps ${k}`, W: [w, 2] }));
    expect(sparsityFigure({ series })).toContain('Weights that are exactly 0: 50% (eps 0), 0% (eps 1).');
  });
});

it('a small figure, frozen', () => {
  const svg = hSweepFigure({ title: 'Sweep', series: [{ label: 'train', H: [1, 10], loss: [2, 1] }] });
  expect(svg.replace(/<style>.*<\/style>/, '').replaceAll('><', '>\n<')).toMatchSnapshot();
});
