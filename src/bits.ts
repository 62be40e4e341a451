/**
 * `pc-ae/bits`: codes of true bits: packing, drawing, exchange with other programs, search by Hamming
 * distance or by cost.
 *
 * @module pc-ae/bits
 */
export { codesAsText, codesFromFaiss, codesFromText, faissBytes } from './bits/exchange.ts';
export {
  type BitOrder,
  type CodeShape,
  codesAsRows,
  type PackedCodes,
  packCodes,
  reorderCodes,
  unpackCodes,
} from './bits/pack.ts';
export {
  type BoxCodes,
  type DrawOptions,
  drawCodes,
  type ExpectedLoss,
  expectedLoss,
} from './bits/randomised.ts';
export {
  type BitDecoder,
  likelihoodConstants,
  likelihoodTables,
} from './search/likelihood.ts';
export { type Cheapest, type CodeScores, openScores } from './search/scores.ts';
export {
  type CodeSearch,
  type Found,
  type Nearest,
  nearest,
  openSearch,
  type SearchOptions,
  type Within,
  within,
} from './search/search.ts';
export { linearTables, type Tables } from './search/tables.ts';
export {
  type ChosenTemperature,
  likelihoodTemperature,
  type RowMetric,
  type TemperatureOptions,
} from './search/temperature.ts';
