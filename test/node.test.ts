import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { defaultEngine } from '../src/engine/default.ts';
import '../src/node.ts';

describe('pc-ae/node', () => {
  it('computes on the threads of the machine unless told otherwise', async () => {
    const engine = await defaultEngine();
    expect(engine.threads).toBe(Math.min(8, availableParallelism()));
    expect(await defaultEngine()).toBe(engine);
    await engine.close();
  });
});
