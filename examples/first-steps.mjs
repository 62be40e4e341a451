// Ten lines from bits to codes: learn, encode with a certificate, decode, and ask for the guarantee.
import { writeFile } from 'node:fs/promises';
import { fit } from 'pc-ae';
import { reconstructionFigure } from 'pc-ae/figures';

const [n, V] = [500, 24];
// Rows with structure: three random switches decide groups of eight bits, and one bit in twenty is noise.
const data = Uint8Array.from({ length: n * V }, (_, k) => {
  const [row, group] = [Math.floor(k / V), Math.floor((k % V) / 8)];
  const on = (row >> group) & 1;
  return (row * 31 + k * 17) % 20 === 0 ? 1 - on : on;
});

const model = await fit({ data, n, V }, { H: 3, epochs: 40 });
const { codes, losses, gaps } = await model.encode({ data, n, V });
const reconstructions = await model.decode(codes);

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
console.log(`loss ${mean(losses).toFixed(3)} nats per row, worst case ${model.guarantee().bound.toFixed(3)}`);
console.log(`every code proven optimal to within ${Math.max(...gaps).toExponential(1)} nats`);
if (!(mean(losses) < 0.5 * V * Math.LN2)) throw new Error('the structure was not found');
if (reconstructions.length !== n * V) throw new Error('decode gave the wrong shape');

const picture = reconstructionFigure({
  title: '24 bits per row, from codes of 3 numbers',
  rows: [
    { label: 'rows', values: Array.from(data, (bit) => 2 * bit - 1) },
    { label: 'decoded', values: reconstructions },
  ],
  V,
  show: 10,
});
if (process.argv[2]) await writeFile(process.argv[2], picture);
