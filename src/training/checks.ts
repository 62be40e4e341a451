/** Checks of options. Every error names the call, the option, what it must be and what was found. */
export function checksFor(call: string) {
  const refuse = (name: string, must: string, found: unknown): never => {
    throw new RangeError(`${call}: ${name} must be ${must}, got ${shown(found)}`);
  };
  return {
    whole(name: string, value: number, least: number): void {
      if (!(Number.isInteger(value) && value >= least))
        refuse(name, `a whole number of at least ${least}`, value);
    },
    notNegative(name: string, value: number): void {
      if (!(value >= 0)) refuse(name, 'at least 0', value);
      if (!Number.isFinite(value)) refuse(name, 'finite', value);
    },
    positive(name: string, value: number): void {
      if (!(value > 0)) refuse(name, 'more than 0', value);
      if (!Number.isFinite(value)) refuse(name, 'finite', value);
    },
    share(name: string, value: number): void {
      if (!(value > 0 && value < 1)) refuse(name, 'a share between 0 and 1', value);
    },
    oneOf(name: string, value: string, allowed: readonly string[]): void {
      if (!allowed.includes(value)) refuse(name, `one of ${allowed.join(', ')}`, value);
    },
    known(options: object, names: readonly string[]): void {
      const unknown = Object.keys(options).find((name) => !names.includes(name));
      if (unknown !== undefined)
        throw new RangeError(`${call}: there is no option '${unknown}'; there are ${names.join(', ')}`);
    },
    absent(options: object, names: readonly string[]): void {
      for (const name of names) {
        if (Reflect.get(options, name) === undefined) continue;
        throw new RangeError(`${call}: ${name} is not for this call; leave it out`);
      }
    },
    loss(loss: { readonly psiPrime?: unknown }): void {
      if (typeof loss?.psiPrime !== 'function')
        refuse('loss', "a loss, such as `hamming` or `lossByName('hamming')`", loss);
    },
  };
}

/** A value as an error shows it: objects by their kind, because their text says nothing. */
function shown(found: unknown): string {
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? 'an object' : String(found);
}
