import { join, resolve } from 'node:path';
import { staticHost } from '../static-host.ts';

/** The site as `npm run docs` leaves it. */
export const site = join(resolve(import.meta.dirname, '../..'), 'site/dist');

/** A host of the site, which finds files by addresses without their ending. */
export const siteHost = () => staticHost(site, (path) => [path, `${path}.html`, `${path}index.html`]);
