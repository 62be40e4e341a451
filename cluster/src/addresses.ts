import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Board } from './board/board.ts';
import { directoryBoard } from './board/directory.ts';
import { fileShelf } from './store/file-shelf.ts';
import { Store } from './store/store.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The address of the queue or the store: from the command line, from PCAE_QUEUE or PCAE_STORE, or from the
 * file that PCAE_QUEUE_FILE or PCAE_STORE_FILE names. A command line is seen by everybody on a machine, so
 * that no password may be there.
 */
export function addressOf(what: 'queue' | 'store', given: string | undefined, env: Environment): string {
  const name = `PCAE_${what.toUpperCase()}`;
  if (given !== undefined) {
    if (hasPassword(given))
      throw new RangeError(
        `--${what} contains a password, and everybody on this machine can read the arguments of a process. Put the address into ` +
          `${name}, or into a file and the path of that file into ${name}_FILE`,
      );
    return given;
  }
  const file = env[`${name}_FILE`];
  const address = env[name] ?? (file && readFileSync(file, 'utf8').trim());
  if (address) return address;
  throw new RangeError(
    `no ${what} was given: use --${what} ADDRESS or set ${name}. file:FOLDER is a folder that all machines can see`,
  );
}

/** A text without the users and passwords of the addresses in it: what messages may show. */
export function withoutSecrets(text: string): string {
  // Up to the last @: a password may contain one, or a slash, although it should be encoded.
  return text.replace(/\b(\w+):\/\/[^\s'"`]*@/g, '$1://');
}

function hasPassword(address: string): boolean {
  return /^(?!file:)\w+:\/\/.*:.*@/.test(address);
}

export async function openBoard(
  address: string,
  { leaseSeconds, env = {} }: { readonly leaseSeconds?: number; readonly env?: Environment } = {},
): Promise<Board> {
  const folder = folderOf(address);
  if (folder) return directoryBoard(folder, { leaseSeconds });
  if (/^(rediss?:\/\/|unix:\/)/.test(address)) {
    // Whoever needs no Redis need not load what talks to it.
    const { bullmqBoard } = await import('./board/bullmq.ts');
    return bullmqBoard(address.replace(/^unix:/, ''), { leaseSeconds, tls: tlsOf(env) });
  }
  throw new RangeError(
    `unknown kind of queue: ${withoutSecrets(address)}. Use redis://HOST:PORT, rediss://HOST:PORT (TLS), unix:/SOCKET or file:FOLDER`,
  );
}

export async function openStore(
  address: string,
  options: { readonly cacheBytes?: number; readonly env?: Environment } = {},
): Promise<Store> {
  const folder = folderOf(address);
  if (folder) return new Store(fileShelf(folder), options);
  if (address.startsWith('s3://')) {
    const { s3Shelf } = await import('./store/s3-shelf.ts');
    return new Store(s3Shelf(address, options.env ?? {}), options);
  }
  throw new RangeError(
    `unknown kind of store: ${withoutSecrets(address)}. Use file:FOLDER or s3://BUCKET/PREFIX`,
  );
}

/**
 * Certificates for rediss://: files that PCAE_QUEUE_CA (whom to trust), PCAE_QUEUE_CERT and PCAE_QUEUE_KEY
 * (who this is) name.
 */
function tlsOf(env: Environment): { ca?: Buffer; cert?: Buffer; key?: Buffer } | undefined {
  const files = { ca: env.PCAE_QUEUE_CA, cert: env.PCAE_QUEUE_CERT, key: env.PCAE_QUEUE_KEY };
  const given = Object.entries(files).filter(([, file]) => file);
  return given.length > 0
    ? Object.fromEntries(given.map(([name, file]) => [name, readFileSync(file!)]))
    : undefined;
}

function folderOf(address: string): string | undefined {
  return address.startsWith('file:')
    ? resolve(address.slice('file:'.length).replace(/^\/\/(?=\/)/, ''))
    : undefined;
}
