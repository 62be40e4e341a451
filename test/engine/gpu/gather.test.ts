import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gathered } from '../../../src/engine/gpu/gather.ts';
import { GpuEngine } from '../../../src/engine/gpu/operations.ts';
import { type Piece, piecesOf, type SomeRows } from '../../../src/engine/gpu/panel.ts';
import { Processor } from '../../../src/engine/gpu/polish.ts';
import { openSolve } from '../../../src/engine/gpu/solve.ts';
import type { Tools } from '../../../src/engine/gpu/tools.ts';
import { referenceEngine } from '../../../src/engine/reference/engine.ts';
import { crossEntropy } from '../../../src/math.ts';
import { rowBytes } from '../../../src/rows/rows.ts';
import { makeProblem, place } from '../problems.ts';
import { missing, softwareTools } from './device.ts';

const title = missing
  ? `rows that are gathered (skipped: ${missing})`
  : 'rows that are gathered, on SwiftShader';

/** More rows than a workgroup has threads, some entries unknown; the piece begins in the middle. */
const problem = makeProblem({
  ...{ V: 37, H: 5, n: 331, bias: true, kind: 'known' },
  weighted: false,
  scale: 1,
  seed: 3,
});
const { n, V, width, E } = problem;
const [start, end] = [20, n];

describe.skipIf(missing && !process.env.CI)(title, { timeout: 120_000 }, () => {
  let tools: Tools;
  let gpu: GpuEngine;
  beforeAll(async () => {
    tools = await softwareTools();
    gpu = new GpuEngine(tools, new Processor(async () => referenceEngine()));
  });
  afterAll(() => gpu?.close());

  const floats = async (slab: SomeRows['settled'], count: number) =>
    new Float32Array(await tools.dispatcher.read(slab, 0, 4 * count));
  const words = async (slab: SomeRows['settled'], count: number) =>
    new Uint32Array(await tools.dispatcher.read(slab, 0, 4 * count));

  it.each([
    ['some are settled', (row: number) => row % 3 === 0 || row > 250],
    ['none is', () => false],
    ['all are', () => true],
  ] as const)('come first in their order, and go back: %s', async (_name, isSettled) => {
    const { point } = place(gpu, problem);
    const at = { ...point, loss: crossEntropy, range: { start, end } };
    const panel = openSolve(tools, 'codes', at);
    const [piece] = piecesOf(tools, panel, 10) as [Piece];
    const rows = end - start;
    const settled = tools.room('flags of a test', 4 * rows);
    const flags = Float32Array.from({ length: rows }, (_, row) => (isSettled(row) ? 1 : 0));
    tools.dispatcher.write(settled, 0, flags);

    const left = new Gathered(tools, { panel, piece, settled });
    left.gather();
    const order = [...flags.keys()].sort((a, b) => flags[a] - flags[b] || a - b);
    expect([...(await floats(left.settled, rows))]).toEqual(order.map((row) => flags[row]));
    const codes = await floats(left.panel.bound.codes, rows * width);
    const { knownAt } = left.panel.values;
    const entries = await words(left.panel.bound.entries, 2 * knownAt);
    const bits = problem.rows as { bits: Uint8Array; known: Uint8Array };
    for (const [to, row] of order.entries()) {
      const item = start + row;
      expect(codes.slice(to * width, (to + 1) * width)).toEqual(E.slice(item * width, (item + 1) * width));
      for (let v = 0; v < V; v++) {
        const bit = (of: Uint8Array) => (of[item * rowBytes(V) + (v >> 3)] >> (v & 7)) & 1;
        const word = (from: number) => (entries[from + 2 * to + (v >> 5)] >>> (v & 31)) & 1;
        expect([word(0), word(knownAt)]).toEqual([bit(bits.bits), bit(bits.known)]);
      }
    }

    // What happens to the copies happens to the rows; all others stay as they are.
    tools.dispatcher.write(
      left.panel.bound.codes,
      0,
      codes.map((e) => 2 * e + 1),
    );
    tools.dispatcher.write(left.settled, 0, new Float32Array(rows).fill(1));
    left.scatter();
    expect(await point.E.read()).toEqual(E.map((e, k) => (k < start * width ? e : 2 * e + 1)));
    expect([...(await floats(settled, rows))]).toEqual(Array(rows).fill(1));
  });
});
