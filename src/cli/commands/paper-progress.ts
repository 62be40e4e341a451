import { timeLeft } from '../progress.ts';
import type { Session } from '../session.ts';

/** A progress line that tells what is worked on, the step of it and what is left of the step. */
export function stepProgress(session: Session, name: string): (step: string, fraction: number) => void {
  let [current, began] = ['', 0];
  return (step, fraction) => {
    if (current !== step) [current, began] = [step, session.seconds];
    session.progress.update(() => `${name}: ${step}, ${timeLeft(fraction, session.seconds - began)}`);
  };
}
