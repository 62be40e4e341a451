import type { Block, Floats } from '../engine.ts';
import type { JobFields } from './job.ts';
import { constants } from './layout.generated.ts';
import { rowFields } from './point.ts';
import { useBlock, type WasmFloats } from './storage.ts';
import { type Tools, touch } from './tools.ts';

/** `Engine.project`. */
export function project(tools: Tools, block: Block, A: Floats, width: number, Y: Floats): Promise<void> {
  const { n, V } = block;
  return product(tools, block, constants.CODES, { K: V, items: n }, A, width, Y);
}

/** `Engine.correlate`. */
export function correlate(tools: Tools, block: Block, Y: Floats, width: number, A: Floats): Promise<void> {
  const { n, V } = block;
  return product(tools, block, constants.WEIGHTS, { K: n, items: V }, Y, width, A);
}

async function product(
  tools: Tools,
  block: Block,
  side: number,
  shape: { readonly K: number; readonly items: number },
  A: Floats,
  width: number,
  out: Floats,
): Promise<void> {
  const { K, items } = shape;
  tools.use(A, 'the numbers of the factor', K * width);
  const to = tools.use(out, 'the numbers of the product', items * width);
  const { back } = await tools.packs.provide({ floats: A as WasmFloats, first: 0, K, width }, 'back');
  const rows = rowFields(useBlock(tools.memory, block));
  const own: JobFields = {
    kernel: constants.PROJECT,
    side,
    K,
    width,
    back,
    start: 0,
    end: items,
    out: to,
    half: 1,
    weighted: rows.missing,
  };
  await tools.panels([rows, own], items, items * K * width);
  touch(out);
}
