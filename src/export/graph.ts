/**
 * A small computation as a list of operations, in the order in which they are done. Operations have the names
 * and the meaning that ONNX (operator set 13) gives them; `writeOnnx` makes a file of a graph, `runGraph`
 * computes it.
 */
export interface Graph {
  readonly name: string;
  readonly about: string;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly constants: readonly Constant[];
  readonly nodes: readonly Node[];
}

/** A matrix that comes in or goes out: as many rows as there are, `columns` wide. */
export interface Port {
  readonly name: string;
  readonly columns: number;
  readonly about: string;
}

export interface Constant {
  readonly name: string;
  readonly dims: readonly number[];
  /** Numbers are float32, and counts and axes int64, as ONNX has it. */
  readonly data: Float32Array | BigInt64Array;
}

export interface Node {
  readonly op: Op;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes: Readonly<Record<string, number | readonly number[]>>;
}

export type Op =
  | 'Abs'
  | 'Add'
  | 'Clip'
  | 'Div'
  | 'Equal'
  | 'Gemm'
  | 'Identity'
  | 'IsNaN'
  | 'MatMul'
  | 'Max'
  | 'Min'
  | 'Mul'
  | 'ReduceMax'
  | 'ReduceMin'
  | 'ReduceSum'
  | 'ReduceSumSquare'
  | 'Sigmoid'
  | 'Sign'
  | 'Sub'
  | 'Tanh'
  | 'Where';

/** Puts a graph together. Every method gives the name under which its result goes on. */
export class GraphBuilder {
  readonly #constants: Constant[] = [];
  readonly #numbers = new Map<number, string>();
  readonly #nodes: Node[] = [];
  #axes = '';

  matrix(name: string, rows: number, columns: number, data: Float32Array): string {
    this.#constants.push({ name, dims: [rows, columns], data });
    return name;
  }

  /** A single number. */
  number(value: number): string {
    let name = this.#numbers.get(value);
    if (name === undefined) {
      name = `number${this.#numbers.size}`;
      this.#constants.push({ name, dims: [], data: Float32Array.of(value) });
      this.#numbers.set(value, name);
    }
    return name;
  }

  apply(op: Op, inputs: readonly string[], attributes: Node['attributes'] = {}): string {
    const output = `t${this.#nodes.length}`;
    this.#nodes.push({ op, inputs, output, attributes });
    return output;
  }

  /** A B^T for a constant B, plus a row that is added to every row where there is one. */
  timesTranspose(A: string, B: string, row?: string): string {
    return this.apply('Gemm', row === undefined ? [A, B] : [A, B, row], { transB: 1 });
  }

  /** One number a row, n x 1. (In this operator set ReduceSum alone takes its axes as an input.) */
  reduce(op: 'ReduceMax' | 'ReduceMin' | 'ReduceSum' | 'ReduceSumSquare', A: string): string {
    if (op !== 'ReduceSum') return this.apply(op, [A], { axes: [1] });
    if (this.#axes === '') {
      this.#axes = 'axes';
      this.#constants.push({ name: this.#axes, dims: [1], data: BigInt64Array.of(1n) });
    }
    return this.apply(op, [A, this.#axes]);
  }

  /** A . B of every row, n x 1. */
  dot(A: string, B: string): string {
    return this.reduce('ReduceSum', this.apply('Mul', [A, B]));
  }

  clip(A: string, least: number, most: number): string {
    return this.apply('Clip', [A, this.number(least), this.number(most)]);
  }

  /** The finished graph; `results` says which results go out under which names. */
  finish(
    about: Pick<Graph, 'name' | 'about' | 'inputs' | 'outputs'>,
    results: Readonly<Record<string, string>>,
  ): Graph {
    const named = Object.entries(results).map(
      ([output, result]): Node => ({ op: 'Identity', inputs: [result], output, attributes: {} }),
    );
    return { ...about, constants: this.#constants, nodes: [...this.#nodes, ...named] };
  }
}
