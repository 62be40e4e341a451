// The data sets of the benchmarks, read from a folder named by PCAE_DATA or on the command line. Grey images are
// binarised once by sampling with a fixed seed, as in the paper.
import { join } from 'node:path';
import { collect, folds, takeRows } from 'pc-ae';
import { openSource } from 'pc-ae/node';

const IMAGES = {
  mnist: ['mnist/train-images-idx3-ubyte.gz', 'mnist/t10k-images-idx3-ubyte.gz'],
  omniglot: ['omniglot/train-images-idx3-ubyte.gz', 'omniglot/test-images-idx3-ubyte.gz'],
  caltech101: [
    'caltech101-silhouettes/train-images-idx3-ubyte.gz',
    'caltech101-silhouettes/test-images-idx3-ubyte.gz',
  ],
};
const TABLES = ['plants', 'bbc', 'nltcs'];

/** Training and test rows of a data set; notMNIST has no split of its own and takes a fold of ten. */
export async function loadData(folder, name, fold = 0) {
  const read = async (file, seed) =>
    collect(await openSource(join(folder, file), { binarize: 'sample', seed }));
  if (name === 'notmnist') {
    const rows = await read('notmnist-small/images-idx3-ubyte.gz', 1);
    const parts = folds(rows.n, 10, 1);
    const rest = parts.filter((_, k) => k !== fold).flatMap((part) => [...part]);
    return { train: takeRows(rows, rest), test: takeRows(rows, parts[fold]) };
  }
  if (TABLES.includes(name)) {
    const open = async (part) => collect(await openSource(join(folder, `tables/${name}.${part}.csv.gz`), {}));
    return { train: await open('train'), test: await open('test') };
  }
  const [train, test] = IMAGES[name];
  return { train: await read(train, 1), test: await read(test, 2) };
}

/** The folder with the data sets, or an explanation and the end. */
export function dataFolder() {
  const folder = process.argv[2] ?? process.env.PCAE_DATA;
  if (folder) return folder;
  console.error('Name the folder with the data sets: node bench/<name>.mjs DIR, or set PCAE_DATA.');
  process.exit(2);
}
