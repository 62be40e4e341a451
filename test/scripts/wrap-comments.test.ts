import { describe, expect, it } from 'vitest';
// @ts-expect-error: a script without types
import { wrapped } from '../../scripts/wrap-comments.mjs';

const words = 'a comment of some words that go on '.repeat(4).trim();

describe('comments that are too long', () => {
  it.each([
    [`// ${words}\ncode();`],
    [`  /** ${words} */\n  readonly x: number;`],
    [`/**\n * ${words}\n * and a last line.\n */`],
    [`/**\n * ${words}\n *\n * Another paragraph.\n */`],
    [`/**\n * - ${words}\n * - the next item\n */`],
    [`/**\n * ${words}\n * @module pc-ae\n */`],
  ])('wrap, keep their words and the paragraphs, and then stay: %j', (text) => {
    const short: string = wrapped(text);
    for (const line of short.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
    const said = (of: string) =>
      of
        .replace(/\/\*\*|\*\/|^\s*(\*(?!\/)|\/\/)/gm, ' ')
        .split(/\s+/)
        .filter(Boolean);
    expect(said(short)).toEqual(said(text));
    expect(short.match(/^\s*\*?$/gm)?.length).toBe(text.match(/^\s*\*?$/gm)?.length);
    expect(wrapped(short)).toBe(short);
  });

  it('join the lines that go on, but neither items nor tags', () => {
    expect(wrapped(`// ${words}\n// and more.`)).toMatch(/\n\/\/ .*on and more\.$/);
    expect(wrapped(`/**\n * - ${words}\n * - next\n */`)).toMatch(/\n \* {3}.*on\n \* - next\n/);
    expect(wrapped(`/**\n * ${words}\n * @x\n */`)).toMatch(/on\n \* @x\n/);
  });

  it('are left alone where they are code, tables or directives, or cannot be broken', () => {
    for (const line of [
      ` *   ${words}`,
      ` * | ${words} |`,
      `// biome-ignore lint: ${words}`,
      `/** ${words} of a program${'$'}{most ? ', mostly' : ''}. */`,
      `// ${'x'.repeat(120)}`,
      `const text = '${words}';`,
    ])
      expect(wrapped(line)).toBe(line);
  });
});
