import { type OpenDevice, usage } from './device.ts';
import { declareParams, type Fields, PARAMS_BYTES, type Values, writeParams } from './params.ts';
import { type Buffer, COMPUTE, type Device, type Encoder, type Pass, READ } from './webgpu.ts';

/** A program for the device: WGSL made when it is first needed, and known by its key from then on. */
export interface Kernel<F extends Fields, B extends Buffers> {
  readonly key: string;
  readonly fields: F;
  /** The buffers that it reads, or reads and writes, in the order of their bindings. */
  readonly buffers: B;
  code(): string;
}

export type Buffers = Readonly<Record<string, `${'read' | 'write'} ${'f32' | 'u32' | 'i32' | 'vec4f'}`>>;

/** A buffer on the device, with a number to know it by. */
export interface Slab {
  readonly id: number;
  readonly buffer: Buffer;
  readonly bytes: number;
}

/** What takes work for the device. */
export type Dispatching = Pick<Dispatcher, keyof Dispatcher>;

/**
 * Sends work to the device, in the order of the calls. A submission costs far more than a dispatch, so
 * commands are gathered: reads and writes send them, and so does enough work.
 *
 * A program takes a second or two to compile, and several are compiled side by side. A command whose program
 * is not ready waits, and so do all commands after it; the caller goes on until it reads.
 */
export class Dispatcher {
  readonly open: OpenDevice;
  readonly #pipelines = new Map<string, Program>();
  readonly #groups = new Map<string, object>();
  readonly #params: Slab;
  readonly #staged = new DataView(new ArrayBuffer(SLOTS * PARAMS_BYTES));
  readonly #readers = new Map<number, Buffer[]>();
  /** Commands that wait for a program, or for an earlier command. */
  readonly #waiting: Command[] = [];
  #slots = 0;
  #work = 0;
  #encoder?: Encoder;
  #pass?: Pass;
  #ids = 0;
  readonly #paramsLayout: object;
  readonly #paramsGroup: object;

  constructor(open: OpenDevice) {
    this.open = open;
    this.#params = this.slab(SLOTS * PARAMS_BYTES, 'parameters', usage.UNIFORM);
    const { device } = open;
    this.#paramsLayout = device.createBindGroupLayout({
      entries: [{ binding: 0, visibility: COMPUTE, buffer: { type: 'uniform', hasDynamicOffset: true } }],
    });
    this.#paramsGroup = device.createBindGroup({
      layout: this.#paramsLayout,
      entries: [{ binding: 0, resource: { buffer: this.#params.buffer, size: PARAMS_BYTES } }],
    });
  }

  /** A buffer of zeros. */
  slab(bytes: number, what: string, kind: number = usage.STORAGE): Slab {
    this.open.check();
    const size = Math.max(16, Math.ceil(bytes / 16) * 16);
    // Programs bind whole buffers.
    const { maxBufferSize, maxStorageBufferBindingSize } = this.open.limits;
    const most = Math.min(maxBufferSize, maxStorageBufferBindingSize);
    if (size > most) {
      throw new RangeError(
        `engine: ${what} take ${size} bytes; gpu (${this.open.name}) holds at most ${most} in one piece. ` +
          "Work on fewer rows at a time (codes: 'recompute'; --low-memory), or on engine 'wasm'",
      );
    }
    const buffer = this.open.device.createBuffer({
      size,
      usage: kind | usage.COPY_SRC | usage.COPY_DST,
      label: what,
    });
    return { id: ++this.#ids, buffer, bytes: size };
  }

  /** Has a program compiled that will be needed. */
  prepare(kernel: Kernel<Fields, Buffers>): void {
    this.open.check();
    this.#program(kernel);
  }

  /** Runs a kernel. `work` is about how many operations it takes. */
  run<F extends Fields, B extends Buffers>(
    kernel: Kernel<F, B>,
    groups: number | readonly [number, number],
    bound: { readonly [Name in keyof B]: Slab },
    values: Values<F>,
    work = 0,
  ): void {
    this.open.check();
    const [x, y] = typeof groups === 'number' ? [groups, 1] : groups;
    if (x === 0 || y === 0) return;
    const program = this.#program(kernel);
    const slabs = Object.keys(kernel.buffers).map((name) => bound[name]);
    this.#inOrder(() => {
      if (this.#slots === SLOTS) this.#send();
      const slot = this.#slots++;
      writeParams(this.#staged, slot * PARAMS_BYTES, kernel.fields, values);
      this.#pass ??= this.#encoding().beginComputePass();
      this.#pass.setPipeline(program.pipeline!);
      this.#pass.setBindGroup(0, this.#group(kernel.key, program.layout, slabs));
      this.#pass.setBindGroup(1, this.#paramsGroup, [slot * PARAMS_BYTES]);
      this.#pass.dispatchWorkgroups(x, y);
      this.#work += work;
      if (this.#work > ENOUGH_WORK) this.#send();
    }, program);
  }

  write(slab: Slab, offset: number, data: ArrayBufferView): void {
    this.open.check();
    const { buffer, byteOffset, byteLength } = data;
    // The caller may change its numbers before their turn comes.
    const kept = this.#waiting.length > 0 && buffer.slice(byteOffset, byteOffset + byteLength);
    this.#inOrder(() => {
      this.#send();
      const { queue } = this.open.device;
      if (kept) queue.writeBuffer(slab.buffer, offset, kept as ArrayBuffer);
      else queue.writeBuffer(slab.buffer, offset, buffer as ArrayBuffer, byteOffset, byteLength);
    });
  }

  copy(from: Slab, fromOffset: number, to: Slab, toOffset: number, bytes: number): void {
    this.#inOrder(() => {
      this.#endPass();
      this.#encoding().copyBufferToBuffer(from.buffer, fromOffset, to.buffer, toOffset, bytes);
    });
  }

  clear(slab: Slab, offset: number, bytes: number): void {
    if (bytes === 0) return;
    this.#inOrder(() => {
      this.#endPass();
      this.#encoding().clearBuffer(slab.buffer, offset, bytes);
    });
  }

  /** Reads bytes, after all commands so far. */
  async read(slab: Slab, offset: number, bytes: number): Promise<ArrayBuffer> {
    this.open.check();
    if (bytes === 0) return new ArrayBuffer(0);
    const { device, limits } = this.open;
    const size = Math.min(2 ** Math.max(12, Math.ceil(Math.log2(bytes))), limits.maxBufferSize);
    const reader = await this.#inTurn(() => {
      const kept = this.#readers.get(size)?.pop();
      const to = kept ?? device.createBuffer({ size, usage: usage.MAP_READ | usage.COPY_DST });
      this.#endPass();
      this.#encoding().copyBufferToBuffer(slab.buffer, offset, to, 0, bytes);
      this.#send();
      return to;
    });
    try {
      await reader.mapAsync(READ, 0, bytes);
    } catch (error) {
      this.open.fail(`a read-back failed: ${(error as Error).message}`);
    }
    this.open.check();
    const copy = reader.getMappedRange(0, bytes).slice(0);
    reader.unmap();
    if (size > LARGE_READ) reader.destroy();
    else this.#readers.set(size, [...(this.#readers.get(size) ?? []), reader]);
    return copy;
  }

  /** Sends what was gathered. */
  flush(): void {
    this.#inOrder(() => this.#send());
  }

  #send(): void {
    this.#endPass();
    if (!this.#encoder) return;
    const commands = this.#encoder.finish();
    this.#encoder = undefined;
    const { queue } = this.open.device;
    if (this.#slots > 0) {
      queue.writeBuffer(
        this.#params.buffer,
        0,
        this.#staged.buffer as ArrayBuffer,
        0,
        this.#slots * PARAMS_BYTES,
      );
    }
    queue.submit([commands]);
    this.#slots = 0;
    this.#work = 0;
  }

  free(slab: Slab): void {
    this.#inOrder(() => {
      // What was gathered may use it.
      this.#send();
      slab.buffer.destroy();
    });
  }

  /** Acts now, or as soon as the program is ready and all earlier commands have acted. */
  #inOrder(act: () => void, program?: Program): void {
    this.#queue({ act, program, awaited: false });
  }

  /** The same with a result; rejects if the device has failed. */
  #inTurn<T>(act: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const told = () => {
        try {
          this.open.check();
          resolve(act());
        } catch (error) {
          reject(error);
        }
      };
      this.#queue({ act: told, awaited: true });
    });
  }

  #queue(command: Command): void {
    this.#waiting.push(command);
    this.#proceed();
  }

  #proceed(): void {
    for (;;) {
      const [next] = this.#waiting;
      // A failed device gets no more commands, but awaited ones still act, to reject.
      if (!next || (next.program && !next.program.pipeline && this.open.usable)) return;
      this.#waiting.shift();
      if (this.open.usable || next.awaited) next.act();
    }
  }

  async #compile(made: Program, descriptor: Parameters<Device['createComputePipelineAsync']>[0]) {
    try {
      made.pipeline = await this.open.device.createComputePipelineAsync(descriptor);
      this.#proceed();
    } catch (error) {
      this.open.fail((error as Error).message);
      this.#proceed();
    }
  }

  #encoding(): Encoder {
    this.#encoder ??= this.open.device.createCommandEncoder();
    return this.#encoder;
  }

  #endPass(): void {
    this.#pass?.end();
    this.#pass = undefined;
  }

  #program<F extends Fields, B extends Buffers>(kernel: Kernel<F, B>): Program {
    let program = this.#pipelines.get(kernel.key);
    if (!program) {
      const { device } = this.open;
      const layout = device.createBindGroupLayout({
        entries: Object.values(kernel.buffers).map((kind, binding) => ({
          binding,
          visibility: COMPUTE,
          buffer: { type: kind.startsWith('write') ? 'storage' : 'read-only-storage' },
        })),
      });
      const module = device.createShaderModule({ code: sourceOf(kernel), label: kernel.key });
      program = { layout };
      this.#pipelines.set(kernel.key, program);
      void this.#compile(program, {
        layout: device.createPipelineLayout({ bindGroupLayouts: [layout, this.#paramsLayout] }),
        compute: { module, entryPoint: 'main' },
        label: kernel.key,
      });
    }
    return program;
  }

  #group(key: string, layout: object, slabs: readonly Slab[]): object {
    const name = `${key}|${slabs.map(({ id }) => id).join(',')}`;
    let group = this.#groups.get(name);
    if (!group) {
      if (this.#groups.size > MOST_GROUPS) this.#groups.clear();
      group = this.open.device.createBindGroup({
        layout,
        entries: slabs.map(({ buffer }, binding) => ({ binding, resource: { buffer } })),
      });
      this.#groups.set(name, group);
    }
    return group;
  }
}

interface Program {
  readonly layout: object;
  /** Absent while it is compiled. */
  pipeline?: object;
}

/** An action in its turn. It may need a program, and its result may be awaited. */
interface Command {
  readonly act: () => void;
  readonly program?: Program;
  readonly awaited: boolean;
}

/** The whole text of a program. */
export function sourceOf({ fields, buffers, code }: Kernel<Fields, Buffers>): string {
  return declareParams(fields) + declareBuffers(buffers) + code();
}

function declareBuffers(buffers: Buffers): string {
  const lines = Object.entries(buffers).map(([name, kind], binding) => {
    const [access, type] = kind.split(' ');
    const mode = access === 'write' ? 'read_write' : 'read';
    return `@group(0) @binding(${binding}) var<storage, ${mode}> ${name}: array<${type}>;`;
  });
  return `${lines.join('\n')}\n`;
}

/** The most dispatches between two submissions. */
const SLOTS = 128;
/** Operations after which a submission is worth its price: a few milliseconds of a fast card. */
const ENOUGH_WORK = 2e10;
const MOST_GROUPS = 8192;
/** Larger buffers for reading are not kept. */
const LARGE_READ = 2 ** 25;
