import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const source = fileURLToPath(new URL('../../src/', import.meta.url));

/** The rooms that the engine needs. */
const rooms = ['encodings', 'engine', 'losses', 'math', 'rows'];

/** A source file as JavaScript, types stripped, its imports naming .js files. */
export async function transpile(path: string): Promise<string> {
  const text = await readFile(join(source, path), 'utf8');
  return ts.transpileModule(text, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      rewriteRelativeImportExtensions: true,
    },
  }).outputText;
}

/** The engine's sources as JavaScript in a folder, for a process of its own. */
export async function transpileTo(folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  for (const room of rooms) {
    const names = await readdir(join(source, room), { recursive: true });
    for (const name of names.filter((file) => file.endsWith('.ts'))) {
      const to = join(folder, room, name.replace(/\.ts$/, '.js'));
      await mkdir(dirname(to), { recursive: true });
      await writeFile(to, await transpile(join(room, name)));
    }
  }
}
