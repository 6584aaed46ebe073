// One temporary folder for a run of the tests: what they, the CDK and the programs that they start leave behind goes
// with it. Vitest calls `setup` before the first worker starts, and what it returns after the last one has ended.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export function setup(): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-tests-'));
  // Some tests start programs of another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
