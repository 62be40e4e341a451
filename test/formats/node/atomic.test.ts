import { execFileSync } from 'node:child_process';
import { lstat, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { atomicFile, removeLeftovers, writeAtomic } from '../../../src/formats/node/atomic.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pcae-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('atomic files', () => {
  test('appear only when complete', async () => {
    const path = join(folder, 'out.txt');
    const file = await atomicFile(path);
    await file.append('one ');
    await file.append(new TextEncoder().encode('two'));
    expect(await readdir(folder)).not.toContain('out.txt');
    await file.commit();
    expect(await readdir(folder)).toEqual(['out.txt']);
    expect(await readFile(path, 'utf8')).toBe('one two');
  });

  test('never replace an existing file without force', async () => {
    const path = join(folder, 'out.txt');
    await writeFile(path, 'old');
    await expect(writeAtomic(path, ['new'])).rejects.toThrow('--force');
    await writeAtomic(path, ['new'], { force: true });
    expect(await readFile(path, 'utf8')).toBe('new');
    // a file that appears while ours is written is left alone too
    const late = join(folder, 'late.txt');
    const file = await atomicFile(late);
    await writeFile(late, 'theirs');
    await expect(file.commit()).rejects.toThrow('--force');
    expect(await readFile(late, 'utf8')).toBe('theirs');
    expect((await readdir(folder)).sort()).toEqual(['late.txt', 'out.txt']);
  });

  test.skipIf(process.platform === 'win32')(
    'never replace a pipe or a device, nor a link to one',
    async () => {
      const [pipe, linked] = [join(folder, 'pipe'), join(folder, 'linked')];
      execFileSync('mkfifo', [pipe]);
      await symlink(pipe, linked);
      for (const path of [pipe, linked]) {
        await expect(writeAtomic(path, ['new'], { force: true })).rejects.toThrow('a pipe or a socket');
      }
      expect((await lstat(pipe)).isFIFO()).toBe(true);
      expect((await readdir(folder)).sort()).toEqual(['linked', 'pipe']);
    },
  );

  test('leave nothing behind when their source fails', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield 'half';
      throw new Error('no more');
    }
    await expect(writeAtomic(join(folder, 'x'), failing())).rejects.toThrow('no more');
    expect(await readdir(folder)).toEqual([]);
    await expect(writeAtomic(join(folder, 'no', 'x'), [])).rejects.toThrow(
      'folder to write it in does not exist',
    );
  });

  test('of a writer that was killed are removed by its successor, and no other files', async () => {
    const path = join(folder, 'out');
    await atomicFile(path);
    const others = ['.out', '.out.csv.0123456789ab.part', '.out.part', 'out', 'xout.0123456789ab.part'];
    for (const name of others) await writeFile(join(folder, name), '');
    await removeLeftovers(path);
    expect((await readdir(folder)).sort()).toEqual(others);
  });
});
