// A stack of two layers beside one layer with codes of the same size.
import { writeFile } from 'node:fs/promises';
import { digits, fit, fitStack, load } from 'pc-ae';
import { reconstructionFigure } from 'pc-ae/figures';

const { train, test } = digits({ train: 400, test: 80 });

const stack = await fitStack(train, { layers: [24, 8], epochs: 12, rounds: 12 });
const { history } = stack.training;
console.log(
  `loss from the topmost codes: ${history[0].loss.toFixed(1)} nats at first, ${stack.training.loss.toFixed(1)} in the end`,
);

const copy = load(stack.save());
const deep = await copy.loss(test);
const one = await fit(train, { H: 8, epochs: 12 });
console.log(
  `new pictures: ${deep.toFixed(1)} nats with the stack, ${(await one.loss(test)).toFixed(1)} with one layer`,
);
if (!(stack.training.loss < history[0].loss)) throw new Error('the passes should bring the layers together');

const picture = reconstructionFigure({
  title: 'Eight numbers per picture: a stack and one layer',
  rows: [
    { label: 'originals', values: Array.from(test.images, (grey) => grey / 127.5 - 1) },
    { label: 'stack', values: await copy.decode((await copy.encode(test)).codes) },
    { label: 'one layer', values: await one.reconstruct(test) },
  ],
  V: 784,
  image: { height: 28, width: 28 },
  show: 10,
});
if (process.argv[2]) await writeFile(process.argv[2], picture);
