import { hostname } from 'node:os';
import type { Command } from 'commander';
import { createEngine } from 'pc-ae/node';
import { addressOf, openBoard, openStore } from '../addresses.ts';
import type { Io } from '../io.ts';
import { PROGRAM } from '../task.ts';
import { checkName, work } from '../worker.ts';
import { notNegative, whole } from './parse.ts';
import { addPlaces, type Places } from './places.ts';

interface Options extends Places {
  readonly name?: string;
  readonly threads: number;
  readonly idle?: number;
}

export function addWorker(program: Command, io: Io): void {
  addPlaces(
    program
      .command('worker')
      .summary('take tasks and do them, until stopped')
      .description(
        'Any number of workers, on any machines that see the queue and the store, may come and go at any time. Results do not ' +
          'depend on them.',
      ),
  )
    .option(
      '--name <name>',
      'its name in logs and answers: letters, digits, . _ - (default: host name and process id)',
    )
    .option('--threads <n>', 'number of threads', whole, 1)
    .option('--idle <seconds>', 'stop after so many seconds without a task (default: never)', notNegative)
    .action(async (options: Options) => {
      const name = options.name ?? `${hostname().replace(/[^\w.-]/g, '-')}-${process.pid}`;
      checkName(name);
      const store = await openStore(addressOf('store', options.store, io.env), { env: io.env });
      const board = await openBoard(addressOf('queue', options.queue, io.env), {
        leaseSeconds: options.lease,
        env: io.env,
      });
      // Relaxed SIMD rounds as each processor likes; the same bits on all machines need the other kind.
      const engine = await createEngine({ threads: options.threads, relaxed: false });
      const log = (line: string) => io.err(`${new Date().toISOString()} ${name}: ${line}\n`);
      log(`${PROGRAM}; queue ${board.name}, store ${store.name}`);
      try {
        const { done } = await work(board, store, engine, {
          ...{ name, signal: io.signal, log },
          idleSeconds: options.idle,
        });
        log(`stops after ${done} tasks`);
      } finally {
        await board.close();
        await engine.close();
      }
    });
}
