import type { Argument, Command, Option } from 'commander';
import { DATA_GROUP } from './data.ts';
import { documentationOf } from './document.ts';

/** The reference of the command line in Markdown, made from the commands themselves. */
export function reference(program: Command): string {
  const leaves = program.commands.flatMap((command) => leafCommands(command, ''));
  return [
    '# The command line',
    '',
    'Generated from the program by `npx vitest run test/cli/reference.test.ts -u`.',
    '',
    program.description(),
    '',
    'Results go to standard output, messages and progress to standard error. Files appear whole or not at all, and',
    'an existing file is overwritten only with `--force`. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.',
    '`NO_COLOR` turns colours off.',
    '',
    'Options of every command:',
    '',
    ...optionTable(program.options),
    '',
    '| command | |',
    '|---|---|',
    ...leaves.map(
      ([path, command]) => `| [\`${path}\`](#${path.replaceAll(' ', '-')}) | ${command.summary()} |`,
    ),
    '',
    ...leaves.flatMap(([path, command]) => section(path, command)),
    `## ${DATA_TITLE}`,
    '',
    'None of these is needed if a file can be read in only one way. If it is ambiguous, the error names the option to set.',
    '',
    ...optionTable(dataOptions(leaves)),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function leafCommands(command: Command, above: string): [string, Command][] {
  const path = above ? `${above} ${command.name()}` : command.name();
  if (command.commands.length === 0) return [[path, command]];
  return command.commands.flatMap((sub) => leafCommands(sub, path));
}

/** Many commands read data, and all in the same way: these options are listed once. */
const DATA_TITLE = DATA_GROUP.replace(':', '');

function isDataOption(option: Option): boolean {
  return option.helpGroupHeading === DATA_GROUP;
}

function dataOptions(leaves: readonly (readonly [string, Command])[]): readonly Option[] {
  const reading = leaves.map(([, command]) => command.options.filter(isDataOption));
  return reading.find((options) => options.length > 0) ?? [];
}

function section(path: string, command: Command): string[] {
  const { examples = [], json } = documentationOf(command) ?? {};
  const own = command.options.filter((option) => !isDataOption(option));
  const words = command.registeredArguments.map(typed);
  return [
    `## ${path}`,
    '',
    `\`pcae ${[path, ...words].join(' ')}${command.options.length > 0 ? ' [options]' : ''}\``,
    '',
    command.description(),
    '',
    ...(words.length > 0 ? argumentTable(command) : []),
    ...(own.length > 0 ? [...optionTable(own), ''] : []),
    ...(own.length < command.options.length
      ? [
          `And the options of [${DATA_TITLE.toLowerCase()}](#${DATA_TITLE.toLowerCase().replaceAll(' ', '-')}).`,
          '',
        ]
      : []),
    ...(examples.length > 0
      ? ['```sh', ...examples.flatMap(([line, what]) => [`# ${what}`, line]), '```', '']
      : []),
    ...(json ? jsonTable(json) : []),
  ];
}

/** As help shows it: `<needed>`, `[optional]`, `[several...]`. */
function typed(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? '...' : '');
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentTable(command: Command): string[] {
  const rows = command.registeredArguments.map((argument) =>
    row([`\`${argument.name()}\``, described(argument.description, argument.argChoices)]),
  );
  return ['| argument | |', '|---|---|', ...rows, ''];
}

function optionTable(options: readonly Option[]): string[] {
  return [
    '| option | | default |',
    '|---|---|---|',
    ...options
      .filter((option) => !option.hidden)
      .map((option) =>
        row([`\`${option.flags}\``, described(option.description, option.argChoices), defaultOf(option)]),
      ),
  ];
}

function jsonTable(fields: Readonly<Record<string, string>>): string[] {
  const rows = Object.entries(fields).map(([field, what]) => row([`\`${field}\``, what]));
  return ['With `--json`:', '', '| field | |', '|---|---|', ...rows, ''];
}

function described(text: string, choices: readonly string[] | undefined): string {
  return choices?.every((choice) => text.includes(choice)) === false
    ? `${text}: ${choices.join(', ')}`
    : text;
}

function defaultOf(option: Option): string {
  if (option.defaultValueDescription) return option.defaultValueDescription;
  if (option.defaultValue === undefined || option.negate) return option.mandatory ? 'required' : '';
  return String(option.defaultValue);
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replaceAll('  |', ' |');
}
