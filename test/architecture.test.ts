import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawHouse } from './house.ts';

/** The table of rooms in docs/architecture.md, as the law that imports obey. */
interface Room {
  readonly uses: ReadonlySet<string>;
  readonly node: boolean;
  /** What the table says about its contents. */
  readonly holds: string;
}

const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');

function readRooms(): Map<string, Room> {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const rooms = new Map<string, Room>();
  for (const line of text.split('\n')) {
    const cells = line.split('|').map((cell) => cell.trim());
    if (cells.length !== 6 || !/^[a-z]+$/.test(cells[1]) || cells[1] === 'room') continue;
    const [, room, uses, node, holds] = cells;
    rooms.set(room, { uses: new Set(uses.split(' ').filter(Boolean)), node: node === 'Node', holds });
  }
  return rooms;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|svelte)$/.test(name))
    .map((name) => join(folder, name));
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^'\s]+)'/g)].map((match) => match[1]);
}

const rooms = readRooms();
const roomOf = (file: string) => relative(src, file).split('/')[0];

/** The rooms that a room imports from, with the imports. */
function usedBy(room: string): Map<string, string[]> {
  const used = new Map<string, string[]>();
  for (const file of filesIn(join(src, room))) {
    for (const name of importsOf(file).filter((name) => name.startsWith('.'))) {
      const target = roomOf(resolve(dirname(file), name));
      if (target === room) continue;
      used.set(target, [...(used.get(target) ?? []), `${relative(src, file)}: ${name}`]);
    }
  }
  return used;
}

describe('the house', () => {
  it('lists exactly the rooms that exist', () => {
    const found = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect([...rooms.keys()].sort()).toEqual(found.map((entry) => entry.name).sort());
  });

  it.each([...rooms])('says what the folders of %s hold', (room, { holds }) => {
    const folders = readdirSync(join(src, room), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'node')
      .map((entry) => entry.name);
    expect(Array.from(holds.matchAll(/`(\w+)\/`/g), ([, name]) => name).sort()).toEqual(folders.sort());
  });

  it('has no circle in its table', () => {
    const visit = (room: string, path: readonly string[]): void => {
      expect(path, `${[...path, room].join(' -> ')}`).not.toContain(room);
      for (const next of rooms.get(room)?.uses ?? []) visit(next, [...path, room]);
    };
    for (const room of rooms.keys()) visit(room, []);
  });

  for (const room of rooms.keys()) {
    it(`${room} uses the rooms that the table says, and no others`, () => {
      const used = usedBy(room);
      const wrong = [...used].filter(([other]) => !rooms.get(room)?.uses.has(other));
      expect(wrong).toEqual([]);
      expect([...used.keys()].sort()).toEqual([...rooms.get(room)!.uses].sort());
    });
  }

  it('looks as docs/images/house.svg shows it (run this test with -u to draw it anew)', async () => {
    const uses = new Map([...rooms.keys()].map((room) => [room, new Set(usedBy(room).keys())]));
    // These rooms run what scripts/build-kernels.mjs compiles.
    for (const room of ['engine', 'search']) uses.get(room)!.add('kernels');
    await expect(drawHouse(uses, 'kernels')).toMatchFileSnapshot('../docs/images/house.svg');
  });

  it.each(['paper', 'studio', 'cluster'])(
    'has a workspace %s that knows the package alone, as its users do',
    (name) => {
      const folder = join(root, name, 'src');
      const onNode = name !== 'studio';
      const { dependencies } = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'));
      const inside = (file: string, name: string) => resolve(dirname(file), name).startsWith(`${folder}/`);
      const known = (name: string) =>
        (name.startsWith('node:') && onNode) ||
        ['svelte', ...Object.keys(dependencies)].some((one) => `${name}/`.startsWith(`${one}/`));
      for (const file of filesIn(folder)) {
        const strange = importsOf(file).filter(
          (name) => !(name.startsWith('.') ? inside(file, name) : known(name)),
        );
        expect(strange, relative(root, file)).toEqual([]);
      }
      for (const file of filesIn(src)) {
        const strange = importsOf(file).filter((name) =>
          /^pc-ae|\/(paper|studio|cluster)\/(src|dist)\//.test(name),
        );
        expect(strange, relative(root, file)).toEqual([]);
      }
    },
  );

  it('asks an encoding for what it can do, and not for its name', () => {
    const asks = /encoding\w*(\.name)? *[!=]== *'|name *=== *'(bits|real|box|simplex|ball|nonnegative)'/;
    const asking = filesIn(src).filter((file) => asks.test(readFileSync(file, 'utf8')));
    expect(asking.map((file) => relative(src, file))).toEqual([]);
  });

  it("uses Node's modules only where a browser never comes", () => {
    const wrong: string[] = [];
    for (const file of filesIn(src)) {
      const parts = relative(src, file).split('/');
      if (rooms.get(parts[0])?.node || parts.slice(0, -1).includes('node') || parts[0] === 'node.ts')
        continue;
      if (importsOf(file).some((name) => name.startsWith('node:'))) wrong.push(parts.join('/'));
      if (importsOf(file).some((name) => /(^|\/)node(\/|\.ts$)/.test(name) && name.startsWith('.'))) {
        wrong.push(`${parts.join('/')} (through a node folder)`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
