import type { Progress } from '../training/loop/progress.ts';
import { Interrupted } from './errors.ts';
import { duration, timeLeft } from './progress.ts';
import type { Session } from './session.ts';
import { number } from './text.ts';

/** Shows the progress of a fit. `greeting` is printed when learning begins. */
export function showFit(session: Session, greeting?: string): (progress: Progress) => void {
  let unsaid = greeting;
  let validation: number | undefined;
  let phase: { readonly name: Progress['phase']; readonly began: number } | undefined;
  return (progress) => {
    if (progress.phase !== phase?.name) phase = { name: progress.phase, began: progress.seconds };
    const { began } = phase;
    const reported = session.seconds;
    if (unsaid !== undefined && progress.phase === 'learn') {
      session.say(unsaid);
      unsaid = undefined;
    }
    // Validation is measured now and then; the last measurement stays on the line.
    validation = progress.validation ?? validation;
    session.progress.update(() => {
      const seconds = progress.seconds + session.seconds - reported;
      return progressText({ ...progress, validation, seconds }, seconds - began);
    });
  };
}

/** Work that Ctrl-C may end; `left` then returns a message about what was kept. */
export async function interruptible<T>(
  { io: { signal } }: Session,
  left: string | (() => Promise<string>),
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    throw new Interrupted(typeof left === 'string' ? left : await left());
  }
}

/** The names of phases with steps but without epochs of learning. */
const named: Partial<Record<Progress['phase'], string>> = {
  ridge: 'choosing the ridge',
  neighbours: 'learning what columns know of each other',
};

/** The progress of learning as a line of text; `spent` are the seconds that its phase has taken. */
function progressText(progress: Progress, spent: number): string {
  const { phase, fraction, epoch, loss, meanGap, validation, rowsPerSecond, seconds } = progress;
  if (phase === 'start') return 'finding where to start';
  const soFar = `${duration(seconds)} so far`;
  if (phase === 'refine') return `refining codes and weights, ${soFar}  loss ${number(loss)}`;
  if (phase === 'finish')
    return fraction < 1 ? `codes of all rows  ${timeLeft(fraction, spent)}` : `finishing, ${soFar}`;
  const left = fraction > 0.01 ? `${duration((seconds * (1 - fraction)) / fraction)} left` : '';
  return [
    named[phase] ?? `epoch ${epoch + 1}`,
    `${Math.floor(100 * fraction)}%`,
    // Early in the line, because a narrow terminal cuts off the end.
    left,
    ...(Number.isNaN(loss) ? [] : [`loss ${number(loss)}`]),
    ...(meanGap === undefined ? [] : [`gap ${number(meanGap)}`]),
    ...(validation === undefined || !Number.isFinite(validation) ? [] : [`validation ${number(validation)}`]),
    ...(rowsPerSecond > 0 ? [`${number(Math.round(rowsPerSecond))} rows/s`] : []),
  ]
    .filter((part) => part !== '')
    .join('  ');
}
