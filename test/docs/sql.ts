import { execFileSync } from 'node:child_process';
import type { Block } from './blocks.ts';

/**
 * Runs the SQL of a page in the database that the first line of its block names: `sqlite` (Python's own, with
 * the tables of the folder), `pgvector` (PGlite) or `sqlite-vec`. Parameters are filled with made-up codes.
 */
export async function runSql({ about, text }: Block, folder: string): Promise<string> {
  if (about === 'pgvector') return inPgvector(text);
  if (about === 'sqlite-vec') return inSqliteVec(text);
  return execFileSync('python3', ['-c', IN_SQLITE, text], { cwd: folder, encoding: 'utf8' });
}

/**
 * Reads every CSV file that a query names as a table, and writes the result to the file that its comment
 * names.
 */
const IN_SQLITE = `
import csv, os, re, sqlite3, sys
text = sys.argv[1]
database = sqlite3.connect(':memory:')
for name in set(re.findall(r'FROM (\\w+)', text)):
    header, *lines = csv.reader(open(name + '.csv', newline=''))
    database.execute('CREATE TABLE %s (%s)' % (name, ', '.join(h + (' NUMERIC' if lines[0][k].isdigit() else '') for k, h in enumerate(header))))
    database.executemany('INSERT INTO %s VALUES (%s)' % (name, ', '.join('?' * len(header))), lines)
found = database.execute(text)
rows = found.fetchall()
assert rows
output = re.search(r'^-- .*> (\\S+)', text, re.M)
if output:
    with open(output[1], 'w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(column[0] for column in found.description)
        writer.writerows(rows)
`;

async function inPgvector(text: string): Promise<string> {
  const [{ PGlite }, { vector }] = await Promise.all([
    load('@electric-sql/pglite'),
    load('@electric-sql/pglite/vector'),
  ]);
  const database = await PGlite.create({ extensions: { vector } });
  const [code, bits] = [`[${Array.from({ length: 16 }, (_, h) => Math.sin(h))}]`, '01'.repeat(32)];
  const printed: string[] = [];
  for (const statement of statementsOf(text)) {
    const { rows } = await database.query(statement, /\$2/.test(statement) ? [code, bits] : []);
    printed.push(...rows.map((row: object) => Object.values(row).join()));
    if (/^CREATE TABLE/.test(statement))
      await database.query('INSERT INTO items VALUES (7, $1, $2)', [code, bits]);
  }
  await database.close();
  return printed.join('\n');
}

async function inSqliteVec(text: string): Promise<string> {
  const own = await load('node:sqlite').catch(() => undefined);
  const extensible = own?.DatabaseSync.prototype.enableLoadExtension;
  const [extension, { DatabaseSync }] = await Promise.all([
    load('sqlite-vec'),
    extensible ? own : load('@photostructure/sqlite'),
  ]);
  const database = new DatabaseSync(':memory:', { allowExtension: true });
  database.enableLoadExtension(true);
  extension.load(database);
  const code = Int8Array.from({ length: 16 }, (_, h) => h - 8);
  const printed = statementsOf(text).flatMap((statement) => {
    const prepared = database.prepare(statement);
    return statement.includes('?') ? prepared.all(new Uint8Array(code.buffer)) : prepared.all();
  });
  database.close();
  return printed.map((row: object) => Object.values(row).join()).join('\n');
}

function statementsOf(text: string): string[] {
  return text
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

// Packages that are not among our own: their types are not known here.
// biome-ignore lint/suspicious/noExplicitAny: see above
function load(name: string): Promise<any> {
  return import(/* @vite-ignore */ name);
}
