import { setImmediate as turn } from 'node:timers/promises';
import type { PCAE } from '../model/model.ts';
import type { PathStep } from '../model/path.ts';
import type { Progress } from '../training/options.ts';
import { duration } from './progress.ts';
import type { Session } from './session.ts';
import { number } from './text.ts';

/**
 * Runs a fit to its end with a progress line. Undefined when it was interrupted: the last checkpoint has been
 * saved by then, and no model is made of what was learned so far.
 */
export async function runFit(
  steps: AsyncGenerator<Progress, PCAE>,
  session: Session,
  shown = true,
): Promise<PCAE | undefined> {
  const model = await runSteps(steps, session, shown);
  return model?.training.stopped === 'aborted' ? undefined : model;
}

/** The same for the models of a path: undefined unless all of them were learned. */
export async function runPath(
  steps: AsyncGenerator<Progress & { readonly l1: number }, PathStep[]>,
  session: Session,
): Promise<PathStep[] | undefined> {
  const found = await runSteps(steps, session, true);
  return session.io.signal.aborted ? undefined : found;
}

async function runSteps<T>(
  steps: AsyncGenerator<Progress, T>,
  session: Session,
  shown: boolean,
): Promise<T | undefined> {
  const { signal } = session.io;
  let last = performance.now();
  let validation: number | undefined;
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
    const { phase } = step.value;
    if (signal.aborted && phase !== 'learn') {
      // Learning itself ends with a checkpoint; before and after it there is nothing to keep.
      await steps.return(undefined as never);
      return undefined;
    }
    // Validation is measured now and then; the last measurement stays on the line.
    validation = step.value.validation ?? validation;
    if (shown) session.progress.update(() => progressText({ ...step.value, validation }));
    // Without a turn of the event loop now and then, Ctrl-C would not be heard.
    if (performance.now() - last > 50) {
      await turn();
      last = performance.now();
    }
  }
}

/** A line on how far learning has come. */
export function progressText(progress: Progress): string {
  const { phase, fraction, epoch, loss, gap, validation, rowsPerSecond, seconds } = progress;
  if (phase === 'start') return 'finding where to start';
  if (phase === 'finish') return `settling the codes, ${duration(seconds)} so far`;
  const left = fraction > 0.01 ? `${duration((seconds * (1 - fraction)) / fraction)} left` : '';
  return [
    phase === 'ridge' ? 'choosing the ridge' : `epoch ${epoch + 1}`,
    `${Math.floor(100 * fraction)}%`,
    // Early in the line: a narrow terminal cuts its end off.
    left,
    ...(Number.isNaN(loss) ? [] : [`loss ${number(loss)}`]),
    ...(gap === undefined ? [] : [`gap ${number(gap)}`]),
    ...(validation === undefined || !Number.isFinite(validation) ? [] : [`validation ${number(validation)}`]),
    ...(rowsPerSecond > 0 ? [`${number(Math.round(rowsPerSecond))} rows/s`] : []),
  ]
    .filter((part) => part !== '')
    .join('  ');
}
