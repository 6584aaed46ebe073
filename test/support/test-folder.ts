// A temporary folder of one test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Makes a folder that is removed after the test and its `afterEach`. Call it in a test or in `beforeEach`. */
export function testFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
