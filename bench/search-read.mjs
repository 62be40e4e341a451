/**
 * Reading memory once, as fast as WebAssembly can: 64 bytes a step into four vectors, on a number of threads
 * that each read their share. The yardstick of bench/search.mjs.
 */
import { Worker } from 'node:worker_threads';
import asc from 'assemblyscript/asc';

const SOURCE = `
export function read(at: usize, end: usize): i64 {
  let a = i64x2.splat(0);
  let b = a;
  let c = a;
  let d = a;
  for (; at < end; at += 64) {
    a = v128.xor(a, v128.load(at));
    b = v128.xor(b, v128.load(at, 16));
    c = v128.xor(c, v128.load(at, 32));
    d = v128.xor(d, v128.load(at, 48));
  }
  a = v128.xor(v128.xor(a, b), v128.xor(c, d));
  return i64x2.extract_lane(a, 0) ^ i64x2.extract_lane(a, 1);
}`;

const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { module, memory, at, end } = workerData;
  const { read } = new WebAssembly.Instance(module, { env: { memory } }).exports;
  parentPort.on('message', () => parentPort.postMessage(read(at, end)));
  parentPort.postMessage(0);`;

/** `once()` reads so many bytes once. */
export async function openReading(bytes, threads) {
  const module = await compile();
  const pages = Math.ceil(bytes / 65536) + 1;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  new Uint8Array(memory.buffer).fill(1);
  const share = Math.ceil(bytes / threads / 64) * 64;
  const parts = Array.from({ length: threads }, (_, t) => ({
    at: t * share,
    end: Math.min(bytes, (t + 1) * share),
  }));
  const { read } = new WebAssembly.Instance(module, { env: { memory } }).exports;
  const workers = parts
    .slice(1)
    .map((part) => new Worker(PROGRAM, { eval: true, workerData: { module, memory, ...part } }));
  const answer = (worker) => new Promise((resolve) => worker.once('message', resolve));
  await Promise.all(workers.map(answer));
  return {
    async once() {
      const others = workers.map((worker) => {
        worker.postMessage(0);
        return answer(worker);
      });
      read(parts[0].at, parts[0].end);
      await Promise.all(others);
    },
    close: () => Promise.all(workers.map((worker) => worker.terminate())),
  };
}

async function compile() {
  let binary;
  const flags = '--runtime stub -O3 --noAssert --importMemory --sharedMemory --initialMemory 1';
  const more = '--maximumMemory 65536 --enable threads --enable simd --outFile read.wasm';
  const { error, stderr } = await asc.main(['read.ts', ...flags.split(' '), ...more.split(' ')], {
    readFile: (name) => (name === 'read.ts' ? SOURCE : null),
    writeFile: (_, contents) => {
      binary = contents;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(`the reader does not compile: ${error.message}\n${stderr}`);
  return WebAssembly.compile(binary);
}
