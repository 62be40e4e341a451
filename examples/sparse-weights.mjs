// Correlations trusted to within eps: sparse weights, and a promise that holds when the data drift.
import { writeFile } from 'node:fs/promises';
import { sparsityFigure } from 'pc-ae/figures';
import { digits, fit, l1Path, load } from 'pc-ae/node';

const rows = bitsOf(digits({ train: 600, test: 1 }).train);

// From dense to sparse, each model starts from the one before; losses are of held-out rows.
const steps = await l1Path(rows, { H: 8, epochs: 16, l1s: [0, 0.003, 0.03], heldOut: 0.2 });
console.log('   eps   loss  zeros  worst case under a drift of 0.03');
for (const { l1, heldOutLoss, zeros, model } of steps) {
  const cells = [
    l1,
    heldOutLoss.toFixed(1),
    `${(100 * zeros).toFixed(0)}%`,
    model.guarantee(0.03).bound.toFixed(1),
  ];
  console.log(cells.map((cell) => String(cell).padStart(6)).join(' '));
}
const [dense, , sparse] = steps.map(({ model }) => model);
if (!(steps[2].zeros > 0.4)) throw new Error('the weights are not sparse');
if (!(sparse.guarantee(0.03).bound < dense.guarantee(0.03).bound))
  throw new Error('the promise did not improve');

// Zeros are not stored. The weights are proven to be the best for their codes, the penalty counted in.
const bytes = sparse.save();
console.log(`the file of the sparse model: ${bytes.length} bytes, of the dense one: ${dense.save().length}`);
if (load(bytes).W.some((w, k) => w !== sparse.W[k])) throw new Error('a weight was lost');
console.log(
  `for its codes, no other weights are better by more than ${sparse.training.weightGap.toFixed(3)} nats`,
);

// eps for each bit: here the upper half of the pictures is trusted less.
const l1 = Float32Array.from({ length: rows.V }, (_, v) => (v < rows.V / 2 ? 0.05 : 0.002));
const uneven = await fit(rows, { H: 8, epochs: 16, l1 });
const zerosOf = (from, to) => uneven.W.subarray(from, to).filter((w) => w === 0).length / (to - from);
const middle = uneven.W.length / 2;
const halves = [zerosOf(0, middle), zerosOf(middle, 2 * middle)];
const [above, below] = halves.map((share) => `${(100 * share).toFixed(0)}%`);
console.log(`weights that are zero: ${above} in the upper half of the pictures, ${below} in the lower`);
if (!(halves[0] > halves[1])) throw new Error('eps_v made no difference');

const picture = sparsityFigure({
  title: 'Weights that are exactly zero, by how far correlations are trusted',
  series: steps.map(({ l1, model }) => ({ label: `eps ${l1}`, W: model.W })),
});
if (process.argv[2]) await writeFile(process.argv[2], picture);

/** Every second pixel of every second line, as bits. */
function bitsOf({ n, images }) {
  const data = Uint8Array.from({ length: n * 196 }, (_, k) => {
    const [i, v] = [Math.floor(k / 196), k % 196];
    return Number(images[i * 784 + Math.floor(v / 14) * 56 + (v % 14) * 2] > 127);
  });
  return { data, n, V: 196 };
}
