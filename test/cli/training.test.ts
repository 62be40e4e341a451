import { Command } from 'commander';
import { expect, it } from 'vitest';
import { Session } from '../../src/cli/session.ts';
import { runStack } from '../../src/cli/training.ts';
import type { StackProgress } from '../../src/model/fit-stack.ts';
import type { Stack } from '../../src/model/stack.ts';
import { silentIo } from './helpers.ts';

/** Rounds without end, as long as somebody asks for them. */
async function* rounds(ended: () => void): AsyncGenerator<StackProgress, Stack> {
  try {
    for (let number = 1; ; number++) {
      yield { phase: 'round', number, of: 20, fraction: number / 20, loss: 7, seconds: number };
    }
  } finally {
    ended();
  }
}

it('a stack interrupted between two rounds is given up, and what it held is freed', async () => {
  const stop = new AbortController();
  const lines: string[] = [];
  const session = new Session(new Command(), {
    ...silentIo(),
    terminal: true,
    signal: stop.signal,
    err: (text) => {
      lines.push(text);
      stop.abort();
    },
  });
  let ended = false;
  const found = await runStack(
    rounds(() => {
      ended = true;
    }),
    session,
  );
  expect(found).toBeUndefined();
  expect(ended).toBe(true);
  expect(lines).toEqual(['round 1 of 20: 5%, 19 s left  loss 7']);
});

it('a stack that ended early because somebody interrupted it is given up too', async () => {
  const stop = new AbortController();
  const session = new Session(new Command(), { ...silentIo(), signal: stop.signal });
  async function* heard(): AsyncGenerator<StackProgress, Stack> {
    yield { phase: 'round', number: 1, of: 20, fraction: 0.05, loss: 7, seconds: 1 };
    stop.abort();
    return {} as Stack;
  }
  expect(await runStack(heard(), session)).toBeUndefined();
});
