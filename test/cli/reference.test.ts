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
  it('is up to date (npx vitest run test/cli/reference.test.ts -u)', async () => {
    await expect(reference(program)).toMatchFileSnapshot('../../docs/cli.md');
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

describe('the examples', () => {
  it('use commands and options that exist', () => {
    for (const leaf of leaves(program)) {
      for (const [line] of documentationOf(leaf)!.examples) {
        // The part that belongs to this program: an example may lead to others by a pipe.
        const [own] = line.split(/ [|>] /).filter((part) => /^(npx )?pcae\b/.test(part));
        const words = (own ?? line).replace(/^(npx )?pcae /, '').split(/\s+/);
        const inside = (at: Command, word: string) => at.commands.find((one) => one.name() === word) ?? at;
        const command = words.reduce(inside, program);
        const known = [...command.options, ...program.options].flatMap(({ short, long }) => [short, long]);
        expect(command, line).not.toBe(program);
        for (const word of words.filter((one) => /^--?[a-zA-Z]/.test(one)))
          expect(known, `${line}: ${word}`).toContain(word.split('=')[0]);
      }
    }
  });
});

describe('the help of', () => {
  const shown = async (command: Command, flag: string) => {
    const parent = command.parent === program ? [] : [command.parent!.name()];
    const { code, out, err } = await pcae([...parent, command.name(), flag], { width: 80 });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return out;
  };

  it.each(leaves(program).map((command) => [command.name(), command] as const))(
    '%s fits on a page: ten options at most, lines of 80 letters',
    async (_, command) => {
      const { first } = documentationOf(command)!;
      const visible = command.options.filter((option) => !option.hidden);
      const names = visible.map((option) => option.attributeName());
      if (visible.length > 12) expect(first?.length).toBeGreaterThan(0);
      for (const name of first ?? []) expect(names).toContain(name);
      const short = await shown(command, '--help');
      const listed = short.slice(short.indexOf('Options:'), short.indexOf('Global Options:'));
      if (first) expect(listed.match(/^ {2}-/gm)!.length).toBeLessThanOrEqual(12);
      for (const text of first ? [short, await shown(command, '--help-all')] : [short])
        expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    },
  );

  it('train shows all options, in groups, when asked for', async () => {
    const train = program.commands.find((command) => command.name() === 'train')!;
    const [short, all] = [await shown(train, '--help'), await shown(train, '--help-all')];
    expect(short).not.toContain('--checkpoint-every');
    expect(short).toContain('pcae train --help-all');
    for (const option of train.options) if (!option.hidden) expect(all).toContain(option.long);
    for (const heading of ['Learning:', 'How to read the data:', 'With --json:'])
      expect(all).toContain(heading);
  });
});

describe('names of earlier versions', () => {
  it.each([
    [['guarantee', 'm'], 'pcae inspect MODEL --drift'],
    [['fit-decoder', 'c', 'd', '-o', 'm'], 'pcae train DATA --codes'],
    [['path', 'd', '-H', '2', '--l1s', '0'], 'pcae sweep DATA -H 16 --l1'],
    [['eval', 'm', 'd', '--drift'], 'pcae eval MODEL DATA --measure-drift'],
    [['help', 'impute'], 'pcae reconstruct MODEL DATA --fill'],
    [['sweep', 'd', '-H', '2', '--path'], '--grow'],
    [['sweep', 'd', '-H', '2', '--validation=0.2'], '--held-out'],
  ])('%j: the error has the new one', async (argv, now) => {
    const { code, err, out } = await pcae(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(now);
  });
});

describe('help', () => {
  it('shows examples and fields', async () => {
    const ran = await pcae(['eval', '--help-all']);
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('Examples:');
    expect(ran.out).toContain('lossPerBit');
    expect(ran.out).toContain('--json');
  });

  it('names a longer option where one has no value or a wrong one', async () => {
    for (const wrong of [['--hidden'], ['--hidden', '-H', '2']]) {
      const ran = await pcae(['compare', 'data.csv', ...wrong]);
      expect(ran.code).toBe(2);
      expect(ran.err).toMatch(/--hidden <count>' argument .*\n\(there is also --hidden-entries\)/);
    }
    expect((await pcae(['compare', 'data.csv', '--seed'])).err).not.toContain('there is also');
  });

  it('answers a misspelt option with a suggestion, one that the short help leaves out too', async () => {
    for (const [typo, meant] of [
      ['--calibrat', '--calibrate'],
      ['--epoch', '--epochs'],
      ['--categoric', '--categorical'],
    ])
      expect((await pcae(['train', 'data.csv', '-o', 'x.safetensors', typo, '3'])).err).toContain(
        `(Did you mean ${meant}?)`,
      );
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
