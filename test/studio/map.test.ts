import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { colouring } from '../../studio/src/map/colours.ts';
import { Places } from '../../studio/src/map/pick.ts';
import { toMap, toScreen, zoomed } from '../../studio/src/map/view.ts';
import { readAddress, VIEWS, writeAddress } from '../../studio/src/page/address.ts';
import { principalAxes } from '../../studio/src/work/desk/axes.ts';
import { readLabels } from '../../studio/src/work/desk/labels.ts';
import { layOut } from '../../studio/src/work/desk/layout.ts';
import { countable, neighboursOf } from '../../studio/src/work/desk/neighbours.ts';
import { thinned } from '../../studio/src/work/thin.ts';
import { holds } from '../property.ts';

const quiet = { signal: new AbortController().signal, tell: () => undefined };
/** Two clouds of codes, far from each other. */
const clouds = (n: number, H: number) =>
  Float32Array.from({ length: n * H }, (_, k) => {
    const i = Math.floor(k / H);
    return (i % 2 === 0 ? 1 : -1) + 0.3 * Math.sin(k * 12.9898 + 78.233 * (k % 7));
  });

describe('the map', () => {
  it('puts the first principal axis along what differs most', () => {
    const points = principalAxes(clouds(60, 5), 5);
    for (let i = 2; i < 60; i++) expect(Math.sign(points[2 * i])).toBe(Math.sign(points[2 * (i % 2)]));
  });

  it('keeps neighbours together that are nearest by exact search', async () => {
    const codes = clouds(80, 4);
    const graph = await neighboursOf(countable(codes, 4), 6, quiet);
    for (let i = 0; i < 80; i++) {
      const near = graph.indices.subarray(i * graph.k, (i + 1) * graph.k);
      expect(near).not.toContain(i);
      expect([...near].every((j) => j % 2 === i % 2)).toBe(true);
    }
  });

  it('keeps clouds together and apart, also where only some rows are laid out and the others placed', async () => {
    const codes = clouds(80, 4);
    const axes = principalAxes(codes, 4);
    const all = await layOut(codes, 4, axes, quiet);
    expect(all.laidOut).toBe(80);
    expect(all).toEqual(await layOut(codes, 4, axes, quiet));
    expect(apart(all.points)).toBeGreaterThan(0.5);
    const some = await layOut(codes, 4, axes, quiet, 30);
    expect(some.laidOut).toBe(30);
    expect(apart(some.points)).toBeGreaterThan(0.5);

    // It can be stopped on the way.
    const stop = new AbortController();
    const context = { signal: stop.signal, tell: (share: number) => share > 0.5 && stop.abort() };
    await expect(layOut(codes, 4, axes, context)).rejects.toThrow('abort');
  });

  /** How far the middles of the two clouds are from each other. */
  function apart(points: Float32Array): number {
    const middle = (part: number) => {
      const rows = Array.from({ length: 40 }, (_, k) => 2 * k + part);
      return [0, 1].map((axis) => rows.reduce((sum, i) => sum + points[2 * i + axis], 0) / 40);
    };
    const [a, b] = [middle(0), middle(1)];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  }

  it('points at what is under the pointer, wherever one looks', () => {
    const place = fc.double({ min: -2, max: 2, noNaN: true });
    const size = { width: 640, height: 480 };
    const view = zoomed({ x: 0.3, y: -0.2, scale: 200 }, size, 1.7, 100, 50);
    holds(
      fc.property(place, place, (x, y) => {
        const [backX, backY] = toMap(view, size, ...toScreen(view, size, x, y));
        expect(backX).toBeCloseTo(x, 6);
        expect(backY).toBeCloseTo(y, 6);
      }),
      { seed: 1, numRuns: 50 },
    );
  });

  it('chooses what a border encloses', () => {
    const points = Float32Array.from([0, 0, 0.5, 0.5, -0.5, 0.5, 0.9, -0.9]);
    const places = new Places(points);
    expect([...places.inside([-0.6, -0.1, 0.6, -0.1, 0.6, 0.6, -0.6, 0.6])]).toEqual([0, 1, 2]);
    expect([...places.inside([0, 0.1, 0.7, 0.3, 0.6, 0.9])]).toEqual([1]);
    expect(places.nearest(0.88, -0.88, 0.1)).toBe(3);
    expect(places.nearest(0.2, -0.5, 0.1)).toBeUndefined();
  });

  it('says in its legend what colours mean', () => {
    const { colours, legend } = colouring(3, [0, 1, 1], ['cat', 'dog'], Uint32Array.of(0), false);
    expect(legend).toMatchObject({
      kind: 'categories',
      entries: [
        { name: 'cat', count: 1 },
        { name: 'dog', count: 2 },
      ],
    });
    expect(colours[3]).toBeGreaterThan(colours[7]);
    expect(colouring(2, [1, 5], undefined, undefined, true).legend).toEqual({
      kind: 'scale',
      low: 1,
      high: 5,
    });
  });
});

describe('the page', () => {
  it('draws curves of some hundred points, of long runs too', () => {
    const long = Array.from({ length: 12_345 }, (_, k) => k);
    const some = thinned(long, 100);
    expect(some).toHaveLength(100);
    expect([some[0], some.at(-1)]).toEqual([0, 12_344]);
    expect(thinned([1, 2, 3], 100)).toEqual([1, 2, 3]);
  });

  it('comes back to what its address says', () => {
    for (const view of VIEWS) {
      const address = { view, choices: { run: 'r1', by: 'a & b' } };
      expect(readAddress(writeAddress(address))).toEqual(address);
    }
    expect(readAddress('#/nonsense?x=1').view).toBe('learn');
  });

  it('reads labels, one for each row', async () => {
    const { names, values } = await readLabels(new File(['kind\ncat\ndog\ncat\n'], 'labels.txt'), 3);
    expect(names).toEqual(['cat', 'dog']);
    expect([...values]).toEqual([0, 1, 0]);
    const idx = new File([Uint8Array.of(0, 0, 8, 1, 0, 0, 0, 2, 7, 3)], 'labels-idx1-ubyte');
    expect((await readLabels(idx, 2)).names).toEqual(['3', '7']);
    const members = ['kind\ncat\n', 'dog\ncat\n'].map((text) => gzipSync(text));
    expect((await readLabels(new File(members, 'labels.gz'), 3)).names).toEqual(['cat', 'dog']);
    await expect(readLabels(idx, 3)).rejects.toThrow('holds 2 labels for 3 rows');
  });
});
