import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const src = join(import.meta.dirname, 'src');

export default defineConfig({
  resolve: {
    // Workspaces import the package by its name; in tests that is the source.
    alias: [
      { find: /^pc-ae$/, replacement: join(src, 'index.ts') },
      { find: /^pc-ae\/(\w+)$/, replacement: join(src, '$1.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts', 'paper/test/**/*.test.ts', 'cluster/test/**/*.test.ts'],
    // One file at a time leaves half of a machine of two cores idle; three make a browser wait too long.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
