import { expect, test } from 'vitest';
import { versionProblem } from './version.ts';

test.each(['0.1.0', '1.20.300', '0.1.0-rc.1', '1.0.0-alpha', '1.0.0-0.3.7', '1.0.0-x-y.0a'])(
  'versionProblem() takes %s',
  (text) => {
    expect(versionProblem(text)).toBeNull();
  },
);

test.each([
  ['', 'is not a semantic version'],
  ['1', 'is not a semantic version'],
  ['0.1', 'is not a semantic version'],
  ['0.01.0', 'is not a semantic version'],
  ['0.1.0-', 'is not a semantic version'],
  ['0.1.0-rc.01', 'is not a semantic version'],
  ['0.1.0-rc..1', 'is not a semantic version'],
  ['0.1.0 ', 'is not a semantic version'],
  ['0.1.0\n', 'is not a semantic version'],
  ['../0.1.0', 'is not a semantic version'],
  ['latest', 'is not a semantic version'],
  ['v0.1.0', 'write 0.1.0'],
  ['0.1.0+build.5', 'leave it out'],
])('versionProblem() refuses %j', (text, problem) => {
  expect(versionProblem(text)).toContain(problem);
});
