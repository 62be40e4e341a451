/**
 * Runs a program in a worker of its own. `say` hears every line; gives a function that stops it, and a
 * promise of its end.
 */
export function runProgram(code, libraryAddress, say) {
  const program = `
    const show = (x) => typeof x === 'string' ? x : x instanceof Error ? String(x) : ArrayBuffer.isView(x) ? '[' + Array.from(x.subarray(0, 100)).join(', ') + (x.length > 100 ? ', ...' : '') + ']' : JSON.stringify(x);
    console.log = console.info = console.warn = (...words) => postMessage({ line: words.map(show).join(' ') });
    (async () => {${withDynamicImports(code, libraryAddress)}
    })().then(() => postMessage({ end: true }), (error) => postMessage({ end: true, error: String(error) }));`;
  const address = URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
  const worker = new Worker(address, { type: 'module' });
  let stop;
  const ended = new Promise((resolve) => {
    stop = (error) => {
      worker.terminate();
      URL.revokeObjectURL(address);
      resolve(error);
    };
    worker.onmessage = ({ data }) => {
      if (data.end) stop(data.error);
      else say(data.line);
    };
    worker.onerror = ({ message }) => stop(message ?? 'the program could not be read');
  });
  return { stop, ended };
}

/**
 * `import { a, b as c } from 'pc-ae/x'` as `const { a, b: c } = await import(...)`, so that it may stand
 * anywhere.
 */
export function withDynamicImports(code, libraryAddress) {
  return code.replace(
    /^import\s*(\{[^}]*\})\s*from\s*['"]pc-ae(?:\/([\w-]+))?['"];?/gm,
    (_, names, part = 'index') =>
      `const ${names.replace(/\bas\b/g, ':')} = await import('${libraryAddress}${part === 'node' ? 'index' : part}.js');`,
  );
}
