/**
 * Advice for errors that come from limits of the system; undefined for other errors. This file imports
 * nothing, because it is needed when nothing more can be loaded.
 */
export function limitAdvice(error: unknown): string | undefined {
  const { code, message = '' } = error as { readonly code?: string; readonly message?: string };
  if (code === 'EMFILE' || code === 'ENFILE') {
    return 'too many files are open at once: raise the limit of this shell, as in `ulimit -n 1024`';
  }
  if (
    code === 'ENOMEM' ||
    code === 'ERR_WORKER_OUT_OF_MEMORY' ||
    /WebAssembly.*allocate|wasm memory/i.test(message)
  ) {
    return (
      'the system gives this process too little memory. WebAssembly reserves about 10 GB of addresses, most of which it ' +
      'never uses: lift the limit with `ulimit -v unlimited`, or set NODE_OPTIONS=--disable-wasm-trap-handler, which is slower'
    );
  }
  return undefined;
}
