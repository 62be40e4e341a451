import { expect, it } from 'vitest';
import { referenceEngine } from '../../src/engine/reference/engine.ts';
import { withEngine } from '../../src/engine/scope.ts';
import { leaks } from './failing.ts';

it('sees what is left behind when an operation fails, and nothing behind a scope', async () => {
  const engine = referenceEngine();
  const careless = await leaks(engine, async (tried) => {
    const A = tried.floats(4);
    await tried.gram(A, 2, 2);
    await tried.gram(A, 2, 2);
    A.free();
  });
  expect(careless).toEqual(['gram, operation 2: 1 left', 'gram, operation 3: 1 left']);
  const careful = await leaks(engine, (tried) =>
    withEngine({ engine: tried }, async (scope) => {
      await scope.gram(scope.floats(4), 2, 2);
    }),
  );
  expect(careful).toEqual([]);
  expect(await leaks(engine, async (tried) => tried.floats(1))).toEqual(['success: 1 left']);
});
