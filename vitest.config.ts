import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const src = join(import.meta.dirname, 'src');

/**
 * Large files begin first, and most are the slow ones. This small one has a page compile programs for a
 * graphics card: at the end it would run for most of a minute while all other workers are idle.
 */
const SLOW = join('test', 'studio', 'gpu.test.ts');

class Order extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const slow = sorted.filter(({ moduleId }) => moduleId.endsWith(SLOW));
    const others = sorted.filter(({ moduleId }) => !moduleId.endsWith(SLOW));
    return others.toSpliced(Math.floor(others.length / 4), 0, ...slow);
  }
}

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
    sequence: { sequencer: Order },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
