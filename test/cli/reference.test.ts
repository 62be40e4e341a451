import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { documentationOf } from '../../src/cli/document.ts';
import { reference } from '../../src/cli/reference.ts';
import { createProgram } from '../../src/cli/run.ts';
import { pcae, silentIo } from './helpers.ts';

const program = await createProgram(silentIo());
const leaves = (command: Command): Command[] =>
  command.commands.length > 0 ? command.commands.flatMap(leaves) : [command];

describe('the reference of the command line', () => {
  it('is up to date (npm run build && node scripts/cli-reference.mjs)', () => {
    const stored = readFileSync(resolve(import.meta.dirname, '../../docs/cli.md'), 'utf8');
    expect(stored).toBe(reference(program));
  });

  it.each(leaves(program).map((command) => [command.name(), command] as const))(
    '%s has a summary, examples and documented JSON fields',
    (_, command) => {
      const about = documentationOf(command);
      expect(command.summary()).not.toBe('');
      expect(about?.examples.length).toBeGreaterThan(0);
      expect(Object.keys(about?.json ?? {})).not.toEqual([]);
      for (const option of command.options) expect(option.description, option.flags).not.toBe('');
    },
  );
});

describe('help', () => {
  it('shows examples and fields', async () => {
    const ran = await pcae(['eval', '--help']);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('Examples:');
    expect(ran.out).toContain('lossPerBit');
    expect(ran.out).toContain('--json');
  });

  it('answers a wrong command with a suggestion and code 2', async () => {
    const ran = await pcae(['trian']);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('Did you mean train?');
  });

  it('prints the version', async () => {
    const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'));
    expect(await pcae(['--version'])).toMatchObject({ code: 0, out: `${version}\n` });
  });

  it.each(['bash', 'zsh', 'fish'])(
    'completes in %s every command and the choices of options',
    async (shell) => {
      const { code, out } = await pcae(['completion', shell]);
      expect(code).toBe(0);
      for (const word of [...leaves(program).map((command) => command.name()), 'threshold', 'fish']) {
        expect(out).toContain(word);
      }
    },
  );
});
