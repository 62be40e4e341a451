import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { visible, visibleJson } from '../../src/cli/terminal.ts';
import { CONTROL } from '../../src/rows/printable.ts';
import { patterns, pcae, workFolder } from './helpers.ts';

const at = workFolder();
/**
 * Names that would clear the screen, hide what follows, turn the writing round, or begin a line of their own.
 */
const names = [
  '\x1b[2Jclear',
  'a\x9b31mred',
  'hidden\x1b]0;title\x07',
  '\u202eright',
  'bell\x07',
  'two\nlines',
];
const data = at('hostile.csv');
const model = at('model.safetensors');

const controls = (text: string) => [...text.replaceAll('\n', '').matchAll(CONTROL)].map(([found]) => found);

beforeAll(async () => {
  const rows = patterns(60, names.length).map((row, i) => [`\x1b[31mrow ${i}`, ...row]);
  const quoted = names.map((name) => `"${name}"`);
  writeFileSync(data, `${[['name', ...quoted], ...rows].map((cells) => cells.join(',')).join('\n')}\n`);
  const trained = await pcae(['train', data, '-H', '2', '--l1', '0.01', '--epochs', '3', '-o', model]);
  expect(trained.code, trained.err).toBe(0);
  expect(controls(trained.out + trained.err)).toEqual([]);
});

describe('control characters in names', () => {
  it.each([
    ['info', data],
    ['inspect', model, '--drift', '0.1', '--dearest', '6'],
    ['eval', model, data],
    ['encode', model, data, '-o', at('codes.csv')],
    ['sweep', data, '-H', '1', '--epochs', '1'],
    ['eval', model, data, '--report', at('page.html')],
    ['eval', model, at('\x1b[2Jnone.csv')],
    ['eval', model, data, '--columns', '\x1b[2J'],
    ['\x1b[2Junknown'],
  ])('never reach the terminal: %j', async (...argv) => {
    const { out, err } = await pcae(argv);
    expect(controls(out + err)).toEqual([]);
    expect(out + err).not.toBe('');
    const json = await pcae([...argv, '--json', '--force']);
    expect(controls(json.out + json.err)).toEqual([]);
  });

  it('stay as they are in rows for other programs, but not on a terminal', async () => {
    const [piped, typed] = [
      await pcae(['convert', data]),
      await pcae(['convert', data], { outTerminal: true }),
    ];
    expect(controls(piped.out)).not.toEqual([]);
    expect(controls(typed.out)).toEqual([]);
    expect(typed.out).toContain('\\x1b[2Jclear');
  });

  it('come back when JSON is read', async () => {
    const { columns } = (await pcae(['inspect', model, '--json'])).json() as unknown as { columns: string[] };
    expect(columns).toEqual(names);
    expect(JSON.parse(visibleJson({ names }))).toEqual({ names });
    expect(visible('a\nb\tc\x1b')).toBe('a\nb\\x09c\\x1b');
  });
});
