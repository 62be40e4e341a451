import { AwsClient } from 'aws4fetch';
import type { Environment } from '../addresses.ts';
import type { Shelf } from './shelf.ts';

/**
 * A bucket: `s3://BUCKET/PREFIX`, at AWS or at AWS_ENDPOINT_URL (MinIO, Ceph, Cloudflare R2). Keys and region
 * come from the usual variables of the environment and are shown nowhere. Writing is conditional
 * (If-None-Match), so that a key is written once: the service must know that, as S3 does since 2024.
 */
export function s3Shelf(address: string, env: Environment): Shelf {
  const [bucket, ...rest] = address.slice('s3://'.length).split('/');
  if (!bucket) throw new RangeError('the store s3://BUCKET/PREFIX needs the name of a bucket');
  const prefix = rest
    .filter(Boolean)
    .map((part) => `${part}/`)
    .join('');
  const client = clientOf(env);
  const root = env.AWS_ENDPOINT_URL
    ? `${env.AWS_ENDPOINT_URL.replace(/\/$/, '')}/${bucket}`
    : `https://${bucket}.s3.${regionOf(env)}.amazonaws.com`;
  const name = `s3://${bucket}/${prefix}`;
  const ask = async (what: string, path: string, init: RequestInit, fine: readonly number[]) => {
    const response = await client.fetch(`${root}/${path}`, init).catch((error: Error) => {
      throw new Error(`could not ${what}, because the store ${name} is unreachable: ${reasonOf(error)}`);
    });
    if (fine.includes(response.status)) return response;
    const code = /<Code>([^<]*)<\/Code>/.exec(await response.text())?.[1] ?? '';
    throw new Error(`the store ${name} refused to ${what}: ${response.status} ${code}`.trim());
  };
  return {
    name,
    async get(key) {
      const response = await ask(`read ${key}`, prefix + key, {}, [200, 404]);
      if (response.status === 404) {
        await response.arrayBuffer();
        return undefined;
      }
      return new Uint8Array(await response.arrayBuffer());
    },
    async putNew(key, bytes) {
      const headers = { 'If-None-Match': '*', 'Content-Length': String(bytes.length) };
      for (let attempt = 0; ; attempt++) {
        const body = bytes as Uint8Array<ArrayBuffer>;
        const init = { method: 'PUT', headers, body };
        const response = await ask(`write ${key}`, prefix + key, init, [200, 409, 412]);
        await response.arrayBuffer();
        if (response.status === 200) return true;
        // 409: somebody else is writing the same key at this moment.
        if (response.status === 412 || attempt === CONFLICTS) return false;
      }
    },
    async list(within) {
      const keys: string[] = [];
      for (let token = ''; ; ) {
        const query = new URLSearchParams({ 'list-type': '2', prefix: prefix + within });
        if (token) query.set('continuation-token', token);
        const text = await (await ask(`list ${within}`, `?${query}`, {}, [200])).text();
        for (const [, key] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) keys.push(key.slice(prefix.length));
        token = unescaped(/<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(text)?.[1] ?? '');
        if (!token) return keys.sort();
      }
    },
    async remove(key) {
      await ask(`remove ${key}`, prefix + key, { method: 'DELETE' }, [200, 204, 404]);
    },
  };
}

/** Tries of a write that met another one of the same key. */
const CONFLICTS = 5;

function clientOf(env: Environment): AwsClient {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey)
    throw new RangeError('the store is a bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const session = env.AWS_SESSION_TOKEN && { sessionToken: env.AWS_SESSION_TOKEN };
  return new AwsClient({ accessKeyId, secretAccessKey, ...session, service: 's3', region: regionOf(env) });
}

function regionOf(env: Environment): string {
  return env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? 'us-east-1';
}

function reasonOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : error.message;
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
