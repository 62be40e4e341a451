// Counts of genes in single cells, read as seen or not seen: two numbers per cell make a map of the types of
// cells.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { map2dFigure } from 'pc-ae/figures';
import { fit, openSource } from 'pc-ae/node';
import { collect } from 'pc-ae/rows';

const [n, V] = [600, 300];
const types = ['T cells', 'B cells', 'monocytes'];
const random = randomNumbers(31);

// Each type has 40 genes of its own. Others are read now and then, and some cells were read more deeply than
// others.
const cells = Array.from({ length: n }, () => {
  const type = Math.floor(types.length * random());
  const depth = 0.5 + random();
  const counts = Array.from({ length: V }, (_, v) =>
    poisson(depth * (Math.floor(v / 40) === type ? 0.8 : 0.05)),
  );
  return { type, counts };
});

const folder = await mkdtemp(join(tmpdir(), 'pcae-'));
try {
  const path = join(folder, 'cells.mtx');
  await writeFile(path, matrixMarket());
  const rows = await collect(await openSource(path, { values: 'presence' }));
  const model = await fit(rows, { H: 2, ridge: 0.01 });
  const codes = await model.transform(rows);

  const right = cells.filter(({ type }, i) => nearestCentre(codes, i) === type).length;
  console.log(`${n} cells by two numbers each: ${right} lie nearest to the centre of their own type`);

  const picture = map2dFigure({
    title: '600 cells by codes of two numbers',
    points: codes,
    classes: cells.map(({ type }) => type),
    names: types,
    ranks: true,
  });
  if (process.argv[2]) await writeFile(process.argv[2], picture);
  if (right < 0.95 * n) throw new Error('the types of cells were not found');
} finally {
  await rm(folder, { recursive: true });
}

/** The counts above 0, a line for each: cell, gene, count. */
function matrixMarket() {
  const lines = cells.flatMap(({ counts }, i) =>
    counts.flatMap((count, v) => (count > 0 ? [`${i + 1} ${v + 1} ${count}`] : [])),
  );
  return `%%MatrixMarket matrix coordinate integer general\n${n} ${V} ${lines.length}\n${lines.join('\n')}\n`;
}

/** The type whose mean code is nearest to the code of cell i. */
function nearestCentre(codes, i) {
  const distances = types.map((_, type) => {
    const members = [...cells.keys()].filter((j) => cells[j].type === type);
    const mean = (h) => members.reduce((sum, j) => sum + codes[2 * j + h], 0) / members.length;
    return (codes[2 * i] - mean(0)) ** 2 + (codes[2 * i + 1] - mean(1)) ** 2;
  });
  return distances.indexOf(Math.min(...distances));
}

function poisson(rate) {
  let count = 0;
  for (let p = Math.exp(-rate), sum = p, u = random(); u > sum && count < 20; sum += p) p *= rate / ++count;
  return count;
}

/** Numbers from 0 to 1, the same in every run (Park and Miller). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}
