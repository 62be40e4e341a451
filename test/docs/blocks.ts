import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { pcae } from '../cli/helpers.ts';

/** A fenced block of a page: its language, the rest of its first line, its text, and the line it starts at. */
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

/** Runs a JavaScript block as it stands, in a file of its own, against the built package. Gives what it prints. */
export function runScript({ text, line }: Block, folder: string): string {
  const file = join(folder, `block-at-line-${line}.mjs`);
  writeFileSync(file, text);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
  expect(status, `${text}\n${stderr}`).toBe(0);
  rmSync(file);
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

/** Runs one command of `pcae` in this process, or in a shell if it has a pipe. Gives what it prints. */
export async function runCommand(command: string, main: string): Promise<string> {
  const plain = command.replace(/^npx (pc-ae|pcae)\b/, 'pcae');
  if (/[|>]/.test(plain)) {
    const script = `pcae() { "${process.execPath}" "${main}" "$@"; }\nset -eo pipefail\n${plain}`;
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(status, `${command}\n${stderr}`).toBe(0);
    return stdout;
  }
  const { code, out, err } = await pcae(wordsOf(plain).slice(1), { width: 80 });
  expect(code, `${command}\n${err}`).toBe(0);
  return out;
}

function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c);
}

/** What must agree between a printed result and a page: everything but the numbers, which differ by machine. */
export function shapeOf(output: string): string {
  return output
    .replace(/-?\d[\d.,]*(e[+-]?\d+)?/g, '#')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/-+/g, '-')
    .trim();
}
