import { expect, test } from 'vitest';
import { FormatError, guarded } from '../../src/rows/errors.ts';

test('a message holds no control characters, whatever the file holds', () => {
  const error = new FormatError(
    'a.csv',
    "column '\x1b[31mred'",
    "found 'PAR1\x00\x15\n\x9f', expected a number",
  );
  expect(error.message).toBe(
    "a.csv, column '\\x1b[31mred': found 'PAR1\\x00\\x15\\n\\x9f', expected a number",
  );
});

test('what a parser that is not ours says is cut', async () => {
  const parser = () => {
    throw new Error(`Invalid quote at ${'\x07'.repeat(5000)}`);
  };
  const error = await guarded('a.csv', 'a text table', parser).catch((e: Error) => e.message);
  expect(error).toMatch(/^a\.csv: cannot be read as a text table \(Invalid quote at (\\x07)+…\)$/);
  expect((error as string).length).toBeLessThan(1000);
});
