import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import { ProgressLine } from '../../src/cli/progress.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A line on a terminal or in a log, and what was written to it. */
function line(terminal: boolean) {
  const written: string[] = [];
  const io = { terminal, width: 80, err: (text: string) => written.push(text), control: () => {} };
  return { written, progress: new ProgressLine(io as unknown as Io, false) };
}

it('goes on while work takes long to report again', () => {
  for (const [terminal, lines] of [
    [true, 61],
    [false, 3],
  ] as const) {
    const { written, progress } = line(terminal);
    const began = performance.now();
    progress.update(() => `${(performance.now() - began) / 1000} s so far`);
    vi.advanceTimersByTime(60_000);
    expect(written).toHaveLength(lines);
    expect(written.at(-1)).toContain('60 s so far');
    progress.clear();
    vi.advanceTimersByTime(60_000);
    expect(written).toHaveLength(lines);
  }
});

it('is one line in twenty seconds of a log, however often work reports', () => {
  const { written, progress } = line(false);
  for (let k = 0; k < 450; k++) {
    progress.update(() => `${k}`);
    vi.advanceTimersByTime(100);
  }
  expect(written).toHaveLength(2);
  progress.clear();
});
