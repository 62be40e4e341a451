import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { explained } from '../../formats/node/file.ts';
import { Guard } from './guard.ts';
import { HEADERS, LASTING } from './headers.ts';
import { type PageFile, pageFiles } from './page-files.ts';

export interface StudioOptions {
  /** Files that the page opens at once; nothing else of the disk can be read. */
  readonly files?: readonly string[];
  /** The port to listen on; another one where it is taken. Default 7523; 0: any. */
  readonly port?: number;
  /** Where the built page is. Default: beside the package. */
  readonly folder?: string;
}

export interface StudioServer {
  /** The address to open, which works once. */
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves the studio to a browser on this machine. */
export async function serveStudio(options: StudioOptions = {}): Promise<StudioServer> {
  const { files: given = [], port: wanted = PORT, folder } = options;
  const page = await pageFiles(folder);
  const opened = await Promise.all(given.map(openedFile));
  const server = createServer();
  const port = await listen(server, wanted);
  const guard = new Guard(port);
  server.on('request', (request, response) => {
    answer(request, response, guard, page, opened).catch(() => response.destroy());
  });
  return {
    address: `http://127.0.0.1:${port}/?token=${guard.token}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The same address each time, so that the browser finds the models that it kept for it. */
const PORT = 7523;

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  guard: Guard,
  page: ReadonlyMap<string, PageFile>,
  opened: readonly OpenedFile[],
): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  const verdict = guard.judge(request);
  if (verdict.kind === 'refuse') return say(response, verdict.status, verdict.why);
  if (verdict.kind === 'enter') {
    response.setHeader('Set-Cookie', verdict.cookie);
    response.setHeader('Location', '/');
    return say(response, 303, 'To the studio.');
  }
  const [path] = (request.url ?? '/').split('?');
  if (path === '/opened') {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(opened.map(({ name, size }) => ({ name, size }))));
    return undefined;
  }
  const data = /^\/opened\/(\d{1,3})$/.exec(path);
  const found = data ? opened[Number(data[1])] : page.get(path);
  if (!found) return say(response, 404, 'There is nothing here.');
  response.setHeader('Content-Type', found.type);
  if (path.startsWith('/assets/')) response.setHeader('Cache-Control', LASTING);
  if (request.method === 'HEAD') {
    response.end();
    return undefined;
  }
  return pipeline(createReadStream(found.path), response);
}

function say(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.end(`${text}\n`);
}

interface OpenedFile extends PageFile {
  readonly name: string;
  readonly size: number;
}

/** A file as it lies on the disk now: a link that is turned elsewhere later leads nowhere. */
async function openedFile(path: string): Promise<OpenedFile> {
  const real = await explained(path, realpath(path));
  const facts = await stat(real);
  if (!facts.isFile()) throw new Error(`${path} is not a file; the studio opens files`);
  return { path: real, name: basename(path), size: facts.size, type: 'application/octet-stream' };
}

/** Listens on this machine alone. */
function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' || port === 0) reject(error);
      else listen(server, 0).then(resolve, reject);
    });
    server.listen(port, '127.0.0.1', () => {
      server.removeAllListeners('error');
      const bound = server.address();
      resolve(typeof bound === 'object' && bound ? bound.port : port);
    });
  });
}
