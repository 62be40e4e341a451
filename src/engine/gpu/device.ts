import { type Adapter, type Device, type Gpu, type Limits, usage } from './webgpu.ts';

/** An adapter, what it calls itself, and whether a processor pretends to be it. */
export interface Found {
  readonly adapter: Adapter;
  readonly name: string;
  readonly software: boolean;
}

/** The fastest adapter there is. */
export async function findAdapter(gpu: Gpu): Promise<Found | undefined> {
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) return undefined;
  const { vendor, architecture, device, description, isFallbackAdapter } = adapter.info;
  const words = description || [vendor, architecture, device].filter((word) => word !== '').join(' ');
  const all = `${vendor} ${architecture} ${device} ${description}`.toLowerCase();
  const software = isFallbackAdapter === true || SOFTWARE.some((word) => all.includes(word));
  return { adapter, name: words || 'unnamed adapter', software };
}

/** What programs that compute on processors call themselves. */
const SOFTWARE = ['swiftshader', 'llvmpipe', 'lavapipe', 'basic render', 'warp'];

/**
 * A device with all limits that its adapter allows, and whether it still works. It also keeps references to
 * everything that the device was made from: Dawn crashes the process once any of it is garbage-collected.
 */
export class OpenDevice {
  readonly name: string;
  readonly software: boolean;
  readonly device: Device;
  readonly limits: Limits;
  readonly #kept: readonly unknown[];
  #failure?: Error;
  #closed = false;

  private constructor(found: Found, device: Device, kept: readonly unknown[]) {
    this.name = found.name;
    this.software = found.software;
    this.device = device;
    this.limits = device.limits;
    this.#kept = [found.adapter, ...kept];
    device.lost.then(({ reason, message }) => {
      if (!this.#closed) this.fail(`the device was lost (${reason || 'unknown reason'}): ${message}`);
    });
    device.onuncapturederror = ({ error }) => this.fail(error.message);
  }

  static async open(gpu: Gpu, found: Found): Promise<OpenDevice> {
    const limits = Object.fromEntries(WANTED.map((name) => [name, found.adapter.limits[name]]));
    return new OpenDevice(found, await found.adapter.requestDevice({ requiredLimits: limits }), [gpu]);
  }

  get usable(): boolean {
    return !this.#closed && !this.#failure && this.#kept.length > 0;
  }

  /** Throws if the device is closed or has failed: its numbers must not be used. */
  check(): void {
    if (this.#closed) throw new Error(`engine: gpu (${this.name}) is already closed`);
    if (this.#failure) throw this.#failure;
  }

  fail(what: string): void {
    this.#failure ??= new Error(
      `engine: gpu (${this.name}) failed: ${what}. Nothing from this operation was kept; a checkpoint made before it can ` +
        "be continued on this engine or on 'wasm'",
    );
  }

  close(): void {
    this.#closed = true;
    this.device.destroy();
  }
}

const WANTED = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupsPerDimension',
  'maxStorageBuffersPerShaderStage',
] as const satisfies readonly (keyof Limits)[];

export { usage };
