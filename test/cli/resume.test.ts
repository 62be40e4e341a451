import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { PCAE } from '../../src/model/model.ts';
import { loadModel } from '../../src/node/load-model.ts';
import { patterns, pcae, workFolder, writeCsv } from './helpers.ts';

const at = workFolder();
const data = at('data.csv');
const options = (output: string) => [
  'train',
  data,
  '-H',
  '4',
  '--epochs',
  '800',
  '--seed',
  '3',
  '-o',
  output,
];

beforeAll(async () => {
  writeCsv(data, patterns(600, 40));
  const ran = await pcae(options(at('whole.safetensors')));
  expect(ran.code, ran.err).toBe(0);
});

/** Runs a command and presses Ctrl-C as soon as it shows that it learns. */
function interrupted(argv: readonly string[]) {
  const stop = new AbortController();
  const err = (text: string) => {
    if (/epoch \d+ {2}/.test(text)) stop.abort();
  };
  return pcae(argv, { terminal: true, signal: stop.signal, err });
}

describe('train, interrupted', () => {
  it('saves a checkpoint, says how to go on, and ends with the same model', async () => {
    const path = at('stopped.safetensors');
    const first = await interrupted(options(path));
    expect(first.code).toBe(130);
    expect(first.err).toContain('run the same command with --resume');
    expect([existsSync(path), existsSync(`${path}.checkpoint`)]).toEqual([false, true]);

    const second = await pcae([...options(path), '--resume']);
    expect(second.code, second.err).toBe(0);
    expect(second.err).toContain('continuing from');
    expect(existsSync(`${path}.checkpoint`)).toBe(false);
    const [whole, resumed] = [
      await loadModel(at('whole.safetensors'), { as: PCAE }),
      await loadModel(path, { as: PCAE }),
    ];
    for (const part of ['W', 'B', 'curvature'] as const) expect(resumed[part]).toEqual(whole[part]);
    expect(resumed.training.loss).toBe(whole.training.loss);
    expect(resumed.training.epochs).toBe(whole.training.epochs);
  });

  it('goes on with the epochs that it had where only a time is named, or nothing', async () => {
    const path = at('timed.safetensors');
    const learn = (...more: string[]) => ['train', data, '-H', '4', ...more, '-o', path];
    expect((await interrupted(learn('--epochs', '900'))).code).toBe(130);
    const checkpoint = readFileSync(`${path}.checkpoint`);
    for (const more of [['--time', '600'], []]) {
      const resumed = await pcae(learn('--resume', ...more));
      expect(resumed.code, resumed.err).toBe(0);
      expect((await loadModel(path, { as: PCAE })).training).toMatchObject({
        epochs: 900,
        stopped: 'epochs',
      });
      rmSync(path);
      writeFileSync(`${path}.checkpoint`, checkpoint);
    }
    const other = await pcae(learn('--resume', '--time', '600', '--epochs', '5'));
    expect(other.err).toContain('another run: epochs is 900 there, 5 here.');
  });

  it('does so for codes of bits too', async () => {
    const train = (name: string) => [
      ...['train', data, '-H', '5', '--encoding', 'bits', '--epochs', '400', '-o', at(name)],
    ];
    expect((await pcae(train('bits.safetensors'))).code).toBe(0);
    expect((await interrupted(train('bits-stopped.safetensors'))).code).toBe(130);
    const resumed = await pcae([...train('bits-stopped.safetensors'), '--resume']);
    expect(resumed.err).toContain('continuing from');
    const [whole, again] = [
      await loadModel(at('bits.safetensors'), { as: PCAE }),
      await loadModel(at('bits-stopped.safetensors'), { as: PCAE }),
    ];
    for (const part of ['W', 'B', 'curvature'] as const) expect(again[part]).toEqual(whole[part]);
  });

  it('does not throw a checkpoint away, nor mix it with other data or options', async () => {
    const path = at('kept.safetensors');
    expect((await interrupted(options(path))).code).toBe(130);
    const checkpoint = readFileSync(`${path}.checkpoint`);
    expect((await pcae(options(path))).err).toContain(
      'use --resume to continue from it, or --force to start over',
    );
    const relaxed = (await pcae([...options(path), '--l1', '0.1', '--resume'])).err;
    expect(relaxed).toMatch(/another run: .*l1 is 0 there, 0\.1 here.*--force/);
    for (const word of ['seed', 'radius', 'continuing from']) expect(relaxed).not.toContain(word);
    const wider = (await pcae([...options(path), '-H', '5', '--resume'])).err;
    expect(wider).toContain('another run: H is 4 there, 5 here. Use the same');
    const other = at('other.csv');
    writeCsv(other, patterns(600, 40, 2));
    const argv = options(path).map((word) => (word === data ? other : word));
    expect((await pcae([...argv, '--resume'])).err).toMatch(
      /another run: checksum of all rows is \w+ there, \w+ here\./,
    );
    expect(readFileSync(`${path}.checkpoint`).equals(checkpoint)).toBe(true);
    expect(existsSync(path)).toBe(false);
  });

  it("goes on with the paper's procedure as well", async () => {
    const paper = (path: string) => [
      ...['train', data, '-H', '3', '--algorithm', 'paper', '--epochs', '30', '-o', at(path)],
    ];
    expect((await pcae(paper('paper-whole.safetensors'))).code).toBe(0);
    const first = await interrupted(paper('paper.safetensors'));
    expect(first.code).toBe(130);
    expect(first.err).toContain('run the same command with --resume');
    expect(existsSync(at('paper.safetensors'))).toBe(false);
    const other = await pcae([...paper('paper.safetensors'), '--algorithm', 'fast', '--resume']);
    expect(other.err).toContain('another run: procedure is paper there, fast here. ');

    const second = await pcae([...paper('paper.safetensors'), '--resume']);
    expect(second.code, second.err).toBe(0);
    const [whole, resumed] = [
      await loadModel(at('paper-whole.safetensors'), { as: PCAE }),
      await loadModel(at('paper.safetensors'), { as: PCAE }),
    ];
    for (const part of ['W', 'B', 'curvature'] as const) expect(resumed[part]).toEqual(whole[part]);
    expect(resumed.training.epochs).toBe(30);
  });

  it('says that a checkpoint is damaged, and leaves it', async () => {
    const path = at('damaged.safetensors');
    writeFileSync(`${path}.checkpoint`, 'not a checkpoint');
    const ran = await pcae([...options(path), '--resume']);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('damaged.safetensors.checkpoint');
    expect(readFileSync(`${path}.checkpoint`, 'utf8')).toBe('not a checkpoint');
  });

  it('starts from the beginning where there is nothing to go on from', async () => {
    const path = at('fresh.safetensors');
    const ran = await pcae(['train', data, '-H', '2', '--epochs', '2', '-o', path, '--resume']);
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('starting from the beginning');
  });
});
