// Engines that measure some of their operations, for bench/gpu.mjs.

/** Seconds, and rows that were worked on. */
export function stopwatch() {
  return { seconds: 0, rows: 0 };
}

/** The engine, with a stopwatch for each operation that is named. */
export function watched(engine, watches) {
  return new Proxy(engine, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'until') return (signal) => watched(target.until(signal), watches);
      const watch = Object.hasOwn(watches, name) ? watches[name] : undefined;
      if (!watch) return value.bind(target);
      return async (...given) => {
        const from = performance.now();
        try {
          return await value.apply(target, given);
        } finally {
          watch.seconds += (performance.now() - from) / 1000;
          watch.rows += given.find((word) => word?.block)?.block.n ?? 0;
        }
      };
    },
  });
}
