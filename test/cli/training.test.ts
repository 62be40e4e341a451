import { Command } from 'commander';
import { expect, it } from 'vitest';
import { Interrupted } from '../../src/cli/errors.ts';
import { Session } from '../../src/cli/session.ts';
import { interruptible } from '../../src/cli/training.ts';
import { silentIo } from './helpers.ts';

it('says what is left of work that was interrupted, and nothing else of other failures', async () => {
  const stop = new AbortController();
  const session = new Session(new Command(), { ...silentIo(), signal: stop.signal });
  const failing = (error: unknown) =>
    interruptible(session, 'nothing was written', async () => {
      throw error;
    });
  await expect(failing(new Error('disk'))).rejects.toThrow('disk');
  stop.abort();
  await expect(failing(new Error('disk'))).rejects.toThrow('disk');
  await expect(failing(stop.signal.reason)).rejects.toEqual(new Interrupted('nothing was written'));
  expect(await interruptible(session, '', async () => 3)).toBe(3);
});
