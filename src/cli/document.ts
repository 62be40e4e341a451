import { type Command, Help, type HelpConfiguration, Option } from 'commander';

/** What help and the reference say about a command besides its options. */
interface Documentation {
  /**
   * For commands with many options, the names of the most important ones, with spaces between them. Help
   * shows these; `--help-all` shows all in groups, and the fields of --json.
   */
  readonly first?: string;
  /** Command lines and what they do. */
  readonly examples: Readonly<Record<string, string>>;
  /** The fields of the object that --json prints. */
  readonly json?: Readonly<Record<string, string>>;
}

/** The same as lists. */
interface Documented extends Pick<Documentation, 'json'> {
  readonly first?: readonly string[];
  readonly examples: readonly (readonly [line: string, what: string])[];
}

const documentation = new WeakMap<Command, Documented>();

/** Commands that were asked for all of their options. */
const asked = new WeakSet<Command>();

/** Adds examples and fields to a command's help, and keeps them for the reference. */
export function document(command: Command, { first, examples, json }: Documentation): Command {
  const about = { first: first?.split(' '), examples: Object.entries(examples), json };
  documentation.set(command, about);
  if (first) {
    command.addOption(new Option('--help-all', 'print all options').hideHelp());
    command.on('option:help-all', () => {
      asked.add(command);
      command.help();
    });
  }
  return command.addHelpText('after', () => helpText(command, about));
}

export function documentationOf(command: Command): Documented | undefined {
  return documentation.get(command);
}

/** Whether help shows the first options of a command only. */
function isShort(command: Command): boolean {
  return documentation.get(command)?.first !== undefined && !asked.has(command);
}

/** Short lists of options, which have no groups. */
const short = new WeakSet<readonly unknown[]>();

/** What an option is for, with the choices and the default that these words leave out. */
function optionText(option: Option): string {
  const { description, argChoices = [], defaultValue, defaultValueDescription } = option;
  const notes: string[] = [];
  if (!argChoices.every((choice) => description.includes(choice))) notes.push(argChoices.join(', '));
  const plain = typeof defaultValue === 'number' || typeof defaultValue === 'string';
  if (defaultValueDescription ?? plain) notes.push(`default: ${defaultValueDescription ?? defaultValue}`);
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description;
}

/**
 * Helpers that print help. Commander also asks a helper for options to suggest where one is misspelt: all.
 */
const printing = new WeakSet<object>();

/** How commander lays help out, for every command. */
export const HELP: HelpConfiguration = {
  formatHelp(command, helper) {
    printing.add(helper);
    return Help.prototype.formatHelp.call(this as Help, command, helper);
  },
  optionDescription: optionText,
  visibleOptions(command) {
    const all = Help.prototype.visibleOptions.call(this as Help, command);
    if (!isShort(command) || !printing.has(this)) return all;
    const { first = [] } = documentation.get(command)!;
    const some = first.flatMap((name) => all.filter((option) => option.attributeName() === name));
    short.add(some);
    return some;
  },
  groupItems(unsorted, shown, groupOf) {
    if (short.has(shown)) return new Map([['Options:', shown]]);
    return Help.prototype.groupItems.call(this as Help, unsorted, shown, groupOf as never) as Map<
      string,
      typeof shown
    >;
  },
};

function helpText(command: Command, { examples, json }: Documented): string {
  const lines = ['', 'Examples:', ...examples.flatMap(([line, what]) => [`  # ${what}`, `  $ ${line}`])];
  if (isShort(command)) {
    const count = command.options.filter((option) => !option.hidden).length;
    lines.push('', `All ${count} options, and the fields of --json: pcae ${command.name()} --help-all`);
  } else if (json) {
    const helper = Object.assign(command.createHelp(), {
      helpWidth: command.configureOutput().getOutHelpWidth?.(),
    });
    const width = Math.max(...Object.keys(json).map((field) => field.length));
    lines.push('', 'With --json:');
    for (const [field, what] of Object.entries(json))
      lines.push(helper.formatItem(field, width, what, helper));
  }
  return lines.join('\n');
}
