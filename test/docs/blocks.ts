import { fork, spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/**
 * A fenced block of a page: its language, the rest of its first line, its text, and the line it starts at.
 */
export interface Block {
  readonly language: string;
  readonly about: string;
  readonly text: string;
  readonly line: number;
}

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  for (const { 1: info, 2: text, index } of page.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)) {
    const [language = '', ...about] = info.trim().split(/\s+/);
    blocks.push({ language, about: about.join(' '), text, line: page.slice(0, index).split('\n').length });
  }
  return blocks;
}

/**
 * A process that runs programs and commands in a folder against the built package. Each gives what it prints.
 */
export function openRunner(folder: string) {
  const child = fork(join(import.meta.dirname, 'runner.mjs'), { cwd: folder, execArgv: [] });
  const ask = (what: object) =>
    new Promise<string>((resolve, reject) => {
      const ended = () => reject(new Error('the process that runs blocks has ended'));
      child.once('exit', ended);
      child.once('message', ({ printed, failed }: { printed?: string; failed?: string }) => {
        child.off('exit', ended);
        if (printed === undefined) reject(new Error(failed));
        else resolve(printed);
      });
      child.send(what);
    });
  return {
    /** A block of JavaScript as it stands, in a file of its own. */
    async script({ text, line }: Block): Promise<string> {
      const file = join(folder, `block-at-line-${line}-${++count}.mjs`);
      writeFileSync(file, text);
      const printed = await ask({ script: file });
      rmSync(file);
      return printed;
    },
    /** A command of `pcae`; in a shell if it has a pipe. */
    async command(command: string, main: string): Promise<string> {
      const plain = command.replace(/^npx (pc-ae|pcae)\b/, 'pcae');
      if (!/[|>]/.test(plain)) return ask({ command: wordsOf(plain).slice(1) });
      const script = `pcae() { "${process.execPath}" "${main}" "$@"; }\nset -eo pipefail\n${plain}`;
      return printedBy('bash', ['-c', script], folder);
    },
    close: () => child.kill(),
  };
}

let count = 0;

/** Blocks of Python, one after the other in one program, as a reader would paste them. */
export function runPython(blocks: readonly Block[], folder: string, modules: string): string {
  const program = blocks.map(({ text }) => text).join('\n');
  return printedBy('python3', ['-c', program], folder, { PYTHONPATH: modules });
}

function printedBy(program: string, args: readonly string[], cwd: string, env = {}): string {
  const options = { cwd, encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(program, args, options);
  expect(status, `${args.at(-1)}\n${stderr}`).toBe(0);
  return stdout;
}

/** The commands of a block of shell: comments dropped, lines ending in a backslash joined. */
export function commandsOf({ text }: Block): string[] {
  return text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}

function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c);
}

/**
 * What must agree between a printed result and a page: everything but the numbers, which differ by machine.
 */
export function shapeOf(output: string): string {
  return output
    .replace(/-?\d[\d.,]*(e[+-]?\d+)?/g, '#')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/-+/g, '-')
    .trim();
}
