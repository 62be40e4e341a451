// The data sets of the benchmarks, read from a folder named by PCAE_DATA or on the command line: those of the
// paper, and tables that are no pictures.
import { join } from 'node:path';
import { openSource } from 'pc-ae/node';
import { collect } from 'pc-ae/rows';
import { loadSet, SET_NAMES } from 'pc-ae-paper/datasets';

/**
 * Training, validation and test rows of a data set; notMNIST has no split of its own and takes a fold of ten.
 */
export async function loadData(folder, name, fold = 0) {
  if (SET_NAMES.includes(name)) return loadSet(folder, name, { fold });
  const open = async (part) => collect(await openSource(join(folder, `tables/${name}.${part}.csv.gz`), {}));
  const train = await open('train');
  return { train, test: await open('test'), held: { train, validation: await open('valid') } };
}

/** The folder with the data sets, or an explanation and the end. */
export function dataFolder() {
  const folder = process.argv[2] ?? process.env.PCAE_DATA;
  if (folder) return folder;
  console.error('Name the folder with the data sets: node bench/<name>.mjs DIR, or set PCAE_DATA.');
  process.exit(2);
}
