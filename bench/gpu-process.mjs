// Learning in a new process, for bench/gpu.mjs: node bench/gpu-process.mjs DIR H. Seconds count from the
// start of the process, reading of files included.
import { fit } from 'pc-ae';
import { createGpuEngine } from 'pc-ae/node';
import { sliceRows } from 'pc-ae/rows';
import { loadData } from './data.mjs';

const [folder, H] = process.argv.slice(2);
const small = process.env.SMALL === '1';
const data = await loadData(folder, 'mnist');
const train = small ? sliceRows(data.train, 0, 200) : data.train;
const read = performance.now() / 1000;
const engine = await createGpuEngine();
const ready = performance.now() / 1000;
const model = await fit(train, { H: Number(H), engine, ...(small && { epochs: 6 }) });
const learned = performance.now() / 1000;
console.log(JSON.stringify({ read, ready, learned, loss: model.training.loss }));
process.exit(0);
