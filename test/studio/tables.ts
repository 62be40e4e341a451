import { gzipSync } from 'node:zlib';
import { digits } from '../../src/data/digits.ts';

/** Regions and the plants that grow there, in three climates, with names and gaps. */
export function plantsCsv(n: number): string {
  const climates = [
    ['cactus', 'agave', 'yucca', 'aloe'],
    ['fir', 'moss', 'birch', 'lichen'],
    ['palm', 'orchid', 'fern', 'fig'],
  ];
  const names = climates.flat();
  let state = 7;
  const share = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32;
  };
  const lines = Array.from({ length: n }, (_, i) => {
    const climate = climates[Math.floor(3 * share())];
    const cells = names.map((name) => {
      if (share() < 0.03) return '';
      return share() < (climate.includes(name) ? 0.9 : 0.05) ? '1' : '0';
    });
    return [`region ${i}`, ...cells].join(',');
  });
  return [['region', ...names].join(','), ...lines].join('\n');
}

/** Pictures of digits as MNIST has them: gzipped IDX, and a file of labels. */
export function digitFiles(n: number): { images: Buffer; labels: Buffer } {
  const { train } = digits({ train: n, test: 0 });
  const header = (...numbers: number[]) => {
    const bytes = Buffer.alloc(4 * numbers.length);
    numbers.forEach((x, k) => {
      bytes.writeUInt32BE(x, 4 * k);
    });
    return bytes;
  };
  return {
    images: gzipSync(Buffer.concat([header(0x803, n, 28, 28), train.images])),
    labels: gzipSync(Buffer.concat([header(0x801, n), train.labels])),
  };
}
