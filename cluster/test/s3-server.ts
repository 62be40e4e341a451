import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A small S3 in memory: GET, conditional PUT, DELETE and ListObjectsV2 (two keys per page), each only with a
 * right signature of version 4, which is worked out here from the request as AWS describes it.
 */
export async function s3Server(keys: { readonly id: string; readonly secret: string }) {
  const objects = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    const url = new URL(request.url!, 'http://localhost');
    const key = decodeURIComponent(url.pathname.slice('/bucket/'.length));
    const end = (status: number, text: string | Buffer = '') => response.writeHead(status).end(text);
    if (!signed(request, url, body, keys)) return end(403, '<Code>SignatureDoesNotMatch</Code>');
    if (request.method === 'PUT') {
      if (request.headers['if-none-match'] === '*' && objects.has(key))
        return end(412, '<Code>PreconditionFailed</Code>');
      objects.set(key, body);
      return end(200);
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return end(204);
    }
    if (url.searchParams.get('list-type') === '2') {
      const after = url.searchParams.get('continuation-token') ?? '';
      const prefix = url.searchParams.get('prefix') ?? '';
      const all = [...objects.keys()].sort().filter((one) => one.startsWith(prefix) && one > after);
      const page = all.slice(0, 2);
      const next = all.length > 2 ? `<NextContinuationToken>${page[1]}</NextContinuationToken>` : '';
      return end(
        200,
        `<L>${page.map((one) => `<Contents><Key>${one}</Key></Contents>`).join('')}${next}</L>`,
      );
    }
    const found = objects.get(key);
    return found ? end(200, found) : end(404, '<Code>NoSuchKey</Code>');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    close: () => new Promise((done) => server.close(done).closeAllConnections()),
  };
}

/** Whether the request is signed with the secret. */
function signed(
  { method, headers }: IncomingMessage,
  url: URL,
  body: Buffer,
  { id, secret }: { readonly id: string; readonly secret: string },
): boolean {
  const said = /Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]+)/.exec(
    headers.authorization ?? '',
  );
  if (!said) return false;
  const [, credential, names, signature] = said;
  const [who, date, region, service, last] = credential.split('/');
  const hash = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const payload = String(headers['x-amz-content-sha256'] ?? hash(body));
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== hash(body)) return false;
  const query = [...url.searchParams]
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .sort()
    .join('&');
  const values = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const request = [method, url.pathname, query, values.join(''), names, payload].join('\n');
  const scope = [date, region, service, last].join('/');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash(request)].join('\n');
  const key = [date, region, service, last].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return who === id && hmac(key, text).toString('hex') === signature;
}
