// node bench/census-data.mjs FILE.csv [SEED [ROWS]] : writes a table as a census has them, one column per
// answer.
//
// 16 questions with 4 to 9 answers, of which a person gives one, and 11 questions with yes or no: 111
// columns, 12,758 rows unless told otherwise. People have six traits. What they answer depends on their
// traits and, for every second question, sometimes on their answer to the one before. 1.5% of the questions
// are left blank, with all their columns.
//
// The strengths were set by what base rates, the nearest rows, a regression per column and codes alone make
// of such a table (docs/notes/hidden-entries.md), and by nothing else.
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const ANSWERS = [4, 9, 6, 5, 8, 6, 7, 5, 4, 9, 7, 6, 5, 8, 6, 5];
const YES_OR_NO = 11;
const TRAITS = 6;
const BLANK = 0.015;

/**
 * How uneven answers are, how much traits say, how much they say of yes and no, and how often an answer
 * follows another.
 */
export const STRENGTHS = { uneven: 1.35, traits: 2.1, yes: 1, follows: 0.2 };

/** The lines of the table: for each person 1, 0 or nothing for each column. */
export function census({ n = 12_758, seed = 1, strengths = STRENGTHS } = {}) {
  const random = randomNumbers(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const normals = (count, size) => Float64Array.from({ length: count }, () => size * normal());
  const { uneven, traits, yes, follows } = strengths;
  const questions = [...ANSWERS, ...Array(YES_OR_NO).fill(1)].map((count, q) => ({
    count,
    base: normals(count, uneven),
    weights: Array.from({ length: count }, () =>
      normals(TRAITS, (count > 1 ? traits : yes) / Math.sqrt(TRAITS)),
    ),
    // The answer that goes with each answer to the question before.
    follows:
      count > 1 && q % 2 === 1
        ? Array.from({ length: ANSWERS[q - 1] }, () => Math.floor(count * random()))
        : [],
  }));
  const lines = [];
  for (let i = 0; i < n; i++) {
    const person = normals(TRAITS, 1);
    const cells = [];
    let before = 0;
    for (const { count, base, weights, follows: goesWith } of questions) {
      const scores = base.map((b, a) => weights[a].reduce((sum, w, t) => sum + w * person[t], b));
      let given;
      if (count === 1) given = random() * (1 + Math.exp(-scores[0])) < 1 ? 0 : -1;
      else if (goesWith.length > 0 && random() < follows) given = goesWith[before];
      else given = drawn(scores, random());
      const blank = random() < BLANK;
      for (let a = 0; a < count; a++) cells.push(blank ? '' : given === a ? 1 : 0);
      before = given;
    }
    lines.push(cells.join(','));
  }
  return lines;
}

/** An answer with probability proportional to exp(score). */
function drawn(scores, u) {
  const sizes = scores.map(Math.exp);
  let left = u * sizes.reduce((sum, size) => sum + size, 0);
  for (let a = 0; a < sizes.length - 1; a++) {
    left -= sizes[a];
    if (left < 0) return a;
  }
  return sizes.length - 1;
}

function randomNumbers(seed) {
  let state = 12345 + 7919 * seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [file, seed, n] = process.argv.slice(2);
  const names = [
    ...ANSWERS.flatMap((count, q) => Array.from({ length: count }, (_, a) => `q${q + 1}.${a + 1}`)),
    ...Array.from({ length: YES_OR_NO }, (_, q) => `yes${q + 1}`),
  ];
  const lines = census({ seed: Number(seed ?? 1), n: n === undefined ? undefined : Number(n) });
  writeFileSync(file, `${names.join(',')}\n${lines.join('\n')}\n`);
}
