import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { PCAE } from '../../src/model/model.ts';
import { loadModel } from '../../src/node/load-model.ts';
import { patterns, workFolder, writeCsv } from './helpers.ts';

/** The command as people run it. `npm test` builds it first. */
const main = resolve(import.meta.dirname, '../../dist/cli/main.js');
const at = workFolder();

const MAJOR = Number(process.versions.node.split('.')[0]);

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function start(
  argv: readonly string[],
  options: { readonly limit?: string; readonly input?: boolean; readonly folder?: string } = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const { limit, input = false, folder } = options;
  const words = [process.execPath, main, ...argv];
  const [program, ...rest] = limit ? ['bash', '-c', `ulimit ${limit}; exec "$@"`, 'bash', ...words] : words;
  const child = spawn(program, rest, {
    stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(folder !== undefined && { TMPDIR: folder }) },
  });
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

/** Where a link leads; nowhere once it has gone. */
function target(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

/** What lies in a folder and nobody asked for: pieces of files, locks, spools. */
function leftIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => /\.part$|\.lock|pcae-stdin/.test(name));
}

describe('the built command', () => {
  const data = at('data.csv');
  const options = (output: string) => [
    ...['train', data, '-H', '6', '--epochs', '600', '--seed', '2', '--checkpoint-every', '0.05'],
    ...['-o', output],
  ];

  beforeAll(() => {
    if (!existsSync(main)) throw new Error(`${main} is not there: run \`npm run build\` first`);
    writeCsv(data, patterns(400, 40));
  });

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
    expect(resumed.err).toContain('continuing from');
    const [a, b] = [await loadModel(whole, { as: PCAE }), await loadModel(path, { as: PCAE })];
    for (const part of ['W', 'B', 'curvature'] as const) expect(b[part]).toEqual(a[part]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'answers %s with a checkpoint and code 130',
    async (signal) => {
      const path = at(`${signal}.safetensors`);
      const { child, ended } = start(options(path));
      while (!existsSync(`${path}.checkpoint`)) await sleep(5);
      child.kill(signal);
      const { code, err } = await ended;
      expect(code).toBe(130);
      expect(err).toContain('--resume');
      expect(existsSync(path)).toBe(false);
      expect(leftIn(at('.'))).toEqual([]);
    },
  );

  it.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'leaves nothing of its standard input behind when %s ends it while it waits for more',
    async (signal) => {
      const folder = at(`tmp-${signal}`);
      mkdirSync(folder);
      const { child, ended } = start(['convert', '-', '--format', 'csv'], { input: true, folder });
      child.stdin?.on('error', () => undefined);
      child.stdin?.write('0,1\n1,0\n');
      // The spool is open as soon as a descriptor leads to a file in that folder, whose name is taken away at
      // once.
      const spools = () =>
        readdirSync(`/proc/${child.pid}/fd`)
          .map((fd) => target(`/proc/${child.pid}/fd/${fd}`))
          .filter((path) => path.startsWith(folder) && (signal !== 'SIGKILL' || path.endsWith('(deleted)')));
      while (spools().length === 0) await sleep(5);
      child.kill(signal);
      const { code, err } = await ended;
      expect({ code, err }).toEqual(
        signal === 'SIGKILL' ? { code: null, err: '' } : { code: 130, err: 'interrupted\n' },
      );
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it('refuses an output that another training writes, before any work, and takes over from one that was killed', async () => {
    const path = at('shared.safetensors');
    const long = ['train', data, '-H', '6', '--epochs', '100000', '--checkpoint-every', '0.05', '-o', path];
    const first = start(long);
    while (!existsSync(`${path}.checkpoint`)) await sleep(5);
    const second = await start([...long, '--force']).ended;
    expect(second.code).toBe(1);
    expect(second.err).toContain(`${path}: is being written by another process, number ${first.child.pid}`);
    first.child.kill('SIGKILL');
    await first.ended;
    const third = await start([...options(path), '--force']).ended;
    expect(third.code, third.err).toBe(0);
    expect(leftIn(at('.'))).toEqual([]);
  });

  it('refuses a link that leads nowhere, and a folder, before any work', async () => {
    const path = at('link.safetensors');
    symlinkSync(at('nowhere'), path);
    const ran = await start(options(path)).ended;
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toBe(`error: ${path}: is a link that leads nowhere; use --force to overwrite it\n`);
    mkdirSync(at('folder'));
    expect((await start([...options(at('folder')), '--force']).ended).err).toContain('is a folder');
  });

  it.skipIf(process.platform === 'win32')(
    'refuses a pipe as output before any work, also by force, and leaves it',
    async () => {
      const path = at('pipe');
      execFileSync('mkfifo', [path]);
      const ran = await start([...options(path), '--force']).ended;
      expect(ran).toMatchObject({ code: 1, out: '' });
      expect(ran.err).toBe(
        `error: ${path}: is a device, a pipe or a socket, which no file may replace; name a file\n`,
      );
      expect(lstatSync(path).isFIFO()).toBe(true);
    },
  );

  it('says what to do where the folder for temporary files is missing', async () => {
    const { child, ended } = start(['convert', '-', '--format', 'csv'], { input: true, folder: at('gone') });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end('0,1\n');
    const { code, err } = await ended;
    expect(code).toBe(1);
    expect(err).toContain(`${at('gone')} does not exist: set TMPDIR`);
  });

  const learn = ['train', data, '-H', '2', '-o', at('v.safetensors')];
  it.each([
    ['-v 8388608', ['--version'], 0, /^$/],
    ['-v 8388608', ['convert', data], 0, /^$/],
    // From version 24 on, Node does without the addresses that WebAssembly reserves where it may not have
    // them.
    MAJOR < 24
      ? ['-v 8388608', learn, 1, /ulimit -v unlimited`, or set NODE_OPTIONS=--disable-wasm-trap-handler/]
      : ['-v 8388608', learn, 0, /400 rows of 40 bits/],
    ['-n 128', ['convert', data], 0, /^$/],
    // From version 22 on, Node opens the files of a program one by one: whatever lets it begin is enough for
    // us.
    MAJOR < 22
      ? ['-n 20', ['convert', data], 1, /^error: too many files are open at once.*\n$/]
      : ['-n 24', ['convert', data], 0, /^$/],
  ] as [string, string[], number, RegExp][])(
    'under ulimit %s, %j has a sentence for people',
    async (limit, argv, expected, message) => {
      const { code, err } = await start(argv, { limit }).ended;
      expect(err).toMatch(message);
      expect(code).toBe(expected);
      expect(err).not.toMatch(/^ +at /m);
    },
  );

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
