// Genotypes of three populations, as PLINK writes them: two numbers per person make a map, and calls that are
// missing are filled in.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { map2dFigure } from 'pc-ae/figures';
import { fit, impute, openSource } from 'pc-ae/node';
import { collect, entry } from 'pc-ae/rows';

const [n, V] = [400, 250];
const random = randomNumbers(29);
const common = Array.from({ length: V }, () => 0.05 + 0.4 * random());
const populations = [0, 1, 2].map(() =>
  common.map((share) => Math.min(0.95, Math.max(0.01, share + 0.5 * (random() - 0.5)))),
);
const people = Array.from({ length: n }, () => {
  const home = Math.floor(3 * random());
  const draw = (v) => Number(random() < populations[home][v]);
  return { home, copies: common.map((_, v) => draw(v) + draw(v)), called: common.map(() => random() > 0.02) };
});

const folder = await mkdtemp(join(tmpdir(), 'pcae-'));
try {
  await writeBed(join(folder, 'cohort'));
  const rows = await collect(await openSource(join(folder, 'cohort.bed'), { genotypes: 'dominant' }));
  const model = await fit(rows, { H: 2, ridge: 0.03 });
  const codes = await model.transform(rows);

  // The person with the nearest code, of everybody else, is nearly always of the same population.
  const same = people.filter(({ home }, i) => people[nearest(codes, i)].home === home).length;
  console.log(
    `two numbers per person: for ${same} of ${n}, the person with the nearest code is of the same population`,
  );

  const filled = await impute(model, rows);
  let [gaps, right, usual] = [0, 0, 0];
  people.forEach(({ copies, called }, i) => {
    copies.forEach((count, v) => {
      if (called[v]) return;
      const truth = count > 0;
      gaps++;
      if (entry(filled, i, v) > 0 === truth) right++;
      if (people.filter((one) => one.copies[v] > 0).length > n / 2 === truth) usual++;
    });
  });
  console.log(
    `${gaps} missing calls: ${right} are filled in correctly; the more common value is right for ${usual}`,
  );

  const picture = map2dFigure({
    title: '400 people by codes of two numbers',
    points: codes,
    classes: people.map(({ home }) => home),
    names: ['population 1', 'population 2', 'population 3'],
    ranks: true,
  });
  if (process.argv[2]) await writeFile(process.argv[2], picture);
  if (!(same > 0.9 * n && right > usual)) throw new Error('the populations were not found');
} finally {
  await rm(folder, { recursive: true });
}

/**
 * PLINK's three files: two bits per genotype, variant by variant, with the people in .fam and the variants in
 * .bim.
 */
async function writeBed(path) {
  const stride = Math.ceil(n / 4);
  const bed = new Uint8Array(3 + V * stride);
  bed.set([0x6c, 0x1b, 1]);
  people.forEach(({ copies, called }, i) => {
    copies.forEach((count, v) => {
      bed[3 + v * stride + (i >> 2)] |= (called[v] ? [3, 2, 0][count] : 1) << (2 * (i & 3));
    });
  });
  await writeFile(`${path}.bed`, bed);
  const fam = people.map(({ home }, i) => `POP${home + 1} person${i + 1} 0 0 ${1 + (i % 2)} -9\n`);
  await writeFile(`${path}.fam`, fam.join(''));
  const bim = common.map((_, v) => `${1 + (v % 22)}\trs${1000 + v}\t0\t${10_000 * (v + 1)}\tA\tG\n`);
  await writeFile(`${path}.bim`, bim.join(''));
}

function nearest(codes, i) {
  let [best, least] = [-1, Number.POSITIVE_INFINITY];
  for (let j = 0; j < n; j++) {
    const distance = (codes[2 * i] - codes[2 * j]) ** 2 + (codes[2 * i + 1] - codes[2 * j + 1]) ** 2;
    if (j !== i && distance < least) [best, least] = [j, distance];
  }
  return best;
}

/** Numbers from 0 to 1, the same in every run (Park and Miller). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}
