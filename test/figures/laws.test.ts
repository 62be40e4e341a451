import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeText } from '../../src/figures/svg.ts';
import * as figures from '../../src/figures.ts';
import { holds } from '../property.ts';
import { parseXml } from './xml.ts';

/** Numbers of every kind, the hostile ones often. */
const number = fc.oneof(
  fc.double({ min: -2, max: 2, noNaN: true }),
  fc.double(),
  fc.constantFrom(0, -0, 1, -1, Number.NaN, Infinity, -Infinity, 5e-324, Number.MAX_VALUE, -Number.MAX_VALUE),
);
const numbers = fc.oneof(
  fc.array(number, { maxLength: 30 }),
  fc.tuple(number, fc.nat(20)).map(([value, n]) => new Array<number>(n).fill(value)),
);
const label = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('</svg><script>alert(1)</script>', '"onload="x', "'&<>", '\u0000\u001b', '\ud800', ']]>'),
);
const head = { title: label, note: fc.option(label, { nil: undefined }) };
const series = fc.array(fc.record({ label, x: numbers, y: numbers }), { maxLength: 9 });

/** Rows of V values, as pictures or not. */
const rows = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 30 }))
  .chain(([height, width]) => {
    const V = height * width;
    return fc.record({
      V: fc.constant(V),
      image: fc.constantFrom(undefined, { height, width }),
      lists: fc.array(fc.record({ label, values: fc.nat(5).chain((n) => exactly(n * V)) }), { maxLength: 3 }),
    });
  });
const exactly = (length: number) => fc.array(number, { minLength: length, maxLength: length });

const drawings: Record<string, fc.Arbitrary<string>> = {
  reconstructionFigure: fc
    .tuple(rows, fc.record({ ...head, show: fc.nat(4) }), fc.array(label))
    .map(([{ lists, ...shape }, options, captions]) =>
      figures.reconstructionFigure({ ...options, ...shape, rows: lists, captions }),
    ),
  hiddenUnitFigure: fc
    .tuple(rows, fc.record(head), fc.array(label))
    .map(([{ lists, ...shape }, options, labels]) =>
      figures.hiddenUnitFigure({ ...options, ...shape, units: lists[0]?.values ?? [], labels }),
    ),
  lossCurveFigure: fc
    .record({ ...head, series, gaps: series, over: fc.constantFrom('seconds' as const, 'steps' as const) })
    .map(figures.lossCurveFigure),
  hSweepFigure: fc
    .record({ ...head, series: fc.array(fc.record({ label, H: numbers, loss: numbers }), { maxLength: 9 }) })
    .map(figures.hSweepFigure),
  map2dFigure: fc
    .tuple(fc.record({ ...head, names: fc.array(label), show: fc.integer({ min: 1, max: 40 }) }), fc.nat(30))
    .chain(([options, n]) =>
      fc
        .tuple(exactly(2 * n), fc.array(fc.nat(40), { minLength: n, maxLength: n }))
        .map(([points, classes]) => figures.map2dFigure({ ...options, points, classes })),
    ),
  codeHistogramFigure: fc
    .record({ ...head, codes: numbers, bins: fc.integer({ min: 1, max: 50 }) })
    .map(figures.codeHistogramFigure),
  bitConfusionFigure: fc
    .tuple(fc.record(head), fc.nat(40))
    .chain(([options, n]) =>
      fc
        .tuple(exactly(n), exactly(n))
        .map(([truth, decoded]) => figures.bitConfusionFigure({ ...options, truth, decoded })),
    ),
  sparsityFigure: fc
    .record({ ...head, series: fc.array(fc.record({ label, W: numbers }), { maxLength: 9 }) })
    .map(figures.sparsityFigure),
};

describe('laws of every figure', () => {
  it('covers them all', () => {
    expect(Object.keys(drawings).sort()).toEqual(
      Object.keys(figures)
        .filter((name) => name.endsWith('Figure'))
        .sort(),
    );
  });

  it.each(Object.entries(drawings))('%s is well-formed and finite, whatever it is given', (_, drawing) => {
    holds(
      fc.property(drawing, (svg) => {
        const { names, texts } = parseXml(svg);
        expect(names.slice(0, 3)).toEqual(['svg', 'title', 'style']);
        expect(names).not.toContain('script');
        for (const path of svg.matchAll(/ (?:d|x|y|width|height|cx|cy|r|transform|viewBox)="([^"]*)"/g)) {
          expect(path[1]).not.toMatch(/NaN|Infinity|undefined/);
        }
        expect(texts.join(' ')).not.toMatch(/undefined|NaN|Infinity/);
      }),
      { seed: 1, numRuns: 60 },
    );
  });

  it.each(Object.entries(drawings))('%s carries a headline', (_, drawing) => {
    const [svg] = fc.sample(drawing, { seed: 2, numRuns: 1 });
    expect(svg).toMatch(/<svg [^>]*role="img"[^>]*><title>/);
  });

  it('shows hostile labels as text', () => {
    const hostile = '</svg><b>"&';
    const svg = figures.sparsityFigure({ title: hostile, series: [{ label: hostile, W: [1, 2] }] });
    expect(svg).not.toContain('<b>');
    expect(parseXml(svg).texts).toContain(escapeText(hostile));
  });
});
