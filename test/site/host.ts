import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';

/** The site as `npm run docs` leaves it. */
export const site = join(resolve(import.meta.dirname, '../..'), 'site/dist');

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
};

/** A static host: files as they are, and addresses without their ending. */
export async function siteHost() {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = decodeURIComponent(url.split('?')[0]);
    for (const file of [path, `${path}.html`, `${path}index.html`]) {
      const body = await readFile(join(site, file)).catch(() => undefined);
      if (!body) continue;
      response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' });
      return response.end(body);
    }
    response.writeHead(404).end('not found');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address: `http://127.0.0.1:${port}`, close };
}
