import {
  bool,
  CompressionType,
  dictionary,
  float32,
  getCompressionCodec,
  int8,
  int32,
  list,
  setCompressionCodec,
  tableFromArrays,
  tableToIPC,
  utf8,
} from '@uwdata/flechette';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { packLz4, packZstd } from '../../formats/pack.ts';
import { plain, type Seed } from './seed.ts';

type Types = NonNullable<Parameters<typeof tableFromArrays>[1]>['types'];

function ipc(arrays: Record<string, unknown[]>, types: Types, options: object): Uint8Array {
  return tableToIPC(tableFromArrays(arrays, { types }), options)!.slice();
}

/** The same with its buffers compressed; the library's list of codecs is left as it was. */
function packedIpc(arrays: Record<string, unknown[]>, types: Types, codec: 0 | 1): Uint8Array {
  const before = getCompressionCodec(codec);
  const encode = codec === CompressionType.ZSTD ? packZstd : (bytes: Uint8Array) => packLz4(bytes);
  setCompressionCodec(codec, { encode, decode: (bytes: Uint8Array) => bytes });
  try {
    return ipc(arrays, types, { format: 'file', codec });
  } finally {
    setCompressionCodec(codec, before as NonNullable<typeof before>);
  }
}

const wide = { id: ['x', 'y', 'z'], a: [true, false, true], b: [1, null, 0], c: [0, 1, 1] };
const wideTypes = { id: utf8(), a: bool(), b: int32(), c: float32() };
const many = { a: Array.from({ length: 300 }, (_, i) => i % 3 === 0), b: new Array<number>(300).fill(1) };

const arrow = [
  ipc(wide, wideTypes, { format: 'file' }),
  ipc(wide, wideTypes, { format: 'stream' }),
  ipc({ codes: [[3, 5], [], [5]] }, { codes: list(int32()) }, { format: 'file' }),
  ipc({ w: ['a', 'b', 'c'], v: [1, 0, 1] }, { w: dictionary(utf8()), v: int8() }, { format: 'file' }),
  packedIpc(many, { a: bool(), b: int8() }, CompressionType.LZ4_FRAME),
  packedIpc(many, { a: bool(), b: int8() }, CompressionType.ZSTD),
];

type Columns = Parameters<typeof parquetWriteBuffer>[0]['columnData'];
const columns: Columns = [
  { name: 'id', data: ['x', 'y', 'z'], type: 'STRING' },
  { name: 'a', data: [true, false, true], type: 'BOOLEAN' },
  { name: 'b', data: [1, null, 0], type: 'INT32' },
  { name: 'c', data: [0n, 1n, 1n], type: 'INT64' },
  { name: 'd', data: [0, 1, 0], type: 'DOUBLE' },
];
const repeated: Columns = [
  { name: 'w', data: Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 'yes' : 'no')), type: 'STRING' },
  { name: 'x', data: new Array<number>(200).fill(1), type: 'INT32' },
];
const lists = {
  columnData: [{ name: 'codes', data: [[3, 5], [], null, [40, 5]] }],
  schema: [
    { name: 'root', num_children: 1 },
    { name: 'codes', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', type: 'INT32' },
  ],
} as Parameters<typeof parquetWriteBuffer>[0];

const parquet = [
  parquetWriteBuffer({ columnData: columns, rowGroupSize: 2, codec: 'UNCOMPRESSED' }),
  parquetWriteBuffer({ columnData: columns, codec: 'SNAPPY' }),
  parquetWriteBuffer({ columnData: repeated, codec: 'UNCOMPRESSED' }),
  parquetWriteBuffer(lists),
];

/** Columns: Arrow and Parquet. */
export const columnSeeds: Seed[] = [
  ...arrow.map((bytes, k) => plain('arrow', `${k}.arrow`, bytes)),
  ...parquet.map((bytes, k) => plain('parquet', `${k}.parquet`, new Uint8Array(bytes))),
];
