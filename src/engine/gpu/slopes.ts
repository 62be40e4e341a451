import { floatsOf, type Point, type Side, widthOf } from '../engine.ts';
import { itemsOf } from '../items.ts';
import type { DualMove, Slopes } from '../proofs.ts';
import { withEngine } from '../scope.ts';
import { newton, stepsAt } from './newton.ts';
import type { Processor } from './polish.ts';
import type { Tools } from './tools.ts';

/**
 * `Engine.slopes`, in the float64 of the processor: what float32 cannot prove is proven there, as codes are.
 * The step that dual points are moved along is the device's, where it takes such steps.
 */
export async function slopes(
  tools: Tools,
  processor: Processor | undefined,
  side: Side,
  at: Point,
  moved?: DualMove,
  bits?: Int32Array,
): Promise<Slopes> {
  const { block, shape, W, E, loss, range, offset = 0, columnWeights, rowWeights } = at;
  const { n, items } = itemsOf(side, at);
  const width = widthOf(shape);
  let along = moved && 'directions' in moved ? moved.directions : undefined;
  let left = along ? undefined : moved;
  if (moved && 'ridge' in moved && stepsAt(tools, loss, shape.H)) {
    along = tools.kept(`directions on side ${side}`, items * width);
    newton(tools, side, at, { ridge: moved.ridge, directions: along });
    left = undefined;
  }
  if (!processor) {
    const count = bits?.length ?? items;
    const [losses, conjugates, gradients] = [count, count, count * width].map(
      (size) => new Float64Array(size),
    );
    return { losses, conjugates, gradients };
  }
  const [rows, weights, codes, directions, columns, counts] = await Promise.all([
    tools.block(block).read(),
    W.read(),
    E.read(offset * width, (offset + n) * width),
    along?.read(),
    columnWeights?.read(),
    rowWeights?.read(),
  ]);
  return withEngine({ engine: await processor.engine() }, (engine) => {
    const there = {
      block: engine.load(rows),
      shape,
      W: floatsOf(engine, weights),
      E: floatsOf(engine, codes),
      loss,
      range,
      columnWeights: columns && floatsOf(engine, columns),
      rowWeights: counts && floatsOf(engine, counts),
    };
    const along = directions ? { directions: floatsOf(engine, directions) } : left;
    return engine.slopes(side, there, along, bits);
  });
}
