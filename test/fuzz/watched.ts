import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Case } from './case.ts';
import type { Answer } from './worker.ts';

/**
 * A small file may take this much processor time (a first call of an engine included) and memory, and not
 * more.
 */
const MOST_SECONDS = 5;
const MOST_MEMORY = 700;
/** Beyond this a process is ended; it need not say anything any more. */
const END_SECONDS = 30;
const END_MEMORY = 4000;
/** Of the clock: nothing is computed, and nothing comes. */
const END_WAIT = 120;
/** Files after which a process is replaced. */
const LIFETIME = 2000;

/**
 * A process that opens files, watched from outside: it may hang, fill the memory or die, and is started
 * again.
 */
export class Watched {
  private readonly script: URL;
  private child: ChildProcess | undefined;
  private asked = 0;

  constructor(script: URL) {
    this.script = script;
  }

  async ask(given: Case): Promise<Answer> {
    if (this.asked >= LIFETIME) await this.close();
    const child = this.child ?? (await this.start());
    this.asked++;
    child.send(given);
    const answer = await watch(child);
    if (answer.kind === 'finding') {
      await this.close();
      return answer;
    }
    const over = beyond(answer.seconds, answer.memory, MOST_SECONDS, MOST_MEMORY);
    return over ? { ...answer, kind: 'finding', message: over } : answer;
  }

  async askFresh(given: Case): Promise<Answer> {
    await this.close();
    return this.ask(given);
  }

  async close(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    this.asked = 0;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  private async start(): Promise<ChildProcess> {
    this.child = fork(this.script, {
      execArgv: ['--max-old-space-size=3000'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    const [first] = await once(this.child, 'message');
    if (first !== 'ready') throw new Error('the worker did not start');
    return this.child;
  }
}

/** The answer of the process; or what it was ended for, or how it died. */
function watch(child: ChildProcess): Promise<Answer> {
  const before = { seconds: secondsOf(child.pid!), memory: memoryOf(child.pid!) };
  const began = performance.now();
  return new Promise((resolve) => {
    const failed = (message: string, seconds: number, memory: number) =>
      done({ kind: 'finding', message, seconds, memory });
    const timer = setInterval(() => {
      const seconds = secondsOf(child.pid!) - before.seconds;
      const memory = memoryOf(child.pid!) - before.memory;
      const waited = (performance.now() - began) / 1000;
      const over = beyond(seconds, memory, END_SECONDS, END_MEMORY);
      if (over || waited > END_WAIT) failed(over ?? `nothing came in ${END_WAIT} s`, seconds, memory);
    }, 100);
    let errors = '';
    const heard = (piece: Buffer) => {
      errors = `${errors}${piece}`.slice(-2000);
    };
    const died = (code: number | null, signal: string | null) =>
      failed(
        `the process died (${signal ?? code}): ${errors.split('\n').find((line) => /Error|FATAL/.test(line)) ?? ''}`,
        0,
        0,
      );
    const done = (answer: Answer) => {
      clearInterval(timer);
      child.off('message', done).off('exit', died);
      child.stderr?.off('data', heard);
      resolve(answer);
    };
    child.on('message', done).on('exit', died);
    child.stderr?.on('data', heard);
  });
}

function beyond(
  seconds: number,
  memory: number,
  mostSeconds: number,
  mostMemory: number,
): string | undefined {
  if (seconds > mostSeconds) return `took more than ${mostSeconds} s of the processor`;
  return memory > mostMemory ? `took more than ${mostMemory} MiB` : undefined;
}

/** Processor time of a process so far (Linux; elsewhere only the clock is watched). */
function secondsOf(pid: number): number {
  const fields = statOf(pid, 'stat')
    ?.replace(/^.*\) /, '')
    .split(' ');
  return fields ? (Number(fields[11]) + Number(fields[12])) / 100 : 0;
}

/** Memory of a process, in MiB. */
function memoryOf(pid: number): number {
  const fields = statOf(pid, 'statm')?.split(' ');
  return fields ? (Number(fields[1]) * 4096) / 2 ** 20 : 0;
}

function statOf(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
