/**
 * The house as a drawing: rooms in layers, each above all that it uses. An arrow that others imply is left
 * out (cli uses rows, but so does model, which cli uses), so that what is drawn can be followed with the eye.
 */
export function drawHouse(found: ReadonlyMap<string, ReadonlySet<string>>, compiled: string): string {
  // In one order, whatever the order in which files and imports were found.
  const uses = new Map([...found.keys()].sort().map((room) => [room, new Set([...found.get(room)!].sort())]));
  const layers = inLayers(uses);
  const arrows = [...uses].flatMap(([room, others]) =>
    [...others].filter((other) => !implied(uses, room, other)).map((other): Arrow => [room, other]),
  );
  const chains = arrows.map((arrow) => chainOf(arrow, layers));
  const columns = placed(layers, chains);
  const width = COLUMN * (Math.max(...columns.values()) + 1);
  const height = LAYER * (Math.max(...layers.values()) + 1);
  const x = (node: string) => COLUMN * (columns.get(node) ?? 0) + COLUMN / 2;
  const y = (layer: number) => height - LAYER * (layer + 0.5);
  const path = (chain: readonly string[], from: number, dashed = false) =>
    `<path${dashed ? ' stroke-dasharray="4 4"' : ''} d="${chain
      .slice(1)
      .map((node, k) => {
        const [x0, x1, y0, y1] = [x(chain[k]), x(node), y(from - k) + BOX / 2, y(from - k - 1) - BOX / 2];
        const start = k === 0 ? `M${x0} ${y0}` : `L${x0} ${y0}`;
        return `${start} C${x0} ${(y0 + y1) / 2} ${x1} ${(y0 + y1) / 2} ${x1} ${y1}`;
      })
      .join(' ')}"/>`;
  const lines = chains.map((chain) =>
    path(chain, layers.get(chain[0])!, chain[chain.length - 1] === compiled),
  );
  const rooms = [...layers].map(
    ([room, layer]) =>
      `<rect x="${x(room) - WIDE / 2}" y="${y(layer) - BOX / 2}" width="${WIDE}" height="${BOX}" rx="6"/>` +
      `<text x="${x(room)}" y="${y(layer) + 5}">${room}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="The rooms of src and what each uses">
<style>
  path { fill: none; stroke: #8a94a6; stroke-width: 1.3; }
  rect { fill: #eef2f8; stroke: #4a5a75; }
  text { font: 14px system-ui, sans-serif; text-anchor: middle; fill: #1c2433; }
  @media (prefers-color-scheme: dark) {
    rect { fill: #263045; stroke: #93a4c3; }
    text { fill: #e8edf6; }
  }
</style>
${[...lines, ...rooms].join('\n')}
</svg>
`;
}

type Arrow = readonly [string, string];

const [COLUMN, LAYER, WIDE, BOX] = [104, 76, 92, 32];

/** The layer of each room: one above the highest that it uses. */
function inLayers(uses: ReadonlyMap<string, ReadonlySet<string>>): Map<string, number> {
  const layers = new Map<string, number>();
  const layerOf = (room: string): number => {
    const known = layers.get(room);
    if (known !== undefined) return known;
    const layer = 1 + Math.max(-1, ...[...(uses.get(room) ?? [])].map(layerOf));
    layers.set(room, layer);
    return layer;
  };
  for (const room of uses.keys()) layerOf(room);
  return layers;
}

/** Whether a room uses another by way of a third one too. */
function implied(uses: ReadonlyMap<string, ReadonlySet<string>>, room: string, other: string): boolean {
  const reaches = (from: string): boolean =>
    [...(uses.get(from) ?? [])].some((next) => next === other || reaches(next));
  return [...(uses.get(room) ?? [])].some((third) => third !== other && reaches(third));
}

/** An arrow with a place in every layer that it passes. */
function chainOf([from, to]: Arrow, layers: ReadonlyMap<string, number>): string[] {
  const between = layers.get(from)! - layers.get(to)! - 1;
  return [from, ...Array.from({ length: between }, (_, k) => `${from} ${to} ${k}`), to];
}

/** The column of every room and of every place that an arrow passes: near those that it is joined with. */
function placed(layers: ReadonlyMap<string, number>, chains: readonly (readonly string[])[]) {
  const all = new Map(layers);
  const neighbours = new Map<string, string[]>();
  for (const chain of chains) {
    chain.forEach((node, k) => {
      all.set(node, layers.get(chain[0])! - k);
      neighbours.set(node, [
        ...(neighbours.get(node) ?? []),
        ...chain.slice(Math.max(0, k - 1), k),
        ...chain.slice(k + 1, k + 2),
      ]);
    });
  }
  const nodes = [...all.keys()].sort();
  const rows = Array.from({ length: Math.max(...all.values()) + 1 }, (_, layer) =>
    nodes.filter((node) => all.get(node) === layer),
  );
  const columns = new Map(rows.flatMap((row) => row.map((node, k): [string, number] => [node, k])));
  const widest = Math.max(...rows.map((row) => row.length));
  for (let sweep = 0; sweep < 60; sweep++) {
    for (const row of sweep % 2 === 0 ? rows : [...rows].reverse()) {
      const wanted = new Map(
        row.map((node) => {
          const near = (neighbours.get(node) ?? [node]).map((other) => columns.get(other)!);
          return [node, near.reduce((sum, one) => sum + one, 0) / near.length];
        }),
      );
      row.sort((a, b) => wanted.get(a)! - wanted.get(b)! || (a < b ? -1 : 1));
      // Spread over the width, as close to what is wanted as the order allows.
      const shift = (widest - row.length) / 2;
      row.forEach((node, k) => {
        columns.set(node, k + shift);
      });
    }
  }
  return columns;
}
