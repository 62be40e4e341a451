// Writes the tables that the guides work with: generated data, the same in every run.
// node examples/samples/make.mjs [folder] [name ...]
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digits } from 'pc-ae';

/** The files of a sample, by its name: what each guide needs. */
export const SAMPLES = {
  survey: () => ({ 'survey.csv': survey() }),
  people: () => ({ 'people.csv': people() }),
  species: () => ({ 'sites.csv': sites() }),
  baskets: () => ({ 'baskets.csv': baskets() }),
  fingerprints: () => ({ 'molecules.fps': molecules() }),
  cells,
  genotypes,
  pictures: () => {
    const { train, test } = digits({ train: 1500, test: 300 });
    return { 'train.idx3-ubyte': idx(train), 'test.idx3-ubyte': idx(test) };
  },
  embeddings: () => {
    const vectors = embeddings(1050, 64);
    return {
      'embeddings.npy': npy(vectors.subarray(0, 1000 * 64), 64),
      'queries.npy': npy(vectors.subarray(1000 * 64), 64),
    };
  },
};

export async function writeSamples(folder, names = Object.keys(SAMPLES)) {
  await mkdir(folder, { recursive: true });
  const written = [];
  for (const name of names) {
    const files = await SAMPLES[name]?.();
    if (!files) throw new Error(`no sample is called ${name}; there are ${Object.keys(SAMPLES).join(', ')}`);
    for (const [file, content] of Object.entries(files)) {
      await writeFile(join(folder, file), content);
      written.push(file);
    }
  }
  return written;
}

/**
 * 500 people, twelve questions answered with yes or no, one answer in ten missing. Three attitudes decide
 * most answers.
 */
function survey() {
  const random = randomNumbers(21);
  const questions = {
    outdoors: ['hikes', 'camps', 'cycles', 'gardens'],
    culture: ['reads', 'museum', 'theatre', 'concerts'],
    digital: ['games', 'streams', 'podcasts', 'forums'],
  };
  const names = Object.values(questions).flat();
  const lines = Array.from({ length: 500 }, (_, i) => {
    const likes = Object.values(questions).flatMap((of) => of.map(() => 0));
    Object.values(questions).forEach((of, k) => {
      const keen = random() < 0.5;
      of.forEach((_, j) => {
        likes[4 * k + j] = random() < (keen ? 0.85 : 0.15) ? 'yes' : 'no';
      });
    });
    return [`p${i + 1}`, ...likes.map((answer) => (random() < 0.1 ? '' : answer))].join(',');
  });
  return csv(['person', ...names], lines);
}

/** 240 visitors of three kinds, with words in the cells. */
function people() {
  const random = randomNumbers(5);
  const kinds = [
    ['train', 'tea', 'hostel'],
    ['car', 'coffee', 'hotel'],
    ['bicycle', 'water', 'tent'],
  ];
  const lines = Array.from({ length: 240 }, () => {
    const kind = kinds[Math.floor(3 * random())];
    return kind.map((word) => (random() < 0.12 ? '' : word)).join(',');
  });
  return csv(['transport', 'drink', 'stay'], lines);
}

/** 600 sites in one or two of three habitats: presence of twelve species, one cell in eight not looked at. */
function sites() {
  const random = randomNumbers(11);
  const habitats = [
    ['sundew', 'cranberry', 'cottongrass', 'bogbean'],
    ['bluebell', 'woodruff', 'fern', 'anemone'],
    ['marram', 'sea holly', 'sea rocket', 'sandwort'],
  ];
  const lines = Array.from({ length: 600 }, (_, i) => {
    const main = Math.floor(3 * random());
    const second = random() < 0.3 ? Math.floor(3 * random()) : main;
    const cells = habitats.flatMap((species, k) =>
      species.map(() => {
        const present = random() < (k === main || k === second ? 0.9 : 0.06) ? 1 : 0;
        return random() < 0.125 ? '' : present;
      }),
    );
    return [`site${i + 1}`, ...cells].join(',');
  });
  return csv(['site', ...habitats.flat()], lines);
}

/** 500 baskets as lines `basket,item`: four kinds of shoppers, and something random now and then. */
function baskets() {
  const random = randomNumbers(31);
  const kinds = [
    ['flour', 'butter', 'eggs', 'sugar', 'yeast'],
    ['pasta', 'tomatoes', 'basil', 'olive oil', 'parmesan'],
    ['beer', 'crisps', 'peanuts', 'salsa', 'lemonade'],
    ['nappies', 'wipes', 'milk', 'porridge', 'bananas'],
  ];
  const all = kinds.flat();
  const lines = [];
  for (let i = 0; i < 500; i++) {
    const items = new Set(kinds[Math.floor(4 * random())].filter(() => random() < 0.7));
    while (random() < 0.4) items.add(all[Math.floor(all.length * random())]);
    if (items.size === 0) items.add('milk');
    for (const item of items) lines.push(`b${i + 1},${item}`);
  }
  return csv(['basket', 'item'], lines);
}

/** 800 molecules put together from three of 30 fragments each; a fragment sets twelve of 512 bits. */
function molecules() {
  const random = randomNumbers(3);
  const pick = (below) => Math.floor(below * random());
  const V = 512;
  const fragments = Array.from({ length: 30 }, () => Array.from({ length: 12 }, () => pick(V)));
  const lines = ['#FPS1', `#num_bits=${V}`];
  for (let i = 0; i < 800; i++) {
    const bytes = new Uint8Array(V / 8);
    const bits = [...[0, 1, 2].flatMap(() => fragments[pick(30)]), pick(V)];
    for (const v of bits) bytes[v >> 3] |= 1 << (v & 7);
    lines.push(`${Buffer.from(bytes).toString('hex')}\tmolecule${i + 1}`);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * 500 cells of four types, 400 genes, counts: an AnnData file. A type has 40 genes of its own; others are
 * read now and then.
 */
async function cells() {
  // The library that reads HDF5 writes it too.
  const h5wasm = await import('h5wasm').catch(() => undefined);
  if (!h5wasm) return {};
  const random = randomNumbers(17);
  const [n, V] = [500, 400];
  const [data, indices, indptr, names] = [[], [], [0], []];
  for (let i = 0; i < n; i++) {
    const type = Math.floor(4 * random());
    const depth = 0.5 + random();
    for (let v = 0; v < V; v++) {
      const rate = depth * (Math.floor(v / 40) === type ? 0.9 : 0.06);
      let count = 0;
      for (let p = Math.exp(-rate), sum = p, u = random(); u > sum && count < 20; sum += p)
        p *= rate / ++count;
      if (count === 0) continue;
      data.push(count);
      indices.push(v);
    }
    indptr.push(data.length);
    names.push(`type${type}-cell${i + 1}`);
  }
  const { FS } = await h5wasm.ready;
  const file = new h5wasm.File('cells.h5ad', 'w');
  const X = file.create_group('X');
  X.create_attribute('encoding-type', 'csr_matrix');
  X.create_attribute('shape', new Int32Array([n, V]));
  X.create_dataset({ name: 'data', data: Float32Array.from(data) });
  X.create_dataset({ name: 'indices', data: Int32Array.from(indices) });
  X.create_dataset({ name: 'indptr', data: Int32Array.from(indptr) });
  const genes = Array.from({ length: V }, (_, v) => `gene${v + 1}`);
  for (const [axis, words] of Object.entries({ obs: names, var: genes })) {
    const group = file.create_group(axis);
    group.create_attribute('_index', '_index');
    group.create_dataset({ name: '_index', data: words });
  }
  file.close();
  return { 'cells.h5ad': FS.readFile('cells.h5ad') };
}

/**
 * 400 people of three populations, 250 variants, one genotype in fifty not called: the three files of PLINK.
 */
function genotypes() {
  const random = randomNumbers(23);
  const [n, V] = [400, 250];
  const common = Array.from({ length: V }, () => 0.05 + 0.4 * random());
  const shares = [0, 1, 2].map(() =>
    common.map((p) => Math.min(0.95, Math.max(0.01, p + 0.5 * (random() - 0.5)))),
  );
  const stride = Math.ceil(n / 4);
  const bed = new Uint8Array(3 + V * stride);
  bed.set([0x6c, 0x1b, 1]);
  const fam = [];
  for (let i = 0; i < n; i++) {
    const population = Math.floor(3 * random());
    fam.push(`POP${population + 1} person${i + 1} 0 0 ${1 + (i % 2)} -9`);
    for (let v = 0; v < V; v++) {
      const p = shares[population][v];
      const copies = (random() < p ? 1 : 0) + (random() < p ? 1 : 0);
      const pair = random() < 0.02 ? 1 : [3, 2, 0][copies];
      bed[3 + v * stride + (i >> 2)] |= pair << (2 * (i & 3));
    }
  }
  const bim = common.map((_, v) => `${1 + (v % 22)}\trs${1000 + v}\t0\t${10_000 * (v + 1)}\tA\tG`);
  return {
    'cohort.bed': bed,
    'cohort.fam': `${fam.join('\n')}\n`,
    'cohort.bim': `${bim.join('\n')}\n`,
  };
}

/** Vectors in few dimensions, with some noise, as embeddings are. */
function embeddings(count, width, dimensions = 10) {
  const random = randomNumbers(7);
  const around = () => random() + random() - 1;
  const mix = Float64Array.from({ length: width * dimensions }, around);
  const out = new Float32Array(count * width);
  for (let i = 0; i < count; i++) {
    const z = Float64Array.from({ length: dimensions }, around);
    for (let v = 0; v < width; v++) {
      let sum = 0.4 * around();
      for (let k = 0; k < dimensions; k++) sum += mix[v * dimensions + k] * z[k];
      out[i * width + v] = sum;
    }
  }
  return out;
}

function csv(header, lines) {
  return `${header.join(',')}\n${lines.join('\n')}\n`;
}

/** Pictures as an IDX file: magic number, three sizes, then one byte per pixel. */
function idx({ n, height, width, images }) {
  const header = Buffer.alloc(16);
  [0x0803, n, height, width].forEach((value, k) => {
    header.writeUInt32BE(value, 4 * k);
  });
  return Buffer.concat([header, images]);
}

/** Numbers as an NPY file of float32, version 1.0. */
function npy(values, width) {
  const about = `{'descr': '<f4', 'fortran_order': False, 'shape': (${values.length / width}, ${width}), }`;
  const padded = `${about.padEnd(117)}\n`;
  const head = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, padded.length, 0]);
  return Buffer.concat([
    head,
    Buffer.from(padded),
    Buffer.from(values.buffer, values.byteOffset, values.byteLength),
  ]);
}

/** Numbers from 0 to 1, the same in every run (Park and Miller). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

// pnpm and npm link reach this file through a link, and import.meta.url does not name the link.
if (process.argv[1] && (await realpath(process.argv[1])) === fileURLToPath(import.meta.url)) {
  const [folder = '.', ...names] = process.argv.slice(2);
  const written = await writeSamples(folder, names.length > 0 ? names : undefined);
  console.log(`${written.join(', ')} in ${folder}`);
}
