import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { npyFile } from '../../src/formats/npy.ts';
import { fit } from '../../src/model/fit.ts';
import { withTemperature } from '../../src/node/code-models.ts';
import { LockedError, lockFile } from '../../src/node/lock.ts';
import { SearchIndex } from '../../src/node/search-index.ts';
import type { Rows } from '../../src/rows/rows.ts';
import { gaussians } from '../../src/solvers/gaussians.ts';
import type { VectorCodes } from '../../src/vectors/codes.ts';
import { fitVectors } from '../../src/vectors/fit.ts';
import type { Vectors } from '../../src/vectors/vectors.ts';
import { workFolder } from '../cli/helpers.ts';
import { clustered, recallOf } from '../vectors/data.ts';

const at = workFolder();
const base = clustered(400, 12, 1);
const queries = clustered(20, 12, 2);
let model: VectorCodes;

beforeAll(async () => {
  model = await fitVectors(base, { bits: 32, metric: 'cosine', rounds: 4 });
});

const part = (vectors: Vectors, from: number, to: number): Vectors => ({
  ...{ n: to - from, V: vectors.V },
  values: vectors.values.subarray(from * vectors.V, to * vectors.V),
});

const flat = (answers: { numbers: number[] }[]) => ({
  k: answers[0].numbers.length,
  indices: Uint32Array.from(answers.flatMap(({ numbers }) => numbers)),
});

/**
 * A process that adds 50 vectors after the other to an index, and says so after each time, by the built
 * package.
 */
const ADDING = `
  import { SearchIndex } from '${new URL('../../dist/node.js', import.meta.url)}';
  const index = await SearchIndex.open(process.argv[1]);
  const values = Float32Array.from({ length: 600 }, (_, i) => Math.sin(i * i));
  for (;;) {
    await index.add({ n: 50, V: 12, values });
    process.stdout.write('.');
  }`;

describe('SearchIndex', () => {
  it('is refused before its first rows are encoded, and a process that is killed then leaves nothing', async () => {
    const folder = at('refused');
    mkdirSync(folder);
    const path = join(folder, 'first.index');
    let asked = 0;
    const wordCodes = () => {
      asked++;
      throw new Error(`beside: ${readdirSync(folder).join()}`);
    };
    const first = { data: base, engine: { wordCodes } as unknown as Engine };
    await expect(SearchIndex.create(path, model, { first })).rejects.toThrow(/^beside: $/);
    writeFileSync(path, 'something else');
    await expect(SearchIndex.create(path, model, { first })).rejects.toThrow('already exists');
    await expect(SearchIndex.create(join(path, 'x'), model, { first })).rejects.toThrow('cannot be written');
    expect(asked).toBe(1);
  });

  it('is not replaced while another process writes it', async () => {
    const path = at('busy.index');
    const index = await SearchIndex.create(path, model, { first: { data: base } });
    await index.close();
    const before = readFileSync(path);
    const release = await lockFile(path);
    await expect(SearchIndex.create(path, model, { force: true })).rejects.toThrow(LockedError);
    expect(readFileSync(path).equals(before)).toBe(true);
    await release();
    const empty = await SearchIndex.create(path, model, { force: true });
    expect(empty.size.rows).toBe(0);
    await empty.close();
  });

  it('finds the same whether rows came at once or in parts, opened again or not', async () => {
    const whole = await SearchIndex.create(at('whole.index'), model);
    const engine = { wordCodes: () => expect.fail('asked') } as unknown as Engine;
    await expect(whole.add(base, { engine })).rejects.toThrow('asked');
    await whole.add(base);
    const parts = await SearchIndex.create(at('parts.index'), model);
    for (const from of [0, 100, 250])
      await parts.add(part(base, from, from === 250 ? 400 : from * 1.5 + 100));
    expect(parts.size.rows).toBe(400);
    const expected = await whole.search(queries);
    expect(await parts.search(queries)).toEqual(expected);
    const again = await SearchIndex.open(at('whole.index'));
    expect(await again.search(queries)).toEqual(expected);
    expect(again.modelHash).toBe(parts.modelHash);
    expect(recallOf(base, queries, 'cosine', flat(expected))).toBeGreaterThan(0.4);
    for (const index of [whole, parts, again]) await index.close();
  });

  it('adds, replaces, deletes, filters by id, and finds the same after compacting', async () => {
    const index = await SearchIndex.create(at('ids.index'), model);
    const ids = Array.from({ length: 400 }, (_, i) => `word ${i}`);
    expect(await index.add(base, { ids })).toEqual({ added: 400, replaced: 0 });
    const [first] = await index.search(part(queries, 0, 1), { k: 3 });
    expect(await index.delete([first.ids[0], 'nobody'])).toBe(1);
    expect((await index.search(part(queries, 0, 1), { k: 2 }))[0].ids).toEqual(first.ids.slice(1));
    expect(await index.delete([first.ids[0]])).toBe(0);
    const only = ['word 7', first.ids[0], 'word 9', 'nobody'];
    const [filtered] = await index.search(part(queries, 0, 1), { k: 5, only });
    expect(filtered.ids.toSorted()).toEqual(['word 7', 'word 9'].filter((id) => id !== first.ids[0]));
    expect(await index.add(part(base, 3, 4), { ids: ['word 5'] })).toEqual({ added: 1, replaced: 1 });
    expect(index.size).toMatchObject({ rows: 399, deleted: 2 });
    const before = await index.search(queries, { k: 399 });
    await index.compact();
    expect(index.size).toMatchObject({ rows: 399, deleted: 0 });
    expect(await index.search(queries, { k: 399 })).toEqual(before);
    await index.delete(ids);
    await index.compact();
    expect(await index.search(queries)).toEqual(Array(20).fill({ ids: [], numbers: [], costs: [] }));
    // Numbers are those of all rows that were ever added, also of such as are not in the file any more.
    await index.add(part(base, 0, 1));
    expect((await index.search(part(queries, 0, 1), { k: 1 }))[0]).toMatchObject({
      numbers: [401],
      ids: ['401'],
    });
    await index.close();
  });

  it('puts a shortlist in order by the vectors themselves', async () => {
    const index = await SearchIndex.create(at('rerank.index'), model);
    await index.add(base);
    writeFileSync(at('base.npy'), npyFile(base.values as Float32Array, [400, 12]));
    const found = await index.search(queries, { rerank: at('base.npy'), shortlist: 400 });
    expect(recallOf(base, queries, 'cosine', flat(found))).toBe(1);
    writeFileSync(at('short.npy'), npyFile(base.values.slice(0, 1200) as Float32Array, [100, 12]));
    await expect(index.search(queries, { rerank: at('short.npy') })).rejects.toThrow('has 100 rows');
    await index.close();
  });

  it('is as it was before a write that did not come to its end', async () => {
    const index = await SearchIndex.create(at('crash.index'), model);
    await index.add(part(base, 0, 200));
    const expected = await index.search(queries);
    const before = readFileSync(at('crash.index'));
    await index.add(part(base, 200, 400));
    await index.close();
    const after = readFileSync(at('crash.index'));
    const opened = async () => {
      const crashed = await SearchIndex.open(at('crash.index'));
      const answers = await crashed.search(queries);
      const { rows } = crashed.size;
      await crashed.close();
      return { answers, rows };
    };
    // The new record is there in part, or whole, or as noise; the commit is not, or is half written.
    for (const tail of [1, 40, after.length - before.length]) {
      writeFileSync(at('crash.index'), before);
      appendFileSync(at('crash.index'), after.subarray(before.length, before.length + tail));
      expect(await opened()).toEqual({ answers: expected, rows: 200 });
    }
    const torn = Buffer.from(after);
    const [changed] = [64, 128].filter(
      (place) => !after.subarray(place, place + 24).equals(before.subarray(place, place + 24)),
    );
    torn[changed + 9] ^= 255;
    writeFileSync(at('crash.index'), torn);
    expect(await opened()).toEqual({ answers: expected, rows: 200 });
    // And it can be written again.
    const again = await SearchIndex.open(at('crash.index'));
    await again.add(part(base, 200, 400));
    expect(again.size.rows).toBe(400);
    await again.close();
  });

  it('is whole whenever the process that adds to it is killed, and can be added to', {
    timeout: 60_000,
  }, async () => {
    const path = at('killed.index');
    await (await SearchIndex.create(path, model)).close();
    let before = 0;
    for (let kill = 0; kill < 3; kill++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', ADDING, path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      // A few batches are in the file; the next one is somewhere on its way.
      for (let said = 0; said < 2 + 3 * kill; ) said += String((await once(child.stdout, 'data'))[0]).length;
      child.kill('SIGKILL');
      await once(child, 'close');
      const index = await SearchIndex.open(path);
      expect(index.size.rows).toBeGreaterThan(before);
      expect(index.size.rows % 50).toBe(0);
      await index.add(part(base, 0, 50));
      const { rows } = index.size;
      const answers = await index.search(queries);
      await index.compact();
      expect(index.size).toMatchObject({ rows, deleted: 0 });
      expect(await index.search(queries)).toEqual(answers);
      before = rows;
      await index.close();
    }
    expect(readdirSync(at('.')).filter((name) => name.includes('killed') && name !== 'killed.index')).toEqual(
      [],
    );
  });

  it('says what is damaged', async () => {
    const path = at('damaged.index');
    const index = await SearchIndex.create(path, model);
    await index.add(base);
    await index.close();
    const good = readFileSync(path);
    const file = openSync(path, 'r+');
    writeSync(file, Uint8Array.of(good[good.length - 5] ^ 1), 0, 1, good.length - 5);
    const opened = await SearchIndex.open(path);
    await expect(opened.search(queries)).rejects.toThrow('a record is damaged');
    await opened.close();
    truncateSync(path, good.length - 10);
    await expect(SearchIndex.open(path)).rejects.toThrow('shorter than it should be');
    writeFileSync(path, 'something else');
    await expect(SearchIndex.open(path)).rejects.toThrow('not a search index');
    await expect(SearchIndex.open(join(at('nowhere'), 'x'))).rejects.toThrow('no such file');
  });

  it('refuses ids that are too few or the same', async () => {
    const index = await SearchIndex.create(at('refuse.index'), model);
    await expect(index.add(part(base, 0, 2), { ids: ['a'] })).rejects.toThrow('needs 2 different ids');
    await expect(index.add(part(base, 0, 2), { ids: ['a', 'a'] })).rejects.toThrow('needs 2 different ids');
    await expect(SearchIndex.create(at('refuse.index'), model)).rejects.toThrow('already exists');
    await index.close();
  });

  it('keeps codes of a model of bits, and scores them by likelihood', async () => {
    const rows: Rows = {
      kind: 'bits',
      n: 200,
      V: 24,
      bits: Uint8Array.from(gaussians(600, 4), (x) => (x * 999) & 255),
    };
    const learned = await fit(rows, { H: 12, encoding: 'bits', epochs: 12 });
    expect(learned.temperature).toBeGreaterThan(0);
    const { model: tuned, recall } = await withTemperature(learned, rows, { metric: 'tanimoto' });
    expect(recall).toBeGreaterThan(0.1);
    const index = await SearchIndex.create(at('bits.index'), tuned);
    await index.add(rows);
    const answers = await index.search(rows, { k: 1 });
    const own = answers.filter(({ numbers }, i) => numbers[0] === i).length;
    expect(own).toBeGreaterThan(100);
    await index.close();
    const again = await SearchIndex.open(at('bits.index'));
    expect(await again.search(rows, { k: 1 })).toEqual(answers);
    await expect(again.search(rows, { rerank: at('base.npy') })).rejects.toThrow('only vectors');
    await again.close();
    const box = await fit(rows, { H: 4, epochs: 1 });
    await expect(SearchIndex.create(at('box.index'), box)).rejects.toThrow("this model's are 'box'");
  });
});
