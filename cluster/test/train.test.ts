import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fit, PCAE } from 'pc-ae';
import { loadModel } from 'pc-ae/node';
import { memorySource, sliceRows } from 'pc-ae/rows';
import { beforeAll, describe, expect, it } from 'vitest';
import { manifestBytes } from '../src/manifest.ts';
import { shardSource } from '../src/shard.ts';
import { treeSum } from '../src/sum.ts';
import { fileStore, patterns, processes, until, workFolder } from './helpers.ts';

const at = workFolder();
const start = processes();
const all = patterns(1800, 40);
const [rows, others] = [sliceRows(all, 0, 1200), sliceRows(all, 1200, 1800)];

const places = (name: string) => [
  '--queue',
  `file:${at(name, 'queue')}`,
  '--store',
  `file:${at(name, 'store')}`,
  '--lease',
  '2',
];
const worker = (name: string) => start(['worker', ...places(name)]);
const train = (name: string, output = name) =>
  start([
    ...['train', at('table.json'), '-H', '4', '-o', at(`${output}.model`), '--rounds', '4'],
    ...['--sample-rows', '400', '--sample-epochs', '10', ...places(name)],
  ]);

/** A store of its own with the shards of the table. */
async function table(name: string): Promise<void> {
  const { manifest } = await shardSource(memorySource(rows), fileStore(at(name, 'store')), {
    shardRows: 200,
  });
  writeFileSync(at('table.json'), manifestBytes(manifest));
}

async function learn(name: string, workers: number): Promise<Buffer> {
  await table(name);
  for (let k = 0; k < workers; k++) worker(name);
  expect(await train(name).ended).toMatchObject({ code: 0 });
  return readFileSync(at(`${name}.model`));
}

describe('learning by workers', () => {
  let alone: Buffer;
  beforeAll(async () => {
    alone = await learn('alone', 1);
  });

  it('comes within 5% of what one machine learns from all rows, in four rounds', async () => {
    const model = await loadModel(at('alone.model'), { as: PCAE });
    const { loss } = await model.evaluate(others);
    const best = await (await fit(rows, { H: 4 })).evaluate(others);
    expect(loss).toBeLessThan(1.05 * best.loss);
    // B and the loss are those of all rows at their certified codes, which builds of the kernels find to
    // within the tolerance.
    const here = await model.evaluate(rows);
    expect(model.training.loss).toBeCloseTo(here.loss, 3);
    expect(here.drift).toBeLessThan(0.005);
    expect(model.training.meanGap).toBeLessThan(0.01);
  });

  it('gives the same bytes with 5 workers', async () => {
    expect((await learn('with5', 5)).equals(alone)).toBe(true);
  });

  it('gives the same bytes with 2 workers to two coordinators at once, who tidy up behind each other', async () => {
    await table('twins');
    for (let k = 0; k < 2; k++) worker('twins');
    const twins = [train('twins'), train('twins', 'second')];
    for (const { ended } of twins) {
      const { code, err } = await ended;
      expect([code, err]).toEqual([0, expect.not.stringContaining('Error')]);
    }
    for (const name of ['twins', 'second'])
      expect(readFileSync(at(`${name}.model`)).equals(alone)).toBe(true);
  });

  it('gives the same bytes after Ctrl-C and after workers and the coordinator were killed in the rounds', async () => {
    await table('killed');
    const answers = () => readdirSync(at('killed', 'store', 'answers')).length;
    let coordinator = train('killed');
    for (const enough of [10, 16, 23]) {
      const one = worker('killed');
      await until(() => coordinator.child.exitCode !== null || existing(answers) >= enough);
      // The first time as at Ctrl-C: both leave, and the same command goes on.
      const how = enough === 10 ? 'SIGINT' : 'SIGKILL';
      one.child.kill(how);
      coordinator.child.kill(how);
      const [, { code, err }] = await Promise.all([one.ended, coordinator.ended]);
      if (how === 'SIGINT')
        expect([code, err]).toEqual([130, expect.stringContaining('run the same command again')]);
      coordinator = train('killed');
    }
    worker('killed');
    expect(await coordinator.ended).toMatchObject({ code: 0 });
    expect(readFileSync(at('killed.model')).equals(alone)).toBe(true);
  });
});

function existing(count: () => number): number {
  try {
    return count();
  } catch {
    return 0;
  }
}

describe('sums over shards', () => {
  it('depend on the order of the shards alone, and add neighbours', () => {
    const parts = Array.from({ length: 7 }, (_, k) => [10 ** k, 1e-8 * k]);
    const neighbours = (i: number) => {
      const [a, b, c, d, e, f, g] = parts.map((part) => part[i]);
      return a + b + (c + d) + (e + f + g);
    };
    expect([...treeSum(parts)]).toEqual([neighbours(0), neighbours(1)]);
  });
});
