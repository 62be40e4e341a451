import type { Command, Option } from 'commander';
import { UsageError } from './errors.ts';

/**
 * Options of learning that do not go together, all in one table: where something is given, which options are refused
 * beside it, and why. An option that would change nothing is refused too: nobody should believe that it did.
 */
interface Refusal {
  /** What is given, as it would be typed; false where it is not. */
  readonly given: (options: Options) => string | false;
  /** Names of the options that do not go with it. */
  readonly not: readonly string[];
  readonly because: string;
}

type Options = Readonly<Record<string, unknown>>;

const given = (name: string, flag: string) => (options: Options) => options[name] !== undefined && flag;
const encoding = (refused: readonly string[]) => (options: Options) =>
  refused.includes(String(options.encoding)) && `--encoding ${options.encoding}`;

const bits = encoding(['bits']);
const notPapers = encoding(['bits', 'nonnegative', 'simplex', 'ball']);
const notBox = encoding(['real', 'bits', 'nonnegative', 'simplex', 'ball']);
const paper = ({ algorithm }: Options) => algorithm === 'paper' && '--algorithm paper';
const path = given('path', '--path');

/** Which correlations are used. */
const CHOSEN = ['mask', 'local', 'keepStrongest'];
const WEIGHTS = ['rowWeights', 'columnWeights'];

const LEARNING: readonly Refusal[] = [
  { given: bits, not: ['bias'], because: 'codes of bits always have a bias unit' },
  { given: bits, not: CHOSEN, because: 'codes of bits use all correlations' },
  { given: bits, not: WEIGHTS, because: 'all rows and columns count alike for codes of bits' },
  { given: bits, not: ['lowMemory'], because: 'codes of bits are all kept while they are learned' },
  { given: notBox, not: ['l1', 'l1File'], because: 'sparse weights need box codes' },
  { given: notPapers, not: ['algorithm'], because: "the paper's procedure has box and real codes" },
  { given: paper, not: ['l1', 'l1File', ...CHOSEN], because: 'it uses all correlations as they are' },
  { given: paper, not: WEIGHTS, because: 'it counts all rows and columns alike' },
  { given: paper, not: ['ridge'], because: 'it has none' },
  { given: paper, not: ['tolerance'], because: 'it ends by --epochs or --time' },
  { given: paper, not: ['lowMemory'], because: 'it keeps no codes' },
];

const REFUSED: Readonly<Record<string, readonly Refusal[]>> = {
  train: [
    ...LEARNING,
    { given: paper, not: ['validation'], because: 'it ends by --epochs or --time' },
    { given: given('l1File', '--l1-file'), not: ['l1'], because: 'the file has a number for each column' },
    { given: given('mask', '--mask'), not: ['local', 'keepStrongest'], because: 'give one of them' },
    { given: given('local', '--local'), not: ['keepStrongest'], because: 'give one of them' },
    { given: given('clean', '--clean'), not: ['noise'], because: 'the clean rows say all there is to know' },
    {
      given: ({ loss }) => {
        const { name } = loss as { readonly name: string };
        return name !== 'cross-entropy' && `--loss ${name}`;
      },
      not: ['noise'],
      because: 'only the cross-entropy has scores that are probabilities; --clean goes with every loss',
    },
    {
      given: given('lowMemory', '--low-memory'),
      not: ['rowWeights'],
      because: 'weights need rows in memory',
    },
    {
      given: ({ lowMemory, validation }) =>
        lowMemory === true && typeof validation === 'number' && '--low-memory',
      not: ['validation'],
      because: 'a share needs rows in memory; give --validation a file',
    },
    {
      given: ({ lowMemory, validation, ridge }) =>
        lowMemory === true && validation === undefined && ridge === 'auto' && '--low-memory',
      not: ['ridge'],
      because: 'a ridge is chosen on rows held out; give --validation a file',
    },
  ],
  sweep: [
    ...LEARNING,
    { given: path, not: ['algorithm'], because: 'units are added by the fast procedure' },
    {
      given: (options) => notPapers(options) && path(options),
      not: ['encoding'],
      because: 'units are added to box and real codes',
    },
    {
      given: ({ validation, ...options }) => typeof validation === 'string' && path(options),
      not: ['validation'],
      because: 'it holds out a share of the rows; give --validation a number such as 0.1',
    },
  ],
};

/** Stops a command whose options do not go together before it has done any work. */
export function checkCombinations(command: Command): void {
  const options = command.opts<Options>();
  for (const { given, not, because } of REFUSED[command.name()] ?? []) {
    const what = given(options);
    if (!what) continue;
    for (const option of command.options) {
      if (!not.includes(option.attributeName()) || !isGiven(command, option)) continue;
      throw new UsageError(`${what} and ${typed(command, option)} exclude each other: ${because}`);
    }
  }
}

/** Whether an option was given on the command line, and differs from what it would have been without. */
export function isGiven(command: Command, option: Option): boolean {
  const name = option.attributeName();
  return command.getOptionValueSource(name) === 'cli' && command.getOptionValue(name) !== option.defaultValue;
}

/** The option as it was typed, with its value where that is one of a few. */
function typed(command: Command, option: Option): string {
  return option.argChoices
    ? `${option.long} ${command.getOptionValue(option.attributeName())}`
    : String(option.long);
}
