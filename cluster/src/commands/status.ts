import type { Command } from 'commander';
import { addressOf, openBoard } from '../addresses.ts';
import type { Io } from '../io.ts';
import { PROGRAM } from '../task.ts';
import { megabytes } from './progress.ts';

export function addStatus(program: Command, io: Io): void {
  program
    .command('status')
    .summary('show who is working on what')
    .description(
      'Lists the workers and coordinators that reported in the last minute, and what each of them is doing.',
    )
    .option('--queue <address>', 'where tasks are posted (default: PCAE_QUEUE)')
    .action(async ({ queue }: { queue?: string }) => {
      const board = await openBoard(addressOf('queue', queue, io.env), { env: io.env });
      try {
        const notices = await board.notices();
        const { waiting, held } = await board.open();
        io.out(`tasks: ${waiting} waiting, ${held} being worked on\n`);
        for (const { name, role, program, doing, since, done, bytesIn, bytesOut } of notices) {
          const moved = `${megabytes(bytesIn)} in, ${megabytes(bytesOut)} out`;
          const other = program === PROGRAM ? '' : ` (runs ${program}; this is ${PROGRAM})`;
          const long = doing === 'gone' ? doing : `${doing} for ${Math.round(since)} s`;
          io.out(`${role} ${name}: ${long}, ${done} tasks done, ${moved}${other}\n`);
        }
        if (notices.length === 0)
          io.out(`no worker or coordinator has reported to ${board.name} in the last minute\n`);
      } finally {
        await board.close();
      }
    });
}
