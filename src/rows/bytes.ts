/**
 * Bytes in memory that is theirs alone, not shared between threads: what a Blob, a Response or a file takes.
 * TypeScript calls it Uint8Array<ArrayBuffer> from 5.7 on and knows no word for it before; this type is right
 * for both.
 */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;
