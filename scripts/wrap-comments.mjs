/**
 * Comments wrap at 110 columns, as code does, which the formatter wraps. `node scripts/wrap-comments.mjs`
 * moves what exceeds to the next line; `--check` names the files where it would.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const WIDTH = 110;

/** A line of a comment: how it begins, the mark of an item of a list, and the words. */
const COMMENT = /^(\s*(?:\/\*\*|\*|\/\/) )(- )?(\S.*)$/;

/**
 * Lines that are no prose: directives, tags, tables, code, and what a template puts into a program's comment.
 */
const OTHER = /^\s*(?:\/\/\/|(?:\/\*\*|\*|\/\/) (?:biome-|@|#|\||`{3}| {2}|.*\$\{))/;

/** The text with every comment within the width, where words allow it. */
export function wrapped(text) {
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (line.length <= WIDTH || OTHER.test(line)) continue;
    const single = /^(\s*)\/\*\* (.*) \*\/$/.exec(line);
    if (single) {
      lines.splice(i, 1, `${single[1]}/**`, `${single[1]} * ${single[2]}`, `${single[1]} */`);
      continue;
    }
    const [, begin, item = ''] = COMMENT.exec(line) ?? [];
    const end = line.lastIndexOf(' ', WIDTH);
    if (begin === undefined || end < begin.length + item.length) continue;
    const next = begin.replace('/**', ' *') + item.replace('-', ' ');
    const rest = line.slice(end + 1);
    lines[i] = line.slice(0, end);
    if (continues(lines[i + 1], next)) lines[i + 1] = `${next}${rest} ${lines[i + 1].slice(next.length)}`;
    else lines.splice(i + 1, 0, next + rest);
  }
  return lines.join('\n');
}

/** Whether a line goes on with the paragraph of the line before, whose continuation begins like this. */
function continues(line, before) {
  return line?.startsWith(before) && /^[^\s@|`*/-]/.test(line.slice(before.length)) && !OTHER.test(line);
}

function main() {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs'], { encoding: 'utf8' }).trim().split('\n');
  const long = files.filter((file) => {
    const text = readFileSync(file, 'utf8');
    const short = wrapped(text);
    if (short !== text && !process.argv.includes('--check')) writeFileSync(file, short);
    return short !== text;
  });
  for (const file of long) console.log(file);
  if (process.argv.includes('--check') && long.length > 0) {
    console.error(`comments beyond ${WIDTH} columns; node scripts/wrap-comments.mjs wraps them`);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
