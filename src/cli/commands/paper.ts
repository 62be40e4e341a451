import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { addPaperClaims } from './paper-claims.ts';
import { addPaperFig } from './paper-fig.ts';
import { addPaperTable1 } from './paper-table1.ts';

export function addPaper(program: Command, io: Io): void {
  const paper = program
    .command('paper')
    .description(
      "Runs the experiments of the paper on its data sets: what it reports, its own procedure, this program's, and " +
        'the autoencoders it compares with. The data sets are in a folder of gzipped IDX files: ' +
        'mnist, omniglot, caltech101-silhouettes and notmnist-small.',
    );
  addPaperTable1(paper, io);
  addPaperFig(paper, io);
  addPaperClaims(paper, io);
}
