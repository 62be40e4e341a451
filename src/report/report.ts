import { escapeText } from '../figures/svg.ts';
import { reportStyle } from './style.ts';

/** A piece of a report. All texts are plain: markup in them is shown as it stands. */
export type ReportPart = TablePart | FigurePart | TextPart;

export interface TextPart {
  kind: 'text';
  /** Paragraphs are separated by an empty line. */
  text: string;
}

export interface FigurePart {
  kind: 'figure';
  /** The SVG document that a figure function returned; it goes into the page as it is. */
  svg: string;
  caption?: string;
}

export interface TablePart {
  kind: 'table';
  caption?: string;
  columns: readonly string[];
  /** Numbers, texts that begin like numbers, and dashes for those that are missing stand to the right. */
  rows: readonly (readonly (string | number)[])[];
}

/** What a number is called, the number, and what it is: its unit, or a short explanation. */
export type SummaryLine = readonly [name: string, value: string | number, meaning?: string];

export interface Report {
  title: string;
  /** A sentence under the title. */
  lead?: string;
  summary?: readonly SummaryLine[];
  sections: readonly { readonly title: string; readonly parts: readonly ReportPart[] }[];
  /** How the report was made: version, seed, options. */
  footer?: Readonly<Record<string, string | number | boolean>>;
}

/**
 * One HTML page that needs nothing else: no server, no network, no script. It follows the reader's choice of
 * light or dark, and prints.
 */
export function report(parts: Report): string {
  const { title, lead, summary = [], sections, footer = {} } = parts;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeText(title)}</title>`,
    `<style>${reportStyle}</style>`,
    '</head>',
    '<body>',
    '<header>',
    `<h1>${escapeText(title)}</h1>`,
    ...(lead ? [`<p class="lead">${escapeText(lead)}</p>`] : []),
    '</header>',
    '<main>',
    ...(summary.length > 0 ? [summaryTable(summary)] : []),
    ...sections.map((section) =>
      [
        '<section>',
        `<h2>${escapeText(section.title)}</h2>`,
        ...section.parts.map(renderPart),
        '</section>',
      ].join('\n'),
    ),
    '</main>',
    renderFooter(footer),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function renderPart(part: ReportPart): string {
  switch (part.kind) {
    case 'text':
      return part.text
        .split(/\n\s*\n/)
        .map((paragraph) => `<p>${escapeText(paragraph.trim())}</p>`)
        .join('\n');
    case 'figure': {
      const caption = part.caption ? `<figcaption>${escapeText(part.caption)}</figcaption>` : '';
      return `<figure>${part.svg}${caption}</figure>`;
    }
    case 'table':
      return renderTable(part);
  }
}

function renderTable({ caption, columns, rows }: TablePart): string {
  const numeric = columns.map((_, c) => rows.length > 0 && rows.every((row) => looksNumeric(row[c])));
  const cell = (tag: string, value: string, c: number) =>
    `<${tag}${numeric[c] ? ' class="number"' : ''}>${escapeText(value)}</${tag}>`;
  const content = (value: string | number | undefined, c: number) =>
    numeric[c] ? unbroken(String(value ?? '')) : String(value ?? '');
  const head = columns.map((name, c) => cell('th', name, c)).join('');
  const body = rows.map(
    (row) => `<tr>${columns.map((_, c) => cell('td', content(row[c], c), c)).join('')}</tr>`,
  );
  const name = caption ? `<caption>${escapeText(caption)}</caption>` : '';
  const shape = columns.length > BROAD ? 'wide broad' : 'wide';
  return `<div class="${shape}"><table>${name}<thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

/** Tables with more columns than this may be wider than the text, as wide as the window. */
const BROAD = 6;

/** A number stays on its line; a remark in brackets after it may go to the next. */
function unbroken(value: string): string {
  return value.replace(/ (?!\()/g, '\u00a0');
}

function looksNumeric(value: string | number | undefined): boolean {
  return typeof value === 'number' || value === undefined || /^–?$|^[-+–<>~≤≥]?\s*[\d.]/.test(value);
}

function summaryTable(lines: readonly SummaryLine[]): string {
  const rows = lines.map(
    ([name, value, meaning = '']) =>
      `<tr><th scope="row">${escapeText(name)}</th><td class="number">${escapeText(String(value))}</td>` +
      `<td class="meaning">${escapeText(meaning)}</td></tr>`,
  );
  return `<div class="wide"><table class="summary"><tbody>${rows.join('\n')}</tbody></table></div>`;
}

function renderFooter(facts: Readonly<Record<string, string | number | boolean>>): string {
  const items = Object.entries(facts).map(
    ([name, value]) => `<div><dt>${escapeText(name)}</dt><dd>${escapeText(String(value))}</dd></div>`,
  );
  return items.length > 0 ? `<footer><dl>${items.join('')}</dl></footer>` : '';
}
