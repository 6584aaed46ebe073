// Two projects: `unit` needs Node alone and runs on every commit; `e2e` needs the engines of test/engines/.
// A test file sits beside what it tests (`lib/**/x.test.ts`) or, when it crosses folders, under test/.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Vitest leaves one core idle; many of these tests wait for something.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{lib,cli,local,functions,events,infra,bench}/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'node_modules/**'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
