// Three projects. `unit` needs Node alone and runs on every commit. `laws` needs Node alone too, and takes longer: it
// kills runs at every call, runs seeds of the simulation, and synthesizes stacks. `e2e` starts commands, waits in real
// time, and needs the engines of test/engines/. A test file sits beside what it tests (`lib/**/x.test.ts`) or, when it crosses folders,
// under test/.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const TEMPORARY_FOLDER = 'test/support/temporary-folder.ts';

const LAWS = [
  'infra/**/*.test.ts',
  'test/laws/**/*.test.ts',
  'test/simulation/**/*.test.ts',
  'test/free-texts*.test.ts',
  'test/stolen-secret.test.ts',
  'test/unread-items.test.ts',
  'lib/apply/held-as-planned.test.ts',
  'lib/gardener/dies-anywhere.test.ts',
  'lib/publish/run/fairness.test.ts',
  'lib/publish/run/long-runs.test.ts',
  'lib/publish/run/refused-together.test.ts',
  'lib/publish/run/wanted-texts.test.ts',
  'lib/resolve/incremental.test.ts',
  'lib/resolve/related-objects.test.ts',
  'lib/resolve/subtree-tasks.test.ts',
  'lib/sweep/first-sweep.test.ts',
  'lib/sweep/sweep-in-pieces.test.ts',
];

/** What `unit` and `laws` have in common. */
const NODE_ALONE = {
  globalSetup: TEMPORARY_FOLDER,
  // Much of what tests make is garbage at once: V8's own size of the young generation costs a quarter more CPU.
  execArgv: ['--max-semi-space-size=64'],
  testTimeout: 30_000,
  // One process for many files: starting one for each, and loading the same modules again, was 40 % of the
  // work. What a test changes of the process, it must take back: of these two kinds vitest sees to it.
  isolate: false,
  unstubEnvs: true,
  restoreMocks: true,
  // The CDK's own validation only warns, and compiles for seconds in every process. What judges the templates is
  // test/e2e/cfn-lint.test.ts.
  env: { CDK_VALIDATION: 'false' },
};

export default defineConfig({
  test: {
    // One more than there are cores, because some tests wait for something. Each worker loads all modules again, and
    // the CDK is large: with twice as many workers as cores, a run took a tenth more CPU.
    maxWorkers: 1 + availableParallelism(),
    projects: [
      {
        test: {
          ...NODE_ALONE,
          name: 'unit',
          include: ['{lib,cli,console,local,functions,events,release,bench}/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['test/e2e/**', '**/node_modules/**', ...LAWS],
        },
      },
      { test: { ...NODE_ALONE, name: 'laws', include: LAWS } },
      {
        test: {
          name: 'e2e',
          globalSetup: TEMPORARY_FOLDER,
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // `cdk` validates as it does for an operator in cloudformation.test.ts; the other suites synthesize by themselves.
          env: { CDK_VALIDATION: 'false' },
          // Three files at a time: most of them wait, each for engines of its own.
          maxWorkers: 3,
        },
      },
    ],
  },
});
