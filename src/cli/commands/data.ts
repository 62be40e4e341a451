import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { addDataInfo } from './data-info.ts';

export function addData(program: Command, io: Io): void {
  const data = program.command('data').description('Look at a file of rows.');
  addDataInfo(data, io);
}
