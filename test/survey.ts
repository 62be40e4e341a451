import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { asRows } from '../src/rows/input.ts';
import type { Rows } from '../src/rows/rows.ts';

/**
 * A survey of single-choice questions, one column per answer: people of two kinds answer each question by
 * their kind, and every second question mostly follows the one before. Codes see the kinds; only neighbours
 * see which answers exclude or entail each other.
 */
export function surveyRows(n: number, seed: number, questions = 6, answers = 4): Rows {
  const stream = xoroshiro128plus(seed);
  const random = () => uniformFloat64(stream);
  const V = questions * answers;
  const data = new Uint8Array(n * V);
  for (let i = 0; i < n; i++) {
    const kind = random() < 0.5 ? 0 : 1;
    let before = 0;
    for (let q = 0; q < questions; q++) {
      const own = Math.min(answers - 1, Math.floor(answers * random() ** (kind ? 0.6 : 1.6)));
      const answer: number = q % 2 === 1 && random() < 0.7 ? (before + q) % answers : own;
      data[i * V + q * answers + answer] = 1;
      before = answer;
    }
  }
  return asRows({ data, n, V });
}
