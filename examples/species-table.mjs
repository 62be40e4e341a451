// A table of presences with gaps: what the units stand for, and the gaps filled in.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { map2dFigure } from 'pc-ae/figures';
import { fit, openSource } from 'pc-ae/node';
import { collect, entry } from 'pc-ae/rows';

const habitats = {
  bog: ['sundew', 'cranberry', 'cottongrass', 'bogbean'],
  forest: ['bluebell', 'woodruff', 'fern', 'anemone'],
  dune: ['marram', 'sea holly', 'sea rocket', 'sandwort'],
};
const species = Object.values(habitats).flat();
const [n, V, H] = [600, species.length, 2];
const random = randomNumbers(11);
const sites = Array.from({ length: n }, makeSite);

const folder = await mkdtemp(join(tmpdir(), 'pcae-'));
try {
  // As a spreadsheet gives it: a name for each row and column, 0 and 1, and cells that nobody looked at left
  // empty.
  const path = join(folder, 'sites.csv');
  const lines = sites.map(({ name, cells }) =>
    [name, ...cells.map(({ x, seen }) => (seen ? x : ''))].join(','),
  );
  await writeFile(path, `${['site', ...species].join(',')}\n${lines.join('\n')}\n`);

  const source = await openSource(path);
  const model = await fit(source, { H, epochs: 60, ridge: 0.01 });
  for (let h = 0; h < H; h++) {
    console.log(`unit ${h + 1}: + ${strongest(model, h, 1)}   - ${strongest(model, h, -1)}`);
  }

  const filled = await model.reconstruct(await collect(source));
  const known = await collect(source);
  let [gaps, right, common] = [0, 0, 0];
  const mostly = species.map((_, v) => sites.filter((site) => site.cells[v].x).length > n / 2);
  sites.forEach(({ cells }, i) => {
    cells.forEach(({ x }, v) => {
      if (!Number.isNaN(entry(known, i, v))) return;
      gaps++;
      if (filled[i * V + v] > 0 === (x === 1)) right++;
      if (mostly[v] === (x === 1)) common++;
    });
  });
  const percent = (count) => `${((100 * count) / gaps).toFixed(1)} %`;
  console.log(
    `${gaps} empty cells: ${percent(right)} filled in correctly, ${percent(common)} by the more common value`,
  );
  const picture = map2dFigure({
    title: '600 sites by codes of two numbers',
    points: await model.transform(known),
    classes: sites.map(({ home }) => home),
    names: Object.keys(habitats),
    ranks: true,
  });
  if (process.argv[2]) await writeFile(process.argv[2], picture);
  if (!(right > common && right > 0.85 * gaps)) throw new Error('the habitats were not found');
} finally {
  await rm(folder, { recursive: true });
}

/** The four columns with the largest weights of a unit, in one direction. */
function strongest({ W, columns }, h, sign) {
  const order = [...columns.keys()].sort((a, b) => sign * (W[b * (H + 1) + h] - W[a * (H + 1) + h]));
  return order
    .slice(0, 4)
    .map((v) => columns[v])
    .join(', ');
}

/** A site in one or two habitats: their species are there nine times in ten; one cell in eight is unknown. */
function makeSite(_, i) {
  const names = Object.keys(habitats);
  const main = names[Math.floor(3 * random())];
  const second = random() < 0.3 ? names[Math.floor(3 * random())] : main;
  const cells = species.map((one) => {
    const home = habitats[main].includes(one) || habitats[second].includes(one);
    return { x: random() < (home ? 0.9 : 0.06) ? 1 : 0, seen: random() > 0.125 };
  });
  return { name: `site${i + 1}`, cells, home: names.indexOf(main) };
}

/** Numbers from 0 to 1, the same in every run (Park and Miller). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}
