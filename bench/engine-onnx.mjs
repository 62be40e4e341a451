import { stepsPerSecond } from './engine-clock.mjs';

/**
 * The same steps as an ONNX graph, unrolled (a Loop is several times slower there): MatMul, Tanh, Sub,
 * MatMul, Clip. The graph is written by hand in the protobuf encoding of onnx.proto; fields that are not
 * needed are left out.
 */
export async function onnxContestants(steps, threadCounts) {
  const found = [];
  for (const [name, label] of [
    ['onnxruntime-web', 'onnxruntime-web'],
    ['onnxruntime-node', 'onnxruntime-node'],
  ]) {
    let ort;
    try {
      ort = await import(name);
    } catch {
      console.log(`${label}: skipped, it is not installed`);
      continue;
    }
    // onnxruntime-web takes its number of threads once, for the whole process.
    const most = Math.max(...threadCounts);
    const counts = name === 'onnxruntime-web' ? [most] : threadCounts;
    if (name === 'onnxruntime-web') ort.env.wasm.numThreads = most;
    for (const threads of counts) found.push(contestant(ort, label, threads, steps));
  }
  return found;
}

function contestant(ort, label, threads, steps) {
  const problems = new Map();
  return {
    name: `${label}, ${threads} thread${threads > 1 ? 's' : ''}`,
    async measure(task) {
      const { V, H, n, side } = task;
      const key = `${V},${H},${n},${side}`;
      const [K, columns] = side === 'encode' ? [V, n] : [n, V];
      if (!problems.has(key)) problems.set(key, await makeProblem(ort, threads, steps, K, H, columns));
      const { session, feeds } = problems.get(key);
      return stepsPerSecond(task, steps, () => session.run(feeds));
    },
  };
}

async function makeProblem(ort, threads, steps, K, H, columns) {
  const model = stepsGraph(steps, K, H, columns);
  const session = await ort.InferenceSession.create(model, { intraOpNumThreads: threads });
  const random = (length) => Float32Array.from({ length }, () => Math.random() - 0.5);
  const tensor = (data, dims) => new ort.Tensor('float32', data, dims);
  const A = random(K * H);
  const At = new Float32Array(H * K);
  for (let k = 0; k < K; k++) for (let h = 0; h < H; h++) At[h * K + k] = A[k * H + h];
  const X = Float32Array.from({ length: K * columns }, () => (Math.random() < 0.5 ? -1 : 1));
  return {
    session,
    feeds: {
      A: tensor(A, [K, H]),
      At: tensor(At, [H, K]),
      X: tensor(X, [K, columns]),
      Z0: tensor(random(H * columns), [H, columns]),
      half: tensor(Float32Array.of(0.5), []),
      rate: tensor(Float32Array.of(0.01), []),
      low: tensor(Float32Array.of(-1), []),
      high: tensor(Float32Array.of(1), []),
    },
  };
}

function stepsGraph(steps, K, H, columns) {
  const nodes = [];
  for (let s = 0; s < steps; s++) {
    nodes.push(node('MatMul', ['A', `Z${s}`], `M${s}`));
    nodes.push(node('Mul', [`M${s}`, 'half'], `N${s}`));
    nodes.push(node('Tanh', [`N${s}`], `T${s}`));
    nodes.push(node('Sub', [`T${s}`, 'X'], `R${s}`));
    nodes.push(node('MatMul', ['At', `R${s}`], `G${s}`));
    nodes.push(node('Mul', [`G${s}`, 'rate'], `S${s}`));
    nodes.push(node('Sub', [`Z${s}`, `S${s}`], `Y${s}`));
    nodes.push(node('Clip', [`Y${s}`, 'low', 'high'], `Z${s + 1}`));
  }
  const inputs = [
    value('A', [K, H]),
    value('At', [H, K]),
    value('X', [K, columns]),
    value('Z0', [H, columns]),
    ...['half', 'rate', 'low', 'high'].map((name) => value(name, [])),
  ];
  const output = value(`Z${steps}`, [H, columns]);
  const graph = [
    ...nodes.map((bytes) => field(1, bytes)),
    field(2, text('steps')),
    ...inputs.map((bytes) => field(11, bytes)),
    field(12, output),
  ].flat();
  const opset = [...field(1, text('')), ...number(2, 17)];
  return Uint8Array.from([...number(1, 8), ...field(7, graph), ...field(8, opset)]);
}

/** NodeProto: input 1, output 2, op_type 4. */
function node(type, inputs, output) {
  return [
    ...inputs.flatMap((name) => field(1, text(name))),
    ...field(2, text(output)),
    ...field(4, text(type)),
  ];
}

/**
 * ValueInfoProto: name 1, type 2 { tensor_type 1 { elem_type 1 = float, shape 2 { dim 1 { dim_value 1 } } }
 * }.
 */
function value(name, dims) {
  const shape = dims.flatMap((size) => field(1, number(1, size)));
  const tensor = [...number(1, 1), ...field(2, shape)];
  return [...field(1, text(name)), ...field(2, field(1, tensor))];
}

function text(string) {
  return [...new TextEncoder().encode(string)];
}

/** A length-delimited field. */
function field(index, bytes) {
  return [...varint((index << 3) | 2), ...varint(bytes.length), ...bytes];
}

function number(index, size) {
  return [...varint(index << 3), ...varint(size)];
}

function varint(size) {
  const bytes = [];
  for (; size > 127; size = Math.floor(size / 128)) bytes.push((size % 128) | 128);
  bytes.push(size);
  return bytes;
}
