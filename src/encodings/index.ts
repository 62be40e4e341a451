export { ball } from './ball.ts';
export { bits } from './bits.ts';
export { box } from './box.ts';
export { convexSet, setOf } from './by-name.ts';
export type { Encoding, EncodingName, SetName } from './encoding.ts';
export { nonnegative } from './nonnegative.ts';
export { real } from './real.ts';
export { simplex } from './simplex.ts';
