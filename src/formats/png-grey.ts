import { counted } from '../rows/counted.ts';
import { badFile, FormatError } from '../rows/errors.ts';
import { joined } from './bytes.ts';
import { crc32 } from './crc32.ts';
import { unzlib } from './inflate.ts';

/** A picture in grey levels 0..255, row after row. */
export interface Grey {
  readonly height: number;
  readonly width: number;
  readonly grey: Uint8Array;
}

/**
 * The grey levels of a PNG picture of any depth and colour; colours by the weights of ITU-R BT.601, as most
 * programs do. Its header says how many bytes its pixels unpack to, and no more than that are unpacked, of no
 * other chunk any.
 */
export async function decodePng(file: Uint8Array, name: string): Promise<Grey> {
  const { header, palette, packed } = readChunks(file, name);
  const { width, height } = header;
  const passes = passesOf(header);
  const size = passes.reduce((sum, pass) => sum + pass.height * (1 + pass.stride), 0);
  const lines = await unzlib(packed, name, size);
  if (lines.length !== size) throw badFile(name, 'the pixels are not complete');
  const grey = new Uint8Array(width * height);
  let at = 0;
  for (const pass of passes) {
    unfilter(lines.subarray(at, at + pass.height * (1 + pass.stride)), pass, header, name);
    for (let y = 0; y < pass.height; y++, at += 1 + pass.stride) {
      const line = lines.subarray(at + 1, at + 1 + pass.stride);
      for (let x = 0; x < pass.width; x++) {
        const place = (pass.y + y * pass.dy) * width + pass.x + x * pass.dx;
        grey[place] = levelOf(line, x, header, palette, name, place);
      }
    }
  }
  return { height, width, grey };
}

/** A picture of more pixels than this is not one row of anything. */
const MAX_PIXELS = 2 ** 24;

interface Header {
  readonly width: number;
  readonly height: number;
  /** Bits of a sample, and samples of a pixel. */
  readonly depth: number;
  readonly channels: number;
  readonly colour: number;
  readonly interlaced: boolean;
}

const PALETTE = 3;
/** By colour type (grey, colours, palette; with alpha): samples of a pixel and their possible depths. */
const COLOURS: Readonly<Record<number, { channels: number; depths: readonly number[] }>> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  [PALETTE]: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
};

/**
 * The chunks that pixels are made of, each proven by its checksum: length, type, data, CRC-32 of type and
 * data.
 */
function readChunks(
  file: Uint8Array,
  name: string,
): { header: Header; palette?: Palette; packed: Uint8Array } {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let header: Header | undefined;
  const colours: { plain?: Uint8Array; alpha?: Uint8Array } = {};
  const parts: Uint8Array[] = [];
  for (let at = SIGNATURE; ; ) {
    const fail = (message: string) => new FormatError(name, `byte ${at}`, message);
    if (at + 12 > file.length) throw fail('the file ends before its picture does');
    const end = at + 8 + view.getUint32(at);
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8));
    if (end + 4 > file.length) throw fail('a chunk goes beyond the file');
    if (crc32(file.subarray(at + 4, end)) !== view.getUint32(end))
      throw fail('a chunk is damaged: its checksum does not fit');
    const data = file.subarray(at + 8, end);
    if (!header !== (type === 'IHDR')) throw fail('a picture begins with its header, and has one');
    if (type === 'IHDR') header = readHeader(data, name);
    else if (type === 'PLTE') colours.plain = data;
    else if (type === 'tRNS') colours.alpha = data;
    else if (type === 'IDAT') parts.push(data);
    else if (type === 'IEND') break;
    else if (type[0] < 'a') throw fail(`a chunk of type ${type} is not known, and is needed for the pixels`);
    at = end + 4;
  }
  return {
    header: header!,
    palette: header!.colour === PALETTE ? readPalette(colours, name) : undefined,
    packed: joined(parts),
  };
}

const SIGNATURE = 8;

function readHeader(data: Uint8Array, name: string): Header {
  const wrong = (found: string) => new FormatError(name, 'byte 16', found);
  if (data.length !== 13) throw wrong(`a header of ${counted(data.length, 'byte')}, expected 13`);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  if (!(width > 0 && height > 0 && width * height <= MAX_PIXELS))
    throw wrong(`claims ${width} x ${height} pixels; at most ${MAX_PIXELS} are read`);
  const [depth, colour, compression, filter, interlace] = data.subarray(8);
  const kind = COLOURS[colour];
  if (!kind?.depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1)
    throw wrong(`pixels of a kind that PNG does not have (${data.subarray(8).join(', ')})`);
  return { width, height, depth, colour, channels: kind.channels, interlaced: interlace === 1 };
}

/** The grey level of each colour; -1 where it is transparent. */
type Palette = Int16Array;

function readPalette(colours: { plain?: Uint8Array; alpha?: Uint8Array }, name: string): Palette {
  const { plain = new Uint8Array(0), alpha } = colours;
  if (plain.length === 0 || plain.length % 3 !== 0 || plain.length > 768)
    throw badFile(name, `the palette has ${counted(plain.length, 'byte')}, expected three for each colour`);
  return Int16Array.from({ length: plain.length / 3 }, (_, k) =>
    (alpha?.[k] ?? 255) === 255 ? Math.round(mixed(plain[3 * k], plain[3 * k + 1], plain[3 * k + 2])) : -1,
  );
}

function mixed(red: number, green: number, blue: number): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

/** Pixels that are stored together: the whole picture, or one of the seven grids of an interlaced one. */
interface Pass {
  readonly x: number;
  readonly y: number;
  readonly dx: number;
  readonly dy: number;
  readonly width: number;
  readonly height: number;
  /** Bytes of a line, after the one that names its filter. */
  readonly stride: number;
}

/** First column and line, and steps, of the grids of an interlaced picture (Adam7). */
const GRIDS = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

function passesOf({ width, height, channels, depth, interlaced }: Header): Pass[] {
  return (interlaced ? GRIDS : [[0, 0, 1, 1]])
    .map(([x, y, dx, dy]) => {
      const columns = Math.ceil((width - x) / dx);
      const stride = Math.ceil((columns * channels * depth) / 8);
      return { x, y, dx, dy, width: columns, height: Math.ceil((height - y) / dy), stride };
    })
    .filter((pass) => pass.width > 0 && pass.height > 0);
}

/** Takes the filters off, in place: each byte is the difference from what its neighbours foretell. */
function unfilter(
  lines: Uint8Array,
  { height, stride }: Pass,
  { channels, depth }: Header,
  name: string,
): void {
  const step = Math.max(1, (channels * depth) >> 3);
  let above: Uint8Array = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const start = y * (1 + stride);
    const line = lines.subarray(start + 1, start + 1 + stride);
    const filter = lines[start];
    if (filter > 4) throw new FormatError(name, `line ${y + 1} of pixels`, `filter ${filter} is not known`);
    for (let k = 0; filter > 0 && k < stride; k++) {
      const left = k < step ? 0 : line[k - step];
      if (filter === 1) line[k] += left;
      else if (filter === 2) line[k] += above[k];
      else if (filter === 3) line[k] += (left + above[k]) >> 1;
      else line[k] += nearest(left, above[k], k < step ? 0 : above[k - step]);
    }
    above = line;
  }
}

/** Of three neighbours the one that is nearest to left + above - corner (Paeth). */
function nearest(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

function levelOf(
  line: Uint8Array,
  x: number,
  header: Header,
  palette: Palette | undefined,
  name: string,
  place: number,
): number {
  const { channels, depth } = header;
  const most = 2 ** depth - 1;
  const sample = (c: number): number => {
    const k = x * channels + c;
    if (depth === 8) return line[k];
    if (depth === 16) return 256 * line[2 * k] + line[2 * k + 1];
    const bit = k * depth;
    return (line[bit >> 3] >> (8 - depth - (bit & 7))) & most;
  };
  const level = palette ? palette[sample(0)] : undefined;
  if (palette && level === undefined)
    throw new FormatError(
      name,
      `pixel ${place}`,
      `is of colour ${sample(0)}, which the palette does not have`,
    );
  if (level === -1 || (channels % 2 === 0 && sample(channels - 1) !== most))
    throw new FormatError(name, `pixel ${place}`, 'is transparent: put the picture on a background first');
  if (level !== undefined) return level;
  const own = channels < 3 ? sample(0) : mixed(sample(0), sample(1), sample(2));
  return Math.round((own * 255) / most);
}
