import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import { freePort, openGuard } from './guard.ts';

test('openGuard() tolerates that its folder vanishes while a server starts', async () => {
  const guard = openGuard('zone53-guard-');
  const child = guard.start('short', process.execPath, ['-e', 'console.log("a line")']);
  rmSync(guard.folder, { recursive: true });
  await once(child, 'close');
  await guard.end();
  expect(existsSync(guard.folder)).toBe(false);
});

test('freePort() gives no port that the system may give to an outgoing connection', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  // Linux hands out 32768 to 60999 by itself, macOS 49152 to 65535.
  expect(ports.filter((port) => port < 1_024 || port >= 32_768)).toEqual([]);
  expect(new Set(ports).size).toBeGreaterThan(40);
});

test('freePort() skips a port on which something listens', async () => {
  const taken = await freePort();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(taken, '127.0.0.1', resolve));
  const draws = [(taken - 10_000 + 0.5) / 20_000, 0.25];
  vi.spyOn(Math, 'random').mockImplementation(() => draws.shift() ?? 0.75);
  expect(await freePort()).not.toBe(taken);
  expect(draws).toEqual([]);
  await new Promise((resolve) => server.close(resolve));
});
