export { bits } from './bits.ts';
export { box } from './box.ts';
export type { Encoding, EncodingName } from './encoding.ts';
export { real } from './real.ts';
