import { describe, expect, it } from 'vitest';
import { defaultEngine, setDefaultEngine } from '../../src/engine/default.ts';
import { createWasmEngine } from '../../src/engine/wasm/engine.ts';

describe('the default engine', () => {
  it('is one for all, made anew after a failure, an end or a death', async () => {
    let made = 0;
    setDefaultEngine(async () => {
      made++;
      if (made === 1) throw new Error('no memory today');
      return createWasmEngine();
    });
    await expect(defaultEngine()).rejects.toThrow('no memory today');
    const [first, same] = await Promise.all([defaultEngine(), defaultEngine()]);
    expect(same).toBe(first);
    expect(first.usable).toBe(true);
    expect(made).toBe(2);

    const closing = first.close();
    expect(first.usable).toBe(false);
    const [second, again] = await Promise.all([defaultEngine(), defaultEngine()]);
    await closing;
    expect(again).toBe(second);
    expect(second).not.toBe(first);
    expect(await defaultEngine()).toBe(second);
    expect(made).toBe(3);
    await second.close();
  });
});
