import { convertIndexedToRgb, type DecodedPng, decode } from 'fast-png';
import { FormatError, guarded } from '../rows/errors.ts';
import type { NameList } from '../rows/names.ts';
import { type ByteSource, readAll } from './bytes.ts';
import { openNumbers } from './numbers.ts';
import type { OpenedSource, OpenOptions } from './options.ts';

/** One picture is one row. */
export async function openPng(bytes: ByteSource, options: OpenOptions): Promise<OpenedSource> {
  return openPictures(bytes.name, [bytes], undefined, options);
}

/** Pictures of one size, a row each, decoded when their row is read. */
export async function openPictures(
  name: string,
  files: readonly ByteSource[],
  ids: NameList | undefined,
  options: OpenOptions,
): Promise<OpenedSource> {
  if (files.length === 0) throw new FormatError(name, '', 'holds no PNG picture');
  const { height, width } = await readGrey(files[0]);
  const V = height * width;
  async function* chunks(size: number): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < files.length; i += size) {
      const part = files.slice(i, i + size);
      const rows = new Uint8Array(part.length * V);
      for (const [k, file] of part.entries()) {
        const picture = await readGrey(file);
        if (picture.height !== height || picture.width !== width) {
          const found = `${picture.width} x ${picture.height}`;
          throw new FormatError(
            file.name,
            '',
            `is ${found} pixels, the first picture is ${width} x ${height}`,
          );
        }
        rows.set(picture.grey, k * V);
      }
      yield rows;
    }
  }
  const image = { height, width };
  return openNumbers({ name, format: 'png', n: files.length, V, ids, image, type: 'image', chunks }, options);
}

export function isPng(start: Uint8Array): boolean {
  return start[0] === 0x89 && start[1] === 0x50 && start[2] === 0x4e && start[3] === 0x47;
}

/** A picture of more pixels than this is not one row of anything. */
const MAX_PIXELS = 2 ** 24;
const MAX_FILE = 2 ** 28;

interface Grey {
  readonly height: number;
  readonly width: number;
  readonly grey: Uint8Array;
}

async function readGrey(file: ByteSource): Promise<Grey> {
  const { name } = file;
  const bytes = await readAll(file, MAX_FILE);
  if (!isPng(bytes) || bytes.length < 33) throw new FormatError(name, 'byte 0', 'this is not a PNG picture');
  const view = new DataView(bytes.buffer);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  if (!(width > 0 && height > 0 && width * height <= MAX_PIXELS)) {
    throw new FormatError(
      name,
      'byte 16',
      `claims ${width} x ${height} pixels; at most ${MAX_PIXELS} are read`,
    );
  }
  const picture = await guarded(name, 'a PNG picture', () => {
    const decoded = decode(bytes, { checkCrc: true });
    return decoded.palette ? withoutPalette(decoded) : decoded;
  });
  if (picture.width !== width || picture.height !== height) throw new FormatError(name, '', 'has two sizes');
  return { height, width, grey: greyLevels(name, picture) };
}

function withoutPalette(picture: DecodedPng): DecodedPng {
  const channels = picture.palette![0].length;
  const data = convertIndexedToRgb(picture);
  return { ...picture, data, channels, depth: 8, palette: undefined };
}

/** Levels 0..255, whatever the depth; colours by the weights of ITU-R BT.601, as most programs do. */
function greyLevels(name: string, picture: DecodedPng): Uint8Array {
  const { width, height, channels, depth, data } = picture;
  const pixels = width * height;
  if (depth < 8) return unpackLevels(name, picture);
  if (data.length !== pixels * channels) throw new FormatError(name, '', 'the pixels are not complete');
  const scale = depth === 16 ? 255 / 65_535 : 1;
  const most = depth === 16 ? 65_535 : 255;
  const alpha = channels === 2 || channels === 4;
  const grey = new Uint8Array(pixels);
  for (let k = 0; k < pixels; k++) {
    const at = k * channels;
    if (alpha && data[at + channels - 1] !== most) {
      throw new FormatError(name, `pixel ${k}`, 'is transparent: put the picture on a background first');
    }
    const level = channels < 3 ? data[at] : 0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2];
    grey[k] = Math.round(level * scale);
  }
  return grey;
}

/** Grey levels of 1, 2 or 4 bits, several in a byte, each row of pixels starting with a new byte. */
function unpackLevels(name: string, { width, height, depth, channels, data }: DecodedPng): Uint8Array {
  const stride = Math.ceil((width * depth) / 8);
  if (channels !== 1 || data.length < stride * height)
    throw new FormatError(name, '', 'the pixels are not complete');
  const most = 2 ** depth - 1;
  const grey = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const bit = x * depth;
      const level = (data[y * stride + (bit >> 3)] >> (8 - depth - (bit & 7))) & most;
      grey[y * width + x] = Math.round((level * 255) / most);
    }
  }
  return grey;
}
