import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { addressOf, openBoard, openStore } from '../addresses.ts';
import type { Crew } from '../complete.ts';
import type { Io } from '../io.ts';
import { openTable, type ShardedTable } from '../jobs/table.ts';
import { readManifest } from '../manifest.ts';
import type { Answer } from '../task.ts';

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
    .option('--store <address>', 'where shards, codes and answers are: file:FOLDER (default: PCAE_STORE)')
    .option(
      '--lease <seconds>',
      'without a sign of life for so long, a worker counts as dead (default: 30)',
      seconds,
    );
}

/** Opens queue and store for a command that coordinates. `close` ends the connection. */
export async function openCrew(
  places: Places,
  io: Io,
  what: string,
): Promise<Crew & { close(): Promise<void> }> {
  const store = await openStore(addressOf('store', places.store, io.env));
  const board = await openBoard(addressOf('queue', places.queue, io.env), { leaseSeconds: places.lease });
  const shown = progress(io, what);
  return { board, store, signal: io.signal, onAnswer: shown, close: () => board.close() };
}

/** The manifest in a file, put where workers find it. */
export async function openManifest(path: string, crew: Crew): Promise<ShardedTable> {
  const { manifest } = readManifest(await readFile(path), path);
  return openTable(manifest, crew.store);
}

/** A line at most every two seconds, and the last. */
function progress(io: Io, what: string): (done: number, of: number, answer: Answer) => void {
  let told = 0;
  return (done, of, { worker }) => {
    if (performance.now() - told < 2000 && done < of) return;
    told = performance.now();
    io.err(`${what}: ${done} of ${of} shards (last from ${worker})\n`);
  };
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('Expected a number of seconds above 0.');
  return value;
}
