import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from 'fast-png';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSource } from '../../../src/formats/node/open.ts';
import { stdinBytes } from '../../../src/formats/node/stdin.ts';
import { openBytes } from '../../../src/formats/open.ts';
import { gzipped, signs, tableOf } from '../helpers.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pcae-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('files', () => {
  test('plain and compressed', async () => {
    const content = new TextEncoder().encode('0,1\n1,1\n');
    await writeFile(join(folder, 'a.csv'), content);
    await writeFile(join(folder, 'a.csv.gz'), gzipped(content));
    for (const name of ['a.csv', 'a.csv.gz']) {
      expect(await tableOf(await openSource(join(folder, name)))).toEqual(
        signs([
          [0, 1],
          [1, 1],
        ]),
      );
    }
  });

  test('files that are missing or change are told', async () => {
    await expect(openSource(join(folder, 'none.csv'))).rejects.toThrow('no such file');
    const path = join(folder, 'shrinking.csv');
    await writeFile(path, '0,1\n1,1\n');
    const source = await openSource(path);
    await truncate(path, 4);
    await expect(tableOf(source)).rejects.toThrow('shorter while it was read');
    await rm(path);
    await expect(tableOf(source)).rejects.toThrow('no such file');
  });

  test('opening can be stopped; what is open stays readable', async () => {
    const path = join(folder, 'stopped.csv');
    await writeFile(path, '0,1\n1,1\n');
    const stop = new AbortController();
    const source = await openSource(path, { signal: stop.signal });
    stop.abort();
    expect(await tableOf(source)).toHaveLength(2);
    await expect(openSource(path, { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('standard input is kept for a second reading', async () => {
    async function* input(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('0,1\n1,');
      yield new TextEncoder().encode('1\n');
    }
    const source = await openBytes(await stdinBytes({ input: input() }));
    expect(source.name).toBe('standard input');
    for (let pass = 0; pass < 2; pass++)
      expect(await tableOf(source)).toEqual(
        signs([
          [0, 1],
          [1, 1],
        ]),
      );
  });

  test('a folder of pictures, in natural order', async () => {
    const pictures = join(folder, 'pictures');
    await mkdir(join(pictures, 'b'), { recursive: true });
    const picture = (level: number) =>
      encode({ width: 1, height: 1, channels: 1, data: Uint8Array.of(level) });
    await writeFile(join(pictures, '10.png'), picture(255));
    await writeFile(join(pictures, '9.png'), picture(0));
    await writeFile(join(pictures, 'b', '1.PNG'), picture(255));
    await writeFile(join(pictures, 'notes.txt'), 'no picture');
    const source = await openSource(pictures);
    expect(source.ids).toEqual(['9.png', '10.png', join('b', '1.PNG')]);
    expect(await tableOf(source)).toEqual([[-1], [1], [1]]);
  });
});
