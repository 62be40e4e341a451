/**
 * Databases that keep two strings of bits for each row and give a shortlist by Hamming distance: PostgreSQL
 * (PGlite, in WebAssembly) with pgvector, and SQLite with sqlite-vec. The shortlist is by the one string
 * (signs, all bits of a row), and what comes back is the other one: our codes, to be scored here.
 *
 *   npm install --no-save @electric-sql/pglite@0.3
 *   npm install --no-save sqlite-vec @photostructure/sqlite      from Node 22.13 on, node:sqlite does in the place of the second
 *
 * A row is { id, signs, code }; bits are packed with the first one least significant.
 */

/** What it takes to open each database; rejects where its packages are not installed. */
export const databases = { pglite: openPglite, sqlite: openSqlite };

export async function openPglite(V, bits) {
  const [{ PGlite }, { vector }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite/vector'),
  ]);
  const database = await PGlite.create({ extensions: { vector } });
  await database.exec(
    `create extension vector; create table rows (id int primary key, signs bit(${V}), code bytea)`,
  );
  return {
    async add(rows) {
      for (let from = 0; from < rows.length; from += 500) {
        const lines = rows
          .slice(from, from + 500)
          .map(
            ({ id, signs, code }) =>
              `(${id}, '${text(signs, V)}', '\\x${Buffer.from(code).toString('hex')}')`,
          );
        await database.exec(`insert into rows values ${lines.join()}`);
      }
    },
    async shortlist(signs, count) {
      const sql = `select id, code from rows order by signs <~> '${text(signs, V)}', id limit ${count}`;
      const { rows } = await database.query(sql);
      return rows.map(({ id, code }) => ({ id, code: code.subarray(0, bits / 8) }));
    },
    close: () => database.close(),
  };
}

export async function openSqlite(V) {
  const [{ load }, { DatabaseSync }] = await Promise.all([import('sqlite-vec'), sqlite()]);
  const database = new DatabaseSync(':memory:', { allowExtension: true });
  database.enableLoadExtension(true);
  load(database);
  // Bits of a vec0 table fill whole bytes.
  const width = 8 * Math.ceil(V / 8);
  database.exec(
    `create virtual table rows using vec0(id integer primary key, signs bit[${width}], +code blob)`,
  );
  const insert = database.prepare('insert into rows values (?, vec_bit(?), ?)');
  const nearest = database.prepare(
    'select id, code from rows where signs match vec_bit(?) and k = ? order by distance',
  );
  return {
    async add(rows) {
      database.exec('begin');
      for (const { id, signs, code } of rows) insert.run(BigInt(id), signs, code);
      database.exec('commit');
    },
    shortlist: async (signs, count) => nearest.all(signs, BigInt(count)),
    close: async () => database.close(),
  };
}

/** Node's own SQLite where it may load extensions, or the package that stands in for it. */
async function sqlite() {
  const own = await import('node:sqlite').catch(() => undefined);
  return own?.DatabaseSync.prototype.enableLoadExtension ? own : import('@photostructure/sqlite');
}

function text(bytes, V) {
  return Array.from({ length: V }, (_, v) => (bytes[v >> 3] >> (v & 7)) & 1).join('');
}
