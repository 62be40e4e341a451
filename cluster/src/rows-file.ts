import { FormatError } from 'pc-ae';
import { readSafetensors, type Tensor, writeSafetensors } from 'pc-ae/formats';
import { type Rows, type RowsAbout, rowBytes } from 'pc-ae/rows';

/** Rows as the bytes of a safetensors file: what a shard is, and what a sample is handed over as. */
export function rowsToBytes(rows: Rows): Uint8Array {
  const { n, V } = rows;
  const tensors: [string, Tensor][] = [];
  const packed = (name: string, data: Uint8Array) =>
    tensors.push([name, { type: 'U8', shape: [n, rowBytes(V)], data }]);
  if (rows.kind === 'real') tensors.push(['values', { type: 'F32', shape: [n, V], data: rows.values }]);
  else packed('bits', rows.bits);
  if (rows.kind === 'bits' && rows.known) packed('known', rows.known);
  if (rows.ids) {
    const data = new TextEncoder().encode(JSON.stringify([...rows.ids]));
    tensors.push(['ids', { type: 'U8', shape: [data.length], data }]);
  }
  return writeSafetensors(tensors, { V: String(V) });
}

/** The rows in such bytes, with what else is known of them. */
export function rowsFromBytes(bytes: Uint8Array, about: RowsAbout = {}, name = 'shard'): Rows {
  const { tensors, metadata } = readSafetensors(bytes, name);
  const V = Number(metadata.V);
  const data = (key: string) => tensors.get(key)?.data;
  const [bits, known, values, ids] = ['bits', 'known', 'values', 'ids'].map(data);
  const n = tensors.get(values ? 'values' : 'bits')?.shape[0] ?? Number.NaN;
  if (!(V >= 0) || !(n >= 0)) throw new FormatError(name, '', 'holds no rows');
  const named = ids && { ids: JSON.parse(new TextDecoder().decode(ids as Uint8Array)) as string[] };
  const shared = { ...about, ...named, n, V };
  if (values) return { ...shared, kind: 'real', values: values as Float32Array };
  return { ...shared, kind: 'bits', bits: bits as Uint8Array, ...(known && { known: known as Uint8Array }) };
}
