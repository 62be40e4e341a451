import { createRequire } from 'node:module';

/** The version in package.json, which lies two folders above this file, in src as in dist. */
export const VERSION: string = createRequire(import.meta.url)('../../package.json').version;
