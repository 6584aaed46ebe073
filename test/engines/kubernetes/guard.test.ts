import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openGuard } from './guard.ts';

test('a folder that goes while a server starts is no error', async () => {
  const guard = openGuard('zone53-guard-');
  const child = guard.start('short', process.execPath, ['-e', 'console.log("a line")']);
  rmSync(guard.folder, { recursive: true });
  await once(child, 'close');
  await guard.end();
  expect(existsSync(guard.folder)).toBe(false);
});
