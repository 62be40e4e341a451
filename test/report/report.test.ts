import { describe, expect, it } from 'vitest';
import { sparsityFigure } from '../../src/figures.ts';
import { report } from '../../src/report/report.ts';
import { parseXml } from '../figures/xml.ts';

const hostile = '<script>alert("&")</script>';
const page = report({
  title: hostile,
  lead: hostile,
  summary: [
    ['Train loss', 41.2, 'nats per row'],
    [hostile, hostile, hostile],
  ],
  sections: [
    {
      title: hostile,
      parts: [
        { kind: 'text', text: `One.\n\n${hostile}` },
        {
          kind: 'figure',
          svg: sparsityFigure({ series: [{ label: hostile, W: [1, 0] }] }),
          caption: hostile,
        },
        {
          kind: 'table',
          caption: hostile,
          columns: ['H', 'method'],
          rows: [[2, hostile], ['~3.5', '5 units of it'], [4]],
        },
      ],
    },
  ],
  footer: { version: '0.1.0', seed: 1, [hostile]: hostile },
});

/** The page as XML: void elements closed, style sheets left out. */
const asXml = page
  .replace('<!doctype html>\n', '')
  .replace(/<meta ([^>]*)>/g, '<meta $1/>')
  .trim();

describe('report', () => {
  it('is well-formed, and shows markup in texts as it stands', () => {
    const { names, texts } = parseXml(asXml);
    expect(names).not.toContain('script');
    expect(names.filter((name) => name === 'p')).toHaveLength(3);
    expect(texts.filter((text) => text.includes('&lt;script&gt;'))).toHaveLength(14);
  });

  it('asks for nothing from outside', () => {
    expect(page).not.toMatch(/(?:src|href)="(?!data:)|url\(|@import|<link/);
    expect(page.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:/);
  });

  it('sets columns of numbers to the right, others to the left', () => {
    expect(page).toContain('<th class="number">H</th><th>method</th>');
    expect(page).toContain('<td class="number">~3.5</td><td>5 units of it</td>');
  });

  it('lets tables of many columns be wider than the text, and numbers stay on their line', () => {
    const table = (columns: string[], row: string[]) =>
      report({ title: '', sections: [{ title: '', parts: [{ kind: 'table', columns, rows: [row] }] }] });
    const many = table([...'abcdefg'], ['a name', ...new Array<string>(6).fill('1.5 ± 0.2 (2 of 3 folds)')]);
    expect(many).toContain('<div class="wide broad">');
    expect(many).toContain('<td>a name</td>');
    expect(many).toContain('>1.5\u00a0±\u00a00.2 (2\u00a0of\u00a03\u00a0folds)<');
    expect(table(['a', 'b'], ['1', '2'])).toContain('<div class="wide">');
  });

  it('may have nothing but a title', () => {
    const empty = report({ title: 'Nothing yet', sections: [] });
    expect(empty).toContain('<h1>Nothing yet</h1>');
    expect(empty).not.toMatch(/<table|<footer/);
  });
});
