/**
 * How many numbers a loop has on their way at a time, by turns, so that as few turns as possible wait for
 * memory.
 */
export const inFlight = (most: number): number[] => [most, 4, 1];

export function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
