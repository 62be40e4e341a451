export { lossByName } from './by-name.ts';
export { type Costs, costWeighted } from './cost-weighted.ts';
export { crossEntropy } from './cross-entropy.ts';
export { type CustomLossOptions, customLoss } from './custom.ts';
export { hamming } from './hamming.ts';
export type { Loss } from './loss.ts';
export { squared } from './squared.ts';
