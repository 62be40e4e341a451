import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { built } from './browser.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/**
 * A host that serves files and says nothing else, in a folder of its own, and remembers what it was asked
 * for.
 */
export async function staticHost() {
  const asked = new Set<string>();
  const server = createServer(async ({ url = '/' }, response) => {
    const path = url.split('?')[0].replace(/^\/somewhere\//, '') || 'index.html';
    const body = await readFile(join(built, path)).catch(() => undefined);
    if (body) asked.add(path);
    response.writeHead(body ? 200 : 404, { 'Content-Type': TYPES[extname(path)] ?? 'text/plain' });
    response.end(body ?? 'not found');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address: `http://127.0.0.1:${port}/somewhere/`, asked, close };
}
