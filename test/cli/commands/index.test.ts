import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { npyFile } from '../../../src/formats/npy.ts';
import { clustered } from '../../vectors/data.ts';
import { pcae, workFolder, writeCsv } from '../helpers.ts';

const at = workFolder();
const base = clustered(150, 8, 1);
const vectorModel = at('v.safetensors');
const bitsModel = at('m.safetensors');

beforeAll(async () => {
  writeFileSync(at('base.npy'), npyFile(base.values as Float32Array, [150, 8]));
  writeFileSync(at('queries.npy'), npyFile(base.values.slice(0, 24) as Float32Array, [3, 8]));
  const rows = Array.from({ length: 60 }, (_, i) =>
    Array.from({ length: 12 }, (_, v) => ((i * 7) >> (v % 6)) & 1),
  );
  writeCsv(at('rows.csv'), rows);
  await pcae(['train', at('rows.csv'), '-H', '8', '--encoding', 'bits', '--epochs', '8', '-o', bitsModel]);
});

describe('an index that could not be made', () => {
  it('leaves no file that would stand in the way of the next attempt', async () => {
    const make = ['index', at('rows.index'), '--from', at('rows.csv'), '--model', bitsModel];
    const stop = new AbortController();
    // Said when the file is about to be made.
    const err = (text: string) => text.includes('codes find') && stop.abort();
    const stopped = await pcae([...make, '--metric', 'hamming'], { signal: stop.signal, err });
    expect(stopped.code).toBe(130);
    expect(await pcae(make)).toMatchObject({ code: 0, err: '' });
  });

  it('leaves the one alone that it was to replace', async () => {
    const make = ['index', at('kept.index'), '--from', at('rows.csv'), '--model', bitsModel];
    expect((await pcae(make)).code).toBe(0);
    const before = readFileSync(at('kept.index'));
    const stop = new AbortController();
    const err = (text: string) => text.includes('codes find') && stop.abort();
    const stopped = await pcae([...make, '--force', '--metric', 'hamming'], { signal: stop.signal, err });
    expect(stopped.code).toBe(130);
    expect(readFileSync(at('kept.index')).equals(before)).toBe(true);
    expect((await pcae(make)).err).toContain('already exists');
  });
});

it('an index does not take the place of what it is made from, not even with --force', async () => {
  const rows = readFileSync(at('rows.csv'));
  for (const path of [at('rows.csv'), bitsModel]) {
    const ran = await pcae(['index', path, '--from', at('rows.csv'), '--model', bitsModel, '--force']);
    expect(ran.err).toContain('is read by this command and cannot be its output');
  }
  expect(readFileSync(at('rows.csv')).equals(rows)).toBe(true);
});

describe('models of vectors', () => {
  const train = ['train', at('base.npy'), '--values', 'vectors'];

  it('are learned once what neighbours are is said, shown, and refused where bits are needed', async () => {
    const out = ['-o', vectorModel];
    expect((await pcae([...train, '-H', '16', ...out])).err).toContain('--metric cosine');
    expect((await pcae([...train, '--metric', 'cosine', ...out])).err).toContain('-H 64');
    expect((await pcae([...train, '-H', '16', '--metric', 'cosine', '--l1', '1', ...out])).err).toContain(
      'cannot be combined with --l1',
    );
    expect((await pcae(['train', at('rows.csv'), '-H', '4', '--metric', 'inner', ...out])).err).toContain(
      'for --values vectors',
    );
    const learned = await pcae([...train, '-H', '16', '--metric', 'cosine', ...out, '--json']);
    expect(learned).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(learned.out)).toMatchObject({ n: 150, V: 8, H: 16, metric: 'cosine' });
    expect((await pcae(['inspect', vectorModel])).out).toContain('compared by cosine');
    expect((await pcae(['eval', vectorModel, at('base.npy')])).err).toContain('holds codes of vectors');
  });

  it('make codes that search scores', async () => {
    const encode = ['encode', vectorModel, at('base.npy'), '--packed', '-o', at('codes.npy')];
    expect(JSON.parse((await pcae([...encode, '--json'])).out)).toMatchObject({ n: 150, H: 16 });
    const search = ['search', at('codes.npy'), at('queries.npy'), '--model', vectorModel];
    const found = await pcae([...search, '-k', '20', '--json']);
    const { answers } = JSON.parse(found.out) as { answers: { query: number; codes: number[] }[] };
    for (const { query, codes } of answers) expect(codes).toContain(query);
    expect((await pcae([...search, '--distance', 'hamming'])).err).toContain('are names');
  });

  it('make an index, which is changed and searched', async () => {
    const index = at('words.index');
    const make = ['index', index, '--from', at('base.npy')];
    expect((await pcae(make)).err).toContain('use --model');
    const made = await pcae([...make, '--model', vectorModel, '--json']);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(made.out)).toMatchObject({ added: 150, rows: 150, H: 16, kind: 'vectors' });
    const search = ['search', index, at('queries.npy'), '-k', '1'];
    const exact = await pcae([...search, '--rerank', at('base.npy'), '--shortlist', '150']);
    expect(exact.out.split('\n').map((line) => line.split(',').slice(0, 2).join())).toEqual([
      ...['query,id', '0,0', '1,1', '2,2', ''],
    ]);
    const only = await pcae([...search, '--only', '5,6', '--json']);
    const { answers } = JSON.parse(only.out) as { answers: { ids: string[] }[] };
    for (const { ids } of answers) expect(['5', '6']).toContain(ids[0]);
    const partly = base.values.slice(0, 24) as Float32Array;
    partly[3] = Number.NaN;
    writeFileSync(at('partly.npy'), npyFile(partly, [3, 8]));
    const missing = await pcae(['search', index, at('partly.npy'), '-k', '20', '--json']);
    for (const { query, ids } of JSON.parse(missing.out).answers) expect(ids).toContain(String(query));
    expect((await pcae(['index', index, '--add', at('partly.npy')])).err).toContain(
      'row 1, column 4: found NaN, expected a number, none missing',
    );
    expect((await pcae(['index', index, '--delete', '0'])).out).toContain(
      'frees the room of 1 deleted row\n',
    );
    expect((await pcae(['index', index, '--delete', '1', '--compact'])).out).toContain('148 rows');
    expect((await pcae(['index', index, '--delete', '0,nobody'])).err).toContain(
      '0 of 2 ids deleted; the index does not hold',
    );
    expect((await pcae(['index', index, '--delete', '@no-such-file'])).err).toContain(
      'no-such-file: there is no such file',
    );
    const added = await pcae(['index', index, '--add', at('queries.npy')]);
    expect(added.out).toContain('151 rows');
    expect(added.err).toContain('3 rows added, 0 of them in place');
    expect((await pcae([...search, '--radius', '3'])).err).toContain('not both');
    expect((await pcae(['search', index, at('queries.npy'), '--radius', '3'])).err).toContain('use -k');
    expect((await pcae(['search', at('queries.npy'), at('queries.npy'), '--only', '1'])).err).toContain(
      'for an index',
    );
  });
});

describe('models of bits', () => {
  it('make an index of rows of bits, with another temperature where other neighbours are asked for', async () => {
    const make = ['index', at('bits.index'), '--from', at('rows.csv'), '--model', bitsModel];
    const made = await pcae([...make, '--metric', 'tanimoto', '--json']);
    expect(JSON.parse(made.out)).toMatchObject({ added: 60, kind: 'bits', H: 8 });
    const found = await pcae(['search', at('bits.index'), at('rows.csv'), '-k', '3']);
    expect(found.out.trim().split('\n')).toHaveLength(181);
  });

  it('are asked for by the flag of the command line where a model has other codes', async () => {
    const [boxModel, index] = [at('box.safetensors'), at('box.index')];
    await pcae(['train', at('rows.csv'), '-H', '2', '--epochs', '1', '-o', boxModel]);
    const made = await pcae(['index', index, '--from', at('rows.csv'), '--model', boxModel]);
    expect(made.code).toBe(2);
    expect(made.err).toContain('has box codes; learn one with pcae train --encoding bits');
    await pcae(['encode', bitsModel, at('rows.csv'), '--packed', '-o', at('box-codes.npy')]);
    const search = ['search', at('box-codes.npy'), at('rows.csv'), '--model', boxModel];
    expect((await pcae(search)).err).toContain('pcae train --encoding bits');
  });

  it('search their codes by likelihood, as an index does, and by Hamming distance on demand', async () => {
    await pcae(['encode', bitsModel, at('rows.csv'), '--packed', '-o', at('bits.npy')]);
    await pcae(['index', at('same.index'), '--from', at('rows.csv'), '--model', bitsModel]);
    const search = ['search', at('bits.npy'), at('rows.csv'), '--model', bitsModel, '-k', '5'];
    const found = await pcae(search);
    const indexed = await pcae(['search', at('same.index'), at('rows.csv'), '-k', '5']);
    expect(found.out.replace('query,code', 'query,id')).toBe(indexed.out);
    const hamming = await pcae([...search, '--distance', 'hamming']);
    expect(hamming.out.startsWith('query,code,distance\n0,')).toBe(true);
    expect(hamming.out).not.toBe(found.out);
    expect((await pcae([...search.slice(0, 5), '--radius', '2'])).err).toContain('use -k');
    expect((await pcae([...search.slice(0, 3), '--distance', 'hamming'])).err).toContain('is for --model');
    await pcae(['encode', bitsModel, at('rows.csv'), '-o', at('rows.bits')]);
    expect((await pcae(['search', at('rows.csv'), at('rows.csv'), '--model', bitsModel])).err).toContain(
      'holds codes of 12 bits',
    );
  });
});
