import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { addressOf, openBoard, openStore } from '../addresses.ts';
import type { Crew } from '../complete.ts';
import type { Io } from '../io.ts';
import { openTable, type ShardedTable } from '../jobs/table.ts';
import { readManifest } from '../manifest.ts';
import { positive } from './parse.ts';
import { progress } from './progress.ts';

/** What the options of `addPlaces` leave in a command's options. */
export interface Places {
  readonly queue?: string;
  readonly store?: string;
  readonly lease?: number;
}

/** The options of every command that works with others. */
export function addPlaces(command: Command): Command {
  return command
    .option(
      '--queue <address>',
      'where tasks are posted: redis://HOST:PORT or file:FOLDER (default: PCAE_QUEUE)',
    )
    .option(
      '--store <address>',
      'where shards, codes and answers are kept: file:FOLDER or s3://BUCKET/PREFIX (default: PCAE_STORE)',
    )
    .option(
      '--lease <seconds>',
      'a worker counts as dead after so many seconds without a sign of life (default: 30)',
      positive,
    );
}

/** Coordinates work on the table of a manifest, and ends the connection to queue and store afterwards. */
export async function withTable(
  manifestPath: string,
  places: Places,
  io: Io,
  what: string,
  work: (table: ShardedTable, crew: Crew) => Promise<void>,
): Promise<void> {
  const { close, ...crew } = await openCrew(places, io, what);
  try {
    await work(await openManifest(manifestPath, crew), crew);
  } finally {
    await close();
  }
}

async function openCrew(places: Places, io: Io, what: string): Promise<Crew & { close(): Promise<void> }> {
  const store = await openStore(addressOf('store', places.store, io.env), { env: io.env });
  const board = await openBoard(addressOf('queue', places.queue, io.env), {
    leaseSeconds: places.lease,
    env: io.env,
  });
  const { onAnswer, end } = progress(io, what, board, store);
  const close = async () => {
    await end();
    await board.close();
  };
  return { board, store, signal: io.signal, onAnswer, close };
}

/** The manifest in a file, put where workers find it. */
async function openManifest(path: string, crew: Crew): Promise<ShardedTable> {
  const { manifest } = readManifest(await readFile(path), path);
  return openTable(manifest, crew.store);
}
