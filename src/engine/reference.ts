export { referenceEngine } from './reference/engine.ts';
