// What the compiler has written into dist, tidied:
//
// - TypeScript before 5.7 does not know that arrays of numbers have a type parameter, and the compiler writes
//   it wherever a type was inferred. `Float32Array` alone says the same to every version, so that is what
//   declarations say.
// - Nobody steps through generated files: they have no maps, and the package leaves their sources out, which
//   are as large as they are.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

for (const name of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
  const path = join('dist', name);
  if (/\.generated\..*\.map$/.test(name)) rmSync(path);
  if (/\.generated\.(js|d\.ts)$/.test(name)) change(path, /^\/\/# sourceMappingURL=.*\n?/m, '');
  if (name.endsWith('.d.ts')) change(path, /\b(\w+Array)<ArrayBuffer(?:Like)?>/g, '$1');
}

function change(path, found, to) {
  const text = readFileSync(path, 'utf8');
  const changed = text.replace(found, to);
  if (changed !== text) writeFileSync(path, changed);
}
