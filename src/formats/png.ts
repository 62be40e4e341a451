import { badFile, FormatError } from '../rows/errors.ts';
import type { NameList } from '../rows/names.ts';
import { type ByteSource, readAll } from './bytes.ts';
import { openNumbers } from './numbers.ts';
import type { OpenedSource, OpenOptions } from './options.ts';
import { decodePng, type Grey } from './png-grey.ts';
import { startsLike } from './recognise.ts';

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
  if (files.length === 0)
    throw badFile(name, 'is a folder without PNG pictures. Name a file to read a table');
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
          throw badFile(file.name, `is ${found} pixels, the first picture is ${width} x ${height}`);
        }
        rows.set(picture.grey, k * V);
      }
      yield rows;
    }
  }
  const image = { height, width };
  return openNumbers({ name, format: 'png', n: files.length, V, ids, image, type: 'image', chunks }, options);
}

const MAX_FILE = 2 ** 28;

async function readGrey(file: ByteSource): Promise<Grey> {
  const bytes = await readAll(file, MAX_FILE);
  if (!startsLike('png', bytes)) throw new FormatError(file.name, 'byte 0', 'this is not a PNG picture');
  return decodePng(bytes, file.name);
}
