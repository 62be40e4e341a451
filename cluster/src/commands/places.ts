import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { addressOf, openBoard, openStore } from '../addresses.ts';
import type { Board } from '../board/board.ts';
import type { Crew } from '../complete.ts';
import type { Io } from '../io.ts';
import { openTable, type ShardedTable } from '../jobs/table.ts';
import { readManifest } from '../manifest.ts';
import type { Store } from '../store/store.ts';
import { type Answer, PROGRAM } from '../task.ts';
import { positive } from './parse.ts';

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
      'where tasks are put up: redis://HOST:PORT or file:FOLDER (default: PCAE_QUEUE)',
    )
    .option(
      '--store <address>',
      'where shards, codes and answers are: file:FOLDER or s3://BUCKET/PREFIX (default: PCAE_STORE)',
    )
    .option(
      '--lease <seconds>',
      'without a sign of life for so long, a worker counts as dead (default: 30)',
      positive,
    );
}

/** Opens queue and store for a command that coordinates. `close` ends the connection. */
export async function openCrew(
  places: Places,
  io: Io,
  what: string,
): Promise<Crew & { close(): Promise<void> }> {
  const store = await openStore(addressOf('store', places.store, io.env), { env: io.env });
  const board = await openBoard(addressOf('queue', places.queue, io.env), { leaseSeconds: places.lease });
  const { onAnswer, end } = progress(io, what, board, store);
  const close = async () => {
    await end();
    await board.close();
  };
  return { board, store, signal: io.signal, onAnswer, close };
}

/** The manifest in a file, put where workers find it. */
export async function openManifest(path: string, crew: Crew): Promise<ShardedTable> {
  const { manifest } = readManifest(await readFile(path), path);
  return openTable(manifest, crew.store);
}

/** A line at most every two seconds, and the last of a phase; `status` shows the same. */
function progress(io: Io, what: string, board: Board, store: Store) {
  const name = `${what}-${hostname()}-${process.pid}`;
  let [told, total, telling] = [0, 0, Promise.resolve()];
  const tell = (doing: string) => {
    const { in: bytesIn, out: bytesOut } = store.moved;
    const notice = {
      name,
      role: 'coordinator',
      program: PROGRAM,
      doing,
      done: total,
      bytesIn,
      bytesOut,
    } as const;
    telling = board.tell(notice).catch(() => undefined);
  };
  const onAnswer = (done: number, of: number, { worker }: Answer) => {
    total++;
    if (performance.now() - told < 2000 && done < of) return;
    told = performance.now();
    io.err(`${what}: ${done} of ${of} shards (last from ${worker})\n`);
    tell(`${what}, ${done} of ${of} shards`);
  };
  const end = () => {
    tell('gone');
    return telling;
  };
  return { onAnswer, end };
}
