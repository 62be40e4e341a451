/**
 * The part of WebGPU that the engine uses, as browsers (`navigator.gpu`) and Dawn in Node give it.
 * TypeScript's own libraries do not declare it yet, and a dependency on types would be one for everybody who
 * uses the library.
 */
export interface Gpu {
  requestAdapter(options?: { powerPreference?: 'high-performance' | 'low-power' }): Promise<Adapter | null>;
}

export interface Adapter {
  readonly info: AdapterInfo;
  readonly limits: Limits;
  requestDevice(descriptor: {
    requiredLimits?: Record<string, number>;
    requiredFeatures?: readonly string[];
  }): Promise<Device>;
}

export interface AdapterInfo {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  readonly isFallbackAdapter?: boolean;
}

/** The limits that are asked for; an adapter has others besides. */
export interface Limits {
  readonly maxBufferSize: number;
  readonly maxStorageBufferBindingSize: number;
  readonly maxComputeWorkgroupStorageSize: number;
  readonly maxComputeInvocationsPerWorkgroup: number;
  readonly maxComputeWorkgroupSizeX: number;
  readonly maxComputeWorkgroupsPerDimension: number;
  readonly maxStorageBuffersPerShaderStage: number;
}

export interface Device {
  readonly limits: Limits;
  readonly queue: Queue;
  readonly lost: Promise<{ readonly reason: string; readonly message: string }>;
  onuncapturederror: ((event: { readonly error: { readonly message: string } }) => void) | null;
  createBuffer(descriptor: { size: number; usage: number; label?: string }): Buffer;
  createShaderModule(descriptor: { code: string; label?: string }): object;
  createBindGroupLayout(descriptor: { entries: readonly LayoutEntry[] }): object;
  createPipelineLayout(descriptor: { bindGroupLayouts: readonly object[] }): object;
  createComputePipelineAsync(descriptor: {
    layout: object;
    compute: { module: object; entryPoint: string };
    label?: string;
  }): Promise<object>;
  createBindGroup(descriptor: { layout: object; entries: readonly BindGroupEntry[] }): object;
  createCommandEncoder(): Encoder;
  pushErrorScope(filter: 'out-of-memory' | 'validation'): void;
  popErrorScope(): Promise<{ readonly message: string } | null>;
  destroy(): void;
}

export interface BindGroupEntry {
  readonly binding: number;
  readonly resource: { readonly buffer: Buffer; readonly offset?: number; readonly size?: number };
}

export interface LayoutEntry {
  readonly binding: number;
  readonly visibility: number;
  readonly buffer: {
    readonly type: 'uniform' | 'storage' | 'read-only-storage';
    readonly hasDynamicOffset?: boolean;
  };
}

export interface Queue {
  submit(commands: readonly object[]): void;
  writeBuffer(
    buffer: Buffer,
    offset: number,
    data: ArrayBufferView | ArrayBuffer,
    dataOffset?: number,
    size?: number,
  ): void;
}

export interface Encoder {
  beginComputePass(): Pass;
  copyBufferToBuffer(from: Buffer, fromOffset: number, to: Buffer, toOffset: number, size: number): void;
  clearBuffer(buffer: Buffer, offset?: number, size?: number): void;
  finish(): object;
}

export interface Pass {
  setPipeline(pipeline: object): void;
  setBindGroup(index: number, group: object, offsets?: readonly number[]): void;
  dispatchWorkgroups(x: number, y?: number): void;
  end(): void;
}

export interface Buffer {
  readonly size: number;
  mapAsync(mode: number, offset?: number, size?: number): Promise<void>;
  getMappedRange(offset?: number, size?: number): ArrayBuffer;
  unmap(): void;
  destroy(): void;
}

/** Bits of `GPUBufferUsage`, `GPUMapMode` and `GPUShaderStage`, which are the same everywhere. */
export const usage = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, UNIFORM: 64, STORAGE: 128 } as const;
export const READ = 1;
export const COMPUTE = 4;
