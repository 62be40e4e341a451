import { report, type TablePart } from 'pc-ae/figures';
import { FOLDS, SETS, VALIDATION_SHARE } from './datasets.ts';
import { TABLE_ROWS, type TableRow } from './published.ts';
import type { RunRecord } from './results.ts';

export type Stored = ReadonlyMap<string, readonly RunRecord[]>;

/** One measured number of the table: its mean over the folds that were run, and their spread. */
export interface Cell {
  readonly loss: number;
  /** Standard deviation over the folds, where there are several. */
  readonly spread?: number;
  readonly folds?: number;
  /** Where learning was cut short for a trial: no result, only a sign that everything works. */
  readonly epochs?: number;
}

/** The cell of a row that a run's loss fills; undefined where it was not run. */
export function cell(stored: Stored, row: string, run: string, loss: string): Cell | undefined {
  const records = (stored.get(row) ?? []).filter((record) => record.run === run && loss in record.losses);
  if (records.length === 0) return undefined;
  const values = records.map((record) => record.losses[loss]);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const { epochs } = records[0].settings;
  return {
    loss: mean,
    ...(values.length > 1 ? { spread: Math.sqrt(squares / (values.length - 1)) } : {}),
    ...(records[0].fold === undefined ? {} : { folds: values.length }),
    ...(typeof epochs === 'number' ? { epochs } : {}),
  };
}

/** Everything that the table shows, for programs. */
export function table1Json(stored: Stored): object {
  const rows = TABLE_ROWS.map((row) => ({
    row: row.name,
    set: SETS[row.set].title,
    H: row.H,
    published: row.published,
    measured: Object.fromEntries(
      MEASURED.map(([key, run, loss]) => [key, cell(stored, row.name, run, loss) ?? null]),
    ),
  }));
  return { unit: 'nats per row, test rows', protocol: PROTOCOL, rows };
}

/** Name of a cell in JSON, and the run and loss that fill it. */
const MEASURED = [
  ['paperBox', 'paper-box', 'own'],
  ['paperBoxCertified', 'paper-box', 'certified'],
  ['paperReal', 'paper-real', 'own'],
  ['paperRealCertified', 'paper-real', 'certified'],
  ['paperTextBox', 'paper-text-box', 'own'],
  ['paperTextBoxCertified', 'paper-text-box', 'certified'],
  ['paperTextReal', 'paper-text-real', 'own'],
  ['paperTextRealCertified', 'paper-text-real', 'certified'],
  ['fastBox', 'fast', 'box'],
  ['fastReal', 'fast', 'real'],
  ['noBiasBox', 'nobias', 'box'],
  ['noBiasReal', 'nobias', 'real'],
  ['bits', 'bits', 'default'],
  ['bitsThorough', 'bits', 'thorough'],
  ['aeBox', 'ae-logistic-paper', 'test'],
  ['aeBoxHonest', 'ae-logistic', 'validation'],
  ['aeBoxPlainRecipe', 'ae-logistic', 'test'],
  ['aeBoxTrainingRowsOnly', 'ae-logistic', 'testWithoutValidation'],
  ['aeReal', 'ae-relu', 'test'],
  ['aeRealHonest', 'ae-relu', 'validation'],
  ['aeRealTrainingRowsOnly', 'ae-relu', 'testWithoutValidation'],
  ['aeBits', 'ae-sign', 'test'],
  ['aeBitsHonest', 'ae-sign', 'validation'],
  ['aeBitsTrainingRowsOnly', 'ae-sign', 'testWithoutValidation'],
] as const;

export function table1Markdown(stored: Stored): string {
  const tables = table1Tables(stored).map(
    ({ caption, columns, rows }) =>
      `${caption}\n\n| ${columns.join(' | ')} |\n|${columns.map(() => '---|').join('')}\n` +
      rows.map((line) => `| ${line.join(' | ')} |\n`).join(''),
  );
  return `${tables.join('\n')}\n${PROTOCOL.map((line) => `- ${line}\n`).join('')}`;
}

export function table1Html(stored: Stored): string {
  // Backquotes mark names of options in Markdown; a page has no use for them.
  const [first, ...others] = table1Tables(stored).map((table) => ({
    ...table,
    caption: plain(table.caption),
    columns: table.columns.map(plain),
  }));
  return report({
    title: "The paper's Table 1, reproduced",
    lead: 'Reconstruction losses on test rows, in nats per row. Lower is better.',
    sections: [
      { title: 'PC-AE and one-layer autoencoders', parts: [first] },
      { title: 'True bits, and times', parts: others },
      { title: 'How it was measured', parts: PROTOCOL.map((text) => ({ kind: 'text', text: plain(text) })) },
      { title: 'Data files', parts: [fileTable(stored)] },
    ],
    footer: { program: programs(stored) },
  });
}

function table1Tables(stored: Stored): (TablePart & { readonly caption: string })[] {
  return [lossTable(stored), bitsTable(stored), timeTable(stored)];
}

function lossTable(stored: Stored) {
  const kinds = [
    ['box', 'bin.', 'ae-logistic-paper', 'ae-logistic'],
    ['real', 'real', 'ae-relu', 'ae-relu'],
  ] as const;
  const rows = TABLE_ROWS.flatMap((row) =>
    kinds.map(([kind, name, ae, honestAe]) => {
      const show = (run: string, loss: string) => cellText(cell(stored, row.name, run, loss));
      return [
        `${rowTitle(row)}, ${name}`,
        row.published.pcae[kind].toFixed(1),
        show(`paper-${kind}`, 'own'),
        show(`paper-${kind}`, 'certified'),
        show(`paper-text-${kind}`, 'own'),
        show(`paper-text-${kind}`, 'certified'),
        show('fast', kind),
        show('nobias', kind),
        row.published.ae[kind].toFixed(1),
        show(ae, 'test'),
        show(honestAe, 'validation'),
      ];
    }),
  );
  return {
    kind: 'table' as const,
    caption: 'Test loss, nats per row.',
    columns: [
      'set, H, codes',
      'PC-AE: the paper',
      '`paper`, its encoder',
      '`paper`, optimal codes',
      '`paper-text`, its encoder',
      '`paper-text`, optimal codes',
      '`fast`',
      '`fast`, no bias unit',
      'AE: the paper',
      'best test epoch',
      'stopped by validation',
    ],
    rows,
  };
}

function bitsTable(stored: Stored) {
  return {
    kind: 'table' as const,
    caption: 'Codes of H true bits, test loss in nats per row.',
    columns: [
      'set, H',
      'true bits',
      'true bits, thorough search',
      'straight-through AE, best test epoch',
      'straight-through AE, stopped by validation',
    ],
    rows: TABLE_ROWS.map((row) => {
      const show = (run: string, loss: string) => cellText(cell(stored, row.name, run, loss));
      return [
        rowTitle(row),
        show('bits', 'default'),
        show('bits', 'thorough'),
        show('ae-sign', 'test'),
        show('ae-sign', 'validation'),
      ];
    }),
  };
}

const TIMED = [
  ...['fast', 'nobias', 'paper-box', 'paper-real', 'paper-text-box', 'paper-text-real', 'bits'],
  ...['ae-logistic-paper', 'ae-logistic', 'ae-relu', 'ae-sign'],
];

function timeTable(stored: Stored) {
  return {
    kind: 'table' as const,
    caption:
      'Processor seconds of learning and measuring, all threads, per split. `fast` is one training for binary and real ' +
      'codes, finished and measured for both.',
    columns: ['set, H', ...TIMED.map((run) => `\`${run}\``)],
    rows: TABLE_ROWS.map((row) => [rowTitle(row), ...TIMED.map((run) => seconds(stored, row.name, run))]),
  };
}

function seconds(stored: Stored, row: string, run: string): string {
  const records = (stored.get(row) ?? []).filter((record) => record.run === run);
  if (records.length === 0) return NOT_RUN;
  return (records.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) / records.length).toFixed(0);
}

function fileTable(stored: Stored): TablePart {
  const files = new Map<string, string>();
  for (const records of stored.values()) {
    for (const { data } of records) for (const [file, hash] of Object.entries(data)) files.set(file, hash);
  }
  return { kind: 'table', columns: ['file', 'SHA-256'], rows: [...files] };
}

/** Versions, machines and threads that results come from. */
function programs(stored: Stored): string {
  const all = new Set<string>();
  for (const records of stored.values()) {
    for (const { program, machine, threads } of records)
      all.add(`${program}, ${machine.engine}, ${threads} threads, ${machine.cpu}, Node ${machine.node}`);
  }
  return [...all].join('; ') || 'nothing has been run';
}

function rowTitle(row: TableRow): string {
  return `${SETS[row.set].title}, ${row.H}`;
}

function plain(markdown: string): string {
  return markdown.replaceAll('`', '');
}

const NOT_RUN = '–';

export function cellText(found: Cell | undefined): string {
  if (!found) return NOT_RUN;
  const { loss, spread, folds, epochs } = found;
  const digits = loss < 1 ? 3 : 2;
  return [
    loss.toFixed(digits),
    ...(spread === undefined ? [] : [`± ${spread.toFixed(digits)}`]),
    ...(folds === undefined || folds === FOLDS ? [] : [`(${folds} of ${FOLDS} folds)`]),
    ...(epochs === undefined ? [] : [`(a trial of at most ${epochs} epochs)`]),
  ].join(' ');
}

/** What has to be known to make sense of the numbers. */
const PROTOCOL: readonly string[] = [
  'Pixels become bits once: each is a one with its intensity as the probability. The seeds are fixed, and differ for training and test rows. Every method sees the same bits.',
  ...Object.values(SETS).map(({ title, about }) => `${title}: ${about}.`),
  `${NOT_RUN}: not run. Folds: the mean over all ten, or over the number given, ± their standard deviation.`,
  "`paper`: Algorithm 1 with the paper's settings and no bias unit, as the author's published program runs it: codes start once, at N(0, 1), and codes and accumulators are carried from minibatch to minibatch and into testing; the gradient of codes is that of the mean over the minibatch. “Its encoder” is 1,000 Adagrad steps for each test batch of 250; a last batch of fewer rows, which the program leaves out, starts from the first of those codes. “Optimal codes” are for the same weights.",
  "`paper-text`: the same, following the text: a code is a function of its row (Prop. 2), so codes of each minibatch and of each test batch start again at 0, and the gradient is that of the row's own problem.",
  '`fast`: default settings, a number of epochs fixed beforehand, with a unit that is always on for the base rates of the bits; “no bias unit” is the paper’s decoder, W e and nothing else. Binary and real codes come from one training run: they differ only in the scale of the units.',
  'Optimal codes, and those of `fast`, are certified: no test row’s code is more than 0.01 nats from the best one for the weights, unless its record says otherwise.',
  '“bin.” is the paper’s word for codes in [-1, 1]. Codes of true bits have a table of their own, beside autoencoders with straight-through units, the usual way to learn bits by backpropagation.',
  'AE: one hidden layer of logistic (bin.) or ReLU (real) units, Xavier start, Adam with its default parameters, minibatches of 250, and 500 epochs, or fewer if none of the losses used to choose an epoch has fallen for 50.',
  'AE, “best test epoch”: as in the paper, the epoch chosen by the test rows. The paper does not say how bits go into the units, nor which of Xavier’s starts it used. Here logistic units see -1 and 1 and start four times as wide. That comes within 5% of all eight of its figures; 0 and 1, or a narrower start, do not. ReLU units see 0 and 1 and have Xavier’s start. On Caltech-101 both learn from the 6,364 training and validation rows, for the same reason (docs/baselines.md has the other recipes).',
  `AE, “stopped by validation”: the epoch chosen by validation rows (Caltech-101 has its own; elsewhere ${100 * VALIDATION_SHARE}% of the training rows). This column never learns from them; the column before does so on Caltech-101 only. All units see 0 and 1 and have Xavier’s start, which suits logistic units better. For ReLU and straight-through units both choices come from one training run, except on Caltech-101.`,
  'One seed. The record of each run has its seed, settings, times, program, machine and the SHA-256 of the data.',
];
