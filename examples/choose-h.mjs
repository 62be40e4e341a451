// How many units? Grow a model and watch the loss of entries that it never saw.
import { writeFile } from 'node:fs/promises';
import { pathH } from 'pc-ae';
import { hSweepFigure } from 'pc-ae/figures';

const [n, V] = [400, 40];
// Five switches decide groups of eight bits, and one bit in ten is noise: five units are all there is to
// find.
const chance = random(1);
const switches = Uint8Array.from({ length: 5 * n }, () => (chance() < 0.5 ? 1 : 0));
const data = Uint8Array.from({ length: n * V }, (_, k) => {
  const on = switches[5 * Math.floor(k / V) + Math.floor((k % V) / 8)];
  return chance() < 0.1 ? 1 - on : on;
});

const { steps, best } = await pathH({ data, n, V }, { Hs: [1, 2, 4, 6, 10, 16], epochs: 40 });
for (const { H, trainingLoss, entryLoss, heldOutLoss } of steps) {
  console.log(
    `H ${H}: training ${trainingLoss.toFixed(2)}, new rows ${heldOutLoss.toFixed(2)}, a hidden entry ${entryLoss.toFixed(3)}`,
  );
}
console.log(`best on hidden entries: H ${best.H}`);
const curve = (label, loss) => ({ label, H: steps.map(({ H }) => H), loss });
const picture = hSweepFigure({
  title: 'Five switches behind 40 bits: how many units?',
  series: [
    curve(
      'training rows',
      steps.map(({ trainingLoss }) => trainingLoss),
    ),
    curve(
      'new rows',
      steps.map(({ heldOutLoss }) => heldOutLoss),
    ),
  ],
  entries: [
    curve(
      'hidden entries',
      steps.map(({ entryLoss }) => entryLoss),
    ),
  ],
});
if (process.argv[2]) await writeFile(process.argv[2], picture);
if (!(best.H >= 4 && best.H <= 10)) throw new Error('the five switches were not found');
if (steps.some(({ trainingLoss }, k) => k > 0 && trainingLoss > steps[k - 1].trainingLoss))
  throw new Error('units were added at a loss');

/** Numbers between 0 and 1, from the high bits of a linear congruential generator. */
function random(state) {
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
