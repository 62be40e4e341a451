import { type FileHandle, open } from 'node:fs/promises';
import { decodeElements, type ElementType, elementBytes } from '../formats/elements.ts';
import { explained, fileBytes } from '../formats/node/file.ts';
import { npyElement, npyHeader } from '../formats/npy.ts';
import { counted } from '../rows/counted.ts';
import { badFile, FormatError } from '../rows/errors.ts';

/** An NPY file of vectors, of which single rows are read. */
export class NpyRows {
  readonly n: number;
  readonly V: number;
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #offset: number;
  readonly #element: { element: ElementType; littleEndian: boolean };

  private constructor(
    path: string,
    file: FileHandle,
    header: { shape: readonly number[]; offset: number; descr: string },
  ) {
    this.#path = path;
    this.#file = file;
    [this.n, this.V] = header.shape;
    this.#offset = header.offset;
    this.#element = npyElement(path, header.descr);
  }

  static async open(path: string): Promise<NpyRows> {
    const { descr, fortran, shape, offset } = await npyHeader(await fileBytes(path));
    if (fortran || shape.length !== 2) {
      throw badFile(path, 'must hold a table of two dimensions whose rows lie one after the other');
    }
    return new NpyRows(path, await explained(path, open(path, 'r')), { descr, shape, offset });
  }

  async row(i: number): Promise<ArrayLike<number>> {
    if (!(i < this.n)) throw badFile(this.#path, `has ${counted(this.n, 'row')}; row ${i} is needed`);
    const { element, littleEndian } = this.#element;
    const bytes = new Uint8Array(this.V * elementBytes(element));
    const { bytesRead } = await this.#file.read(bytes, 0, bytes.length, this.#offset + i * bytes.length);
    if (bytesRead < bytes.length) throw new FormatError(this.#path, `row ${i}`, 'the file ends within it');
    return decodeElements(bytes, element, littleEndian);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
