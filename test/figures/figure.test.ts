import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drawAxes, extent } from '../../src/figures/axes.ts';
import { shorten } from '../../src/figures/figure.ts';
import { formatLoss, formatNumber, formatShare } from '../../src/figures/numbers.ts';
import { escapeText } from '../../src/figures/svg.ts';
import { holds } from '../property.ts';

it('formatNumber writes numbers for people', () => {
  const written = [0, 1, -1, 0.5, 41.234567, 1234.5, 1234567, 99999.7, 0.00012346, 1e-5, 2.5e9, -1e7];
  expect(written.map(formatNumber)).toEqual([
    '0',
    '1',
    '-1',
    '0.5',
    '41.23',
    '1,235',
    '1,234,567',
    '100,000',
    '0.0001235',
    '1e-5',
    '2.5e9',
    '-1e7',
  ]);
});

it('formatLoss keeps small losses from looking like none', () => {
  expect([143.14, 2, 0.1, 0.01604, 0.00042, 0].map(formatLoss)).toEqual([
    '143.1',
    '2.0',
    '0.1',
    '0.016',
    '0.00042',
    '0',
  ]);
});

it('formatShare never rounds to nothing or to all', () => {
  expect([0, 1e-6, 0.005, 0.5, 0.99999, 1].map(formatShare)).toEqual([
    '0%',
    '< 0.1%',
    '0.5%',
    '50%',
    '> 99.9%',
    '100%',
  ]);
});

it('shorten cuts between characters', () => {
  expect(shorten('abc', 100)).toBe('abc');
  expect(shorten('😀😀😀😀', 20)).toBe('😀😀…');
});

it('escapeText leaves nothing that XML would read', () => {
  expect(escapeText(`<a b="c">&'\u0000`)).toBe('&lt;a b=&quot;c&quot;&gt;&amp;&#39;\uFFFD');
});

it('axes put every value inside their box, in order, with round marks', () => {
  const box = { left: 10, top: 20, width: 300, height: 200 };
  holds(
    fc.property(fc.array(fc.double({ noNaN: true }), { minLength: 1, maxLength: 20 }), (values) => {
      const axis = { label: 'a', domain: extent(values) };
      const { x, y } = drawAxes(box, axis, axis);
      const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
      const across = sorted.map(x);
      for (const at of across) expect(at >= 10 && at <= 310).toBe(true);
      for (const at of sorted.map(y)) expect(at >= 20 - 1e-9 && at <= 220).toBe(true);
      expect([...across].sort((a, b) => a - b)).toEqual(across);
    }),
    { seed: 1, numRuns: 200 },
  );
  const { svg } = drawAxes(
    box,
    { label: 'x', domain: [0.1, 0.72] },
    { label: 'y', domain: [0.02, 300], log: true },
  );
  const marks = [...svg.matchAll(/class="muted"[^>]*>([^<]*)</g)].map((match) => match[1]);
  expect(marks).toMatchInlineSnapshot(`
    [
      "0",
      "0.2",
      "0.4",
      "0.6",
      "0.8",
      "0.01",
      "0.1",
      "1",
      "10",
      "100",
      "1,000",
    ]
  `);
});
