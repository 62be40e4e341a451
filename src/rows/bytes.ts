/**
 * Bytes in memory that is not shared between threads, as a Blob, a Response or a file needs them. TypeScript
 * calls the type Uint8Array<ArrayBuffer> from 5.7 on and has no name for it before; this definition works in
 * both.
 */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>;
