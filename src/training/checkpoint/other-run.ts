/** A checkpoint belongs to another run than the one that is to continue from it. */
export class OtherRunError extends Error {
  override readonly name = 'OtherRunError';
  /** How the two runs differ. */
  readonly differences: string;

  constructor(checkpoint: string, differences: string) {
    super(
      `${checkpoint} belongs to another run: ${differences}. Use the same data and options as before, or start afresh ` +
        'without it.',
    );
    this.differences = differences;
  }
}

/** The fields in which two descriptions of runs differ, with both values. */
export function differencesOf(there: string, here: string): string {
  const before = fieldsOf(there);
  const now = fieldsOf(here);
  // Two methods have little in common, so that their names say enough.
  const names = before.procedure === now.procedure ? Object.keys({ ...before, ...now }) : ['procedure'];
  const text = (value: unknown) => {
    if (value === undefined || value === null) return 'none';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  const differs = (name: string) => text(before[name]) !== text(now[name]);
  return names
    .filter((name) => differs(name) && !(Object.hasOwn(FOLLOWS, name) && FOLLOWS[name].some(differs)))
    .map((name) => `${name} is ${text(before[name])} there, ${text(now[name])} here`)
    .join('; ');
}

/** Fields whose defaults follow from other fields: if those differ, a difference here says nothing more. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  rate: ['H'],
  radius: ['H', 'encoding', 'l1'],
  batch: ['n', 'order of rows'],
  epochs: ['n', 'order of rows'],
  ridge: ['n'],
};

/**
 * The fields of a description: JSON after the name of a method or with it inside; other text is one field.
 */
export function fieldsOf(description: string): Record<string, unknown> {
  const start = description.indexOf('{');
  if (start < 0) return { run: description };
  try {
    const { algorithm = 'fast', ...fields } = JSON.parse(description.slice(start)) as Record<string, unknown>;
    return { procedure: description.slice(0, start).trim() || algorithm, ...fields };
  } catch {
    return { run: description };
  }
}
