import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type Holder, LockedError, lockFile } from '../../src/node/lock.ts';
import { workFolder } from '../cli/helpers.ts';

const at = workFolder();
const lockOf = (name: string) => at(`.${name}.lock`);

describe('the lock of a file', () => {
  it('is held by one, until it is given back', async () => {
    const release = await lockFile(at('model'));
    expect(JSON.parse(readFileSync(lockOf('model'), 'utf8'))).toMatchObject({ pid: process.pid });
    await expect(lockFile(at('model'))).rejects.toThrow(LockedError);
    await release();
    expect(existsSync(lockOf('model'))).toBe(false);
    await (await lockFile(at('model')))();
  });

  it('goes to one of many who ask at once', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => lockFile(at('many'))));
    const held = asked.filter((one) => one.status === 'fulfilled');
    expect(held).toHaveLength(1);
    await held[0].value();
    expect(readdirSync(at('.'))).toEqual([]);
  });

  const self: Holder = { pid: process.pid, host: hostname() };
  it.each<[string, Holder | string]>([
    ['no longer runs', { ...self, pid: 2 ** 22 + 1 }],
    ['had the number of this one before', { ...self, began: '0' }],
    ['wrote nothing', ''],
  ])('of a process that %s does not count', async (_, left) => {
    writeFileSync(lockOf('stale'), typeof left === 'string' ? left : JSON.stringify(left));
    let cleanings = 0;
    const release = await lockFile(at('stale'), async () => void cleanings++);
    expect(cleanings).toBe(1);
    await release();
    expect(readdirSync(at('.'))).toEqual([]);
  });

  it('is taken away half-made, once its process was killed', async () => {
    const dead = { ...self, pid: 2 ** 22 + 1 };
    writeFileSync(`${lockOf('half')}.0123456789ab`, JSON.stringify(dead));
    writeFileSync(`${lockOf('half')}.ba9876543210`, '');
    writeFileSync(`${lockOf('half')}.aaaaaaaaaaaa`, JSON.stringify(self));
    writeFileSync(`${lockOf('half')}.txt`, JSON.stringify(dead));
    await (await lockFile(at('half')))();
    expect(readdirSync(at('.')).sort()).toEqual(['.half.lock.aaaaaaaaaaaa', '.half.lock.txt']);
  });

  it('of a process on another machine counts, and the error says what to remove', async () => {
    writeFileSync(lockOf('far'), JSON.stringify({ pid: 7, host: 'elsewhere' }));
    await expect(lockFile(at('far'))).rejects.toThrow(`remove ${lockOf('far')}`);
  });

  it('that cannot be read counts, for example that of somebody who lets nobody read it', async () => {
    // Who runs tests as root may read every file, but no folder.
    mkdirSync(lockOf('secret'));
    await expect(lockFile(at('secret'))).rejects.toThrow(
      `${lockOf('secret')}: cannot be read, so somebody may be writing the file beside it`,
    );
    expect(existsSync(lockOf('secret'))).toBe(true);
  });
});
