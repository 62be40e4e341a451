// TypeScript before 5.7 does not know that arrays of numbers have a type parameter, and the compiler writes it wherever a
// type was inferred. `Float32Array` alone says the same to every version, so that is what the declarations in dist say.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

for (const name of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const path = join('dist', name);
  const text = readFileSync(path, 'utf8');
  const plain = text.replace(/\b(\w+Array)<ArrayBuffer(?:Like)?>/g, '$1');
  if (plain !== text) writeFileSync(path, plain);
}
