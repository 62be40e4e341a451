import type { PanelSpec } from '../panel.ts';
import { range } from './text.ts';

/**
 * Turns of a loop for A^T r whose sum is added to the whole, where sums are to be `exact`: long ones lose
 * little then.
 */
export const EXACT_STAGE = 16;

/**
 * A^T r into a vector of codes: of A itself, or of what a function of four numbers (`size`) makes of its
 * entries. `put` may do more with a `sum` and its `place`.
 */
export function backFunction(
  { R, T, room, unrolled }: Pick<PanelSpec, 'R' | 'T' | 'room' | 'unrolled'>,
  name: string,
  to: string,
  size: string,
  exact = false,
  put = `${to}[place] = sum;`,
): string {
  const lanes = range(R);
  const RV = R / 4;
  // Groups of four lanes whose slices have room at a time.
  const some = R * T <= room ? RV : 1;
  const stage = exact ? `begin + ${EXACT_STAGE}u * slices` : 'params.K4';
  return /* wgsl */ `
/** ${to} = ${size} A^T r: threads take four units and a slice of the entries each. */
fn ${name}() {
  let base = params.width * params.K4;
  for (var tile = 0u; tile < params.F4; tile += T) {
    let tall = min(T, params.F4 - tile);
    let slices = T / tall;
    let slice = t / tall;
    let j = tile + t % tall;
    ${lanes.map((l) => `var g${l} = vec4f(0.0);`).join(' ')}
    if (slice < slices) {
      ${
        exact
          ? `${lanes.map((l) => `var all${l} = vec4f(0.0);`).join(' ')}
      for (var begin = slice; begin < params.K4; begin += ${EXACT_STAGE}u * slices) {`
          : ''
      }
      var k4 = ${exact ? 'begin' : 'slice'};
      let end = ${exact ? `min(params.K4, ${stage})` : stage};
      ${(unrolled ? [4, 1] : [1])
        .map(
          (flight) => `for (; k4 + ${flight - 1}u * slices < end; k4 += ${flight}u * slices) {
        ${range(flight)
          .map(
            (f) => `let at${f} = base + 4u * (k4 + ${f}u * slices) * params.W4 + j;
        ${range(4)
          .map((i) => `let a${f}_${i} = ${size}(held[at${f} + ${i}u * params.W4]);`)
          .join('\n        ')}`,
          )
          .join('\n        ')}
        ${range(flight)
          .flatMap((f) =>
            lanes.map(
              (l) => `{
          let r = residual(${l}u, k4 + ${f}u * slices);
          ${exact ? `g${l} += fma(a${f}_0, vec4f(r.x), fma(a${f}_1, vec4f(r.y), fma(a${f}_2, vec4f(r.z), a${f}_3 * r.w)));` : `g${l} = fma(a${f}_0, vec4f(r.x), fma(a${f}_1, vec4f(r.y), fma(a${f}_2, vec4f(r.z), fma(a${f}_3, vec4f(r.w), g${l}))));`}
        }`,
            ),
          )
          .join('\n        ')}
      }`,
        )
        .join('\n      ')}
      ${
        exact
          ? `${lanes.map((l) => `all${l} += g${l}; g${l} = vec4f(0.0);`).join(' ')}
      }
      ${lanes.map((l) => `g${l} = all${l};`).join(' ')}`
          : ''
      }
    }
    ${range(RV / some)
      .map(
        (turn) => `workgroupBarrier();
    if (slice < slices) {
      ${range(4 * some)
        .map((i) => `room[${i}u * T + t] = g${4 * some * turn + i};`)
        .join('\n      ')}
    }
    workgroupBarrier();
    for (var o = t; o < ${4 * some}u * tall; o += T) {
      // Unit u of the four, for four lanes: a thread writes whole vectors only.
      let column = o / ${4 * some}u;
      let u = (o / ${some}u) & 3u;
      let lane = 4u * (o % ${some}u) * T + column;
      var sum = vec4f(0.0);
      var s = 0u;
      ${[4, 1]
        .map(
          (flight) => `for (; s + ${flight}u <= slices; s += ${flight}u) {
        ${range(flight)
          .map(
            (f) => `let at${f} = lane + (s + ${f}u) * tall;
        let part${f} = vec4f(room[at${f}][u], room[T + at${f}][u], room[2u * T + at${f}][u], room[3u * T + at${f}][u]);`,
          )
          .join('\n        ')}
        ${
          exact && flight === 4
            ? 'sum += (part0 + part1) + (part2 + part3);'
            : range(flight)
                .map((f) => `sum += part${f};`)
                .join(' ')
        }
      }`,
        )
        .join('\n      ')}
      let place = (4u * (tile + column) + u) * RV + ${some * turn}u + o % ${some}u;
      ${put}
    }`,
      )
      .join('\n    ')}
    workgroupBarrier();
  }
}

`;
}
