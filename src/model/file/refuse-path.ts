/**
 * Refuses what `save` was given: it writes no file, and a program that takes it for that would lose its
 * model.
 */
export function refusePath(given: readonly unknown[]): void {
  if (given.length === 0) return;
  throw new TypeError(
    'save: takes nothing and returns the bytes of a model file; to write one in Node, use ' +
      "await saveModel('model.safetensors', model) of pc-ae/node",
  );
}
