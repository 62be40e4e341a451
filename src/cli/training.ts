import { setImmediate as turn } from 'node:timers/promises';
import type { StackProgress } from '../model/fit-stack.ts';
import type { PCAE } from '../model/model.ts';
import type { PathStep } from '../model/path.ts';
import type { Stack } from '../model/stack.ts';
import type { Progress } from '../training/options.ts';
import { duration, timeLeft } from './progress.ts';
import type { Session } from './session.ts';
import { number } from './text.ts';

/**
 * Runs a fit to its end with a progress line. Undefined when it was interrupted: the last checkpoint has been
 * saved by then, and no model is made of what was learned so far. `greeting` is said when learning has begun.
 */
export async function runFit(
  steps: AsyncGenerator<Progress, PCAE>,
  session: Session,
  { shown = true, greeting }: { readonly shown?: boolean; readonly greeting?: string } = {},
): Promise<PCAE | undefined> {
  const show = shown ? showProgress(session) : () => undefined;
  let unsaid = greeting;
  const model = await runSteps(steps, session, (progress) => {
    if (unsaid !== undefined && progress.phase === 'learn') {
      session.say(unsaid);
      unsaid = undefined;
    }
    show(progress);
  });
  return model?.training.stopped === 'aborted' ? undefined : model;
}

/** The same for the models of a path: undefined unless all of them were learned. */
export async function runPath(
  steps: AsyncGenerator<Progress & { readonly l1: number }, PathStep[]>,
  session: Session,
): Promise<PathStep[] | undefined> {
  const found = await runSteps(steps, session, showProgress(session));
  return session.io.signal.aborted ? undefined : found;
}

/** The same for a stack: undefined unless all of its rounds were done. */
export async function runStack(
  steps: AsyncGenerator<StackProgress, Stack>,
  session: Session,
): Promise<Stack | undefined> {
  const show = (progress: StackProgress) => session.progress.update(() => stackText(progress));
  const found = await runSteps(steps, session, show);
  return session.io.signal.aborted ? undefined : found;
}

async function runSteps<P extends { readonly phase: string }, T>(
  steps: AsyncGenerator<P, T>,
  session: Session,
  show: (progress: P) => void,
): Promise<T | undefined> {
  const { signal } = session.io;
  let last = performance.now();
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
    const { phase } = step.value;
    if (signal.aborted && phase !== 'learn') {
      // Learning itself ends with a checkpoint; before and after it there is nothing to keep.
      await steps.return(undefined as never);
      return undefined;
    }
    show(step.value);
    // Without a turn of the event loop now and then, Ctrl-C would not be heard.
    if (performance.now() - last > 50) {
      await turn();
      last = performance.now();
    }
  }
}

function showProgress(session: Session): (progress: Progress) => void {
  let validation: number | undefined;
  return (progress) => {
    // Validation is measured now and then; the last measurement stays on the line.
    validation = progress.validation ?? validation;
    session.progress.update(() => progressText({ ...progress, validation }));
  };
}

/** A line on how far learning a stack has come: layer by layer, then all of them together. */
function stackText({ phase, number: at, of, fraction, loss, seconds }: StackProgress): string {
  const known = Number.isNaN(loss) ? '' : `  loss ${number(loss)}`;
  return `${phase} ${at} of ${of}: ${timeLeft(fraction, seconds)}${known}`;
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
