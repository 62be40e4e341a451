import type { Command } from 'commander';

/** What help and the reference say of a command besides its options. */
export interface Documentation {
  /** Command lines and what they do. */
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** The fields of the object that --json prints. */
  readonly json?: Readonly<Record<string, string>>;
}

const documentation = new WeakMap<Command, Documentation>();

/** Adds examples and fields to a command's help, and keeps them for the reference. */
export function document(command: Command, about: Documentation): Command {
  documentation.set(command, about);
  return command.addHelpText('after', () => helpText(about));
}

export function documentationOf(command: Command): Documentation | undefined {
  return documentation.get(command);
}

function helpText({ examples, json }: Documentation): string {
  const lines = ['', 'Examples:', ...examples.flatMap(([line, what]) => [`  # ${what}`, `  $ ${line}`])];
  if (json) {
    const width = Math.max(...Object.keys(json).map((field) => field.length));
    lines.push('', 'With --json:');
    for (const [field, what] of Object.entries(json)) lines.push(`  ${field.padEnd(width)}  ${what}`);
  }
  return lines.join('\n');
}
