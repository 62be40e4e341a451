import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadModel } from '../../src/node/model-files.ts';
import { patterns, workFolder, writeCsv } from './helpers.ts';

/** The command as people run it, where it has been built (npm test builds it first). */
const main = resolve(import.meta.dirname, '../../dist/cli/main.js');
const at = workFolder();

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function start(argv: readonly string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [main, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { out: '', err: '' };
  child.stdout?.on('data', (piece) => {
    texts.out += piece;
  });
  child.stderr?.on('data', (piece) => {
    texts.err += piece;
  });
  const ended = new Promise<Ended>((done) => child.on('close', (code) => done({ code, ...texts })));
  return { child, ended };
}

describe.skipIf(!existsSync(main))('the built command', () => {
  const data = at('data.csv');
  const options = (output: string) => [
    ...['train', data, '-H', '6', '--epochs', '600', '--seed', '2', '--checkpoint-every', '0.05'],
    ...['-o', output],
  ];

  beforeAll(() => writeCsv(data, patterns(400, 40)));

  it('killed while it learns, loses nothing but time: the model is the same bit for bit', async () => {
    const whole = at('whole.safetensors');
    expect(await start(options(whole)).ended).toMatchObject({ code: 0 });

    const path = at('killed.safetensors');
    for (let kill = 0; kill < 2; kill++) {
      const { child, ended } = start([...options(path), '--resume']);
      let running = true;
      ended.then(() => {
        running = false;
      });
      while (running && !existsSync(`${path}.checkpoint`)) await sleep(5);
      await sleep(100);
      child.kill('SIGKILL');
      await ended;
      expect([existsSync(path), existsSync(`${path}.checkpoint`)]).toEqual([false, true]);
    }
    const resumed = await start([...options(path), '--resume']).ended;
    expect(resumed.code, resumed.err).toBe(0);
    expect(resumed.err).toContain('going on from');
    const [a, b] = [await loadModel(whole), await loadModel(path)];
    for (const part of ['W', 'B', 'curvature'] as const) expect(b[part]).toEqual(a[part]);
  });

  it('answers Ctrl-C with a checkpoint and code 130', async () => {
    const path = at('stopped.safetensors');
    const { child, ended } = start(options(path));
    while (!existsSync(`${path}.checkpoint`)) await sleep(5);
    child.kill('SIGINT');
    const { code, err } = await ended;
    expect(code).toBe(130);
    expect(err).toContain('--resume');
    expect(existsSync(path)).toBe(false);
  });

  it('answers Ctrl-C while it learns a stack with code 130, and writes nothing', async () => {
    const path = at('stack.safetensors');
    const { child, ended } = start(['train', data, '--layers', '12,4', '--epochs', '3000', '-o', path]);
    await new Promise((told) => child.stderr?.once('data', told));
    child.kill('SIGINT');
    const { code, err } = await ended;
    expect(code).toBe(130);
    expect(err).toContain('interrupted');
    expect(existsSync(path)).toBe(false);
  });

  it('prints errors for people and ends with 1 or 2', async () => {
    expect(await start(['eval', at('nothing'), data]).ended).toMatchObject({
      code: 1,
      out: '',
      err: `error: ${at('nothing')}: there is no such file\n`,
    });
    expect(await start(['eval']).ended).toMatchObject({ code: 2, out: '' });
  });

  it.each([[['convert', data, '--to', 'jsonl']], [['train', '--help']]])(
    '%j ends quietly when its reader has gone',
    async (argv) => {
      const { child, ended } = start(argv);
      child.stdout?.destroy();
      expect(await ended).toMatchObject({ code: 0, err: '' });
    },
  );
});
