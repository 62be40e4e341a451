import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
};

/**
 * A host that serves the files of a folder as they are and says nothing else: for a path, the first file
 * there is of those that `filesFor` names. It remembers what it gave.
 */
export async function staticHost(folder: string, filesFor: (path: string) => readonly string[]) {
  const given = new Set<string>();
  const server = createServer(async ({ url = '/' }, response) => {
    for (const file of filesFor(decodeURIComponent(url.split('?')[0]))) {
      const body = await readFile(join(folder, file)).catch(() => undefined);
      if (!body) continue;
      given.add(file);
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
  return { address: `http://127.0.0.1:${port}`, given, close };
}
