import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkpointFile } from '../../src/node/checkpoints.ts';
import type { Checkpoint } from '../../src/training/checkpoint/checkpoint.ts';

const folder = mkdtempSync(join(tmpdir(), 'pcae-checkpoints-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const checkpoint: Checkpoint = {
  arrays: {
    W: Float32Array.of(0.1, -2, 3e-30),
    E: Float32Array.of(1, 0.5),
    first: Float32Array.of(1, 2, 3),
    second: Float32Array.of(4, 5, 6),
    inverseHessian: Float32Array.of(7),
    curvature: Float64Array.of(1 / 3, Math.PI),
    bestW: Float32Array.of(9, 8, 7),
  },
  progress: {
    ...{ epoch: 3, misses: 1, seconds: 1.25, begun: 0.25, turned: { share: 0.4, time: 0.5 } },
    state: { batch: 2, step: 14, visited: { loss: 1 / 7, rows: 20 } },
    history: [{ epoch: 1, seconds: 0.5, loss: 2 / 3, rate: 0.1 }],
    fingerprint: 'x',
  },
};

describe('checkpoints in files', () => {
  it('come back bit for bit', async () => {
    const file = checkpointFile(join(folder, 'a'), 'run 1');
    expect(await file.load()).toBeUndefined();
    await file.save(checkpoint);
    expect(await file.load()).toEqual(checkpoint);
    const { bestW: _, ...without } = checkpoint.arrays;
    await file.save({ ...checkpoint, arrays: { ...without, bestW: undefined } });
    expect(await file.load()).toEqual({ ...checkpoint, arrays: without });
    await file.remove();
    expect(existsSync(file.path)).toBe(false);
    await file.remove();
  });

  it('of another run are refused', async () => {
    const path = join(folder, 'b');
    await checkpointFile(path, 'run 1').save(checkpoint);
    await expect(checkpointFile(path, 'run 2').load()).rejects.toThrow(
      /belongs to another run: run is run 1 there, run 2 here/,
    );
  });

  it('that are damaged anywhere are refused, and left where they are', async () => {
    const path = join(folder, 'c');
    const file = checkpointFile(path);
    await file.save(checkpoint);
    const good = readFileSync(path);
    for (let k = 0; k < good.length; k++) {
      const bad = Buffer.from(good);
      bad[k] ^= 1;
      writeFileSync(path, bad);
      await expect(file.load(), `byte ${k}`).rejects.toThrow(path);
    }
    for (const length of [0, 7, 100, good.length - 1]) {
      writeFileSync(path, good.subarray(0, length));
      await expect(file.load(), `${length} bytes`).rejects.toThrow(path);
    }
    expect(existsSync(path)).toBe(true);
  });

  it('that cannot be read are not called damaged', async () => {
    const path = join(folder, 'a folder');
    mkdirSync(path);
    await expect(checkpointFile(path).load()).rejects.toThrow(`${path}: is a folder, not a file`);
  });

  it('say where they could not be written', async () => {
    const path = join(folder, 'no such folder', 'd');
    await expect(checkpointFile(path).save(checkpoint)).rejects.toThrow(`${path}: cannot be written`);
  });
});
