import type { Constant, Graph, Node, Op } from './graph.ts';

/** A matrix, row after row; single numbers are 1 x 1. */
interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float32Array;
}

/** Computes a graph in float32, plainly: to know what a file will do where no runtime is at hand. */
export function runGraph(graph: Graph, inputs: Readonly<Record<string, Matrix>>): Record<string, Matrix> {
  const values = new Map<string, Matrix>(Object.entries(inputs));
  for (const constant of graph.constants) values.set(constant.name, constantMatrix(constant));
  const lastUse = new Map<string, number>();
  graph.nodes.forEach((node, at) => {
    for (const name of node.inputs) lastUse.set(name, at);
  });
  graph.nodes.forEach((node, at) => {
    const operands = node.inputs.map((name) => lookUp(values, name));
    values.set(node.output, compute(node, operands));
    for (const name of node.inputs) if (lastUse.get(name) === at) values.delete(name);
  });
  return Object.fromEntries(graph.outputs.map(({ name }) => [name, lookUp(values, name)]));
}

function constantMatrix({ dims, data }: Constant): Matrix {
  const [rows, columns] = dims.length === 2 ? dims : [1, 1];
  return { rows, columns, data: data instanceof Float32Array ? data : Float32Array.from(data, Number) };
}

function lookUp(values: Map<string, Matrix>, name: string): Matrix {
  const value = values.get(name);
  if (!value) throw new Error(`graph: there is no value called '${name}'`);
  return value;
}

function compute(node: Node, [a, b, c]: Matrix[]): Matrix {
  switch (node.op) {
    case 'Gemm':
      return plusRow(timesTranspose(a, b), c);
    case 'MatMul':
      return times(a, b);
    case 'ReduceMax':
      return reduce(a, Number.NEGATIVE_INFINITY, Math.max);
    case 'ReduceMin':
      return reduce(a, Number.POSITIVE_INFINITY, Math.min);
    case 'ReduceSum':
      return reduce(a, 0, (sum, x) => sum + x);
    case 'ReduceSumSquare':
      return reduce(a, 0, (sum, x) => sum + x * x);
    default:
      return broadcast(ENTRYWISE[node.op], c ? [a, b, c] : b ? [a, b] : [a]);
  }
}

/** What an operation does to entries in the same place. */
const ENTRYWISE: Record<
  Exclude<Op, 'Gemm' | 'MatMul' | `Reduce${string}`>,
  (x: number, y: number, z: number) => number
> = {
  Abs: Math.abs,
  Add: (x, y) => x + y,
  Clip: (x, y, z) => Math.min(Math.max(x, y), z),
  Div: (x, y) => x / y,
  Equal: (x, y) => (x === y ? 1 : 0),
  Identity: (x) => x,
  IsNaN: (x) => (Number.isNaN(x) ? 1 : 0),
  // With two operands, broadcast repeats the first as the third.
  Max: Math.max,
  Min: Math.min,
  Mul: (x, y) => x * y,
  Sigmoid: (x) => 1 / (1 + Math.exp(-x)),
  Sign: Math.sign,
  Sub: (x, y) => x - y,
  Tanh: Math.tanh,
  Where: (x, y, z) => (x ? y : z),
};

/** Entry by entry; a matrix of one row or one column stands for as many as the others have. */
function broadcast(f: (x: number, y: number, z: number) => number, operands: readonly Matrix[]): Matrix {
  const rows = Math.max(...operands.map((matrix) => matrix.rows));
  const columns = Math.max(...operands.map((matrix) => matrix.columns));
  const [x, y = x, z = x] = operands;
  const data = new Float32Array(rows * columns);
  const step = (matrix: Matrix) => (matrix.columns === 1 ? 0 : 1);
  const [dx, dy, dz] = [step(x), step(y), step(z)];
  const first = (matrix: Matrix, i: number) => (matrix.rows === 1 ? 0 : i * matrix.columns);
  for (let i = 0; i < rows; i++) {
    let [ix, iy, iz] = [first(x, i), first(y, i), first(z, i)];
    for (let j = 0; j < columns; j++, ix += dx, iy += dy, iz += dz) {
      data[i * columns + j] = f(x.data[ix], y.data[iy], z.data[iz]);
    }
  }
  return { rows, columns, data };
}

function reduce(a: Matrix, start: number, f: (sum: number, x: number) => number): Matrix {
  const data = new Float32Array(a.rows);
  for (let i = 0; i < a.rows; i++) {
    let sum = start;
    for (let j = 0; j < a.columns; j++) sum = f(sum, a.data[i * a.columns + j]);
    data[i] = sum;
  }
  return { rows: a.rows, columns: 1, data };
}

function times(a: Matrix, b: Matrix): Matrix {
  const { columns } = b;
  const data = new Float32Array(a.rows * columns);
  for (let i = 0; i < a.rows; i++) {
    const out = data.subarray(i * columns, (i + 1) * columns);
    for (let k = 0; k < a.columns; k++) {
      const x = a.data[i * a.columns + k];
      for (let j = 0; j < columns; j++) out[j] += x * b.data[k * columns + j];
    }
  }
  return { rows: a.rows, columns, data };
}

function timesTranspose(a: Matrix, b: Matrix): Matrix {
  const data = new Float32Array(a.rows * b.rows);
  for (let i = 0; i < a.rows; i++) {
    for (let j = 0; j < b.rows; j++) {
      let sum = 0;
      for (let k = 0; k < a.columns; k++) sum += a.data[i * a.columns + k] * b.data[j * a.columns + k];
      data[i * b.rows + j] = sum;
    }
  }
  return { rows: a.rows, columns: b.rows, data };
}

function plusRow(a: Matrix, row: Matrix | undefined): Matrix {
  return row ? broadcast(ENTRYWISE.Add, [a, row]) : a;
}
