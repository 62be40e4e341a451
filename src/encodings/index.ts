export { ball } from './ball.ts';
export { bits } from './bits.ts';
export { box } from './box.ts';
export { encodingNames, encodingOf, encodings, setOf } from './by-name.ts';
export type { CodeSet, Encoding, EncodingName } from './encoding.ts';
export { nonnegative } from './nonnegative.ts';
export { real } from './real.ts';
export { simplex } from './simplex.ts';
export { type SizedSet, sized } from './sized.ts';
