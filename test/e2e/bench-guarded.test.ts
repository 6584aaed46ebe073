import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startGuarded } from '../../bench/peers/guarded.ts';

const STAYS = ['-e', 'setInterval(() => {}, 1_000); console.log("ready")'];

/** A bench in small: starts a process that stays, and says its id. */
function startBench(): ChildProcess {
  const file = JSON.stringify(new URL('../../bench/peers/guarded.ts', import.meta.url).href);
  const args = JSON.stringify(STAYS);
  const text = `const { startGuarded } = await import(${file}); const peer = startGuarded('stays', process.execPath, ${args}); await peer.line(/ready/, 30_000); console.log(peer.pid); setInterval(() => {}, 1_000);`;
  return spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function isGone(pid: number): Promise<boolean> {
  for (let look = 0; look < 200; look += 1) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await sleep(50);
  }
  return false;
}

test.each(['SIGINT', 'SIGKILL'] as const)('a bench that ends by %s leaves no process behind', async (signal) => {
  const bench = startBench();
  const [output] = (await once(bench.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const pid = Number(output.toString());
  expect(pid).toBeGreaterThan(0);
  bench.kill(signal);
  expect(await isGone(pid)).toBe(true);
});

test('the error quotes what a dead process printed', async () => {
  const peer = startGuarded('dies', process.execPath, ['-e', 'console.error("no such zone"); process.exit(3)']);
  await expect(peer.line(/ready/, 30_000)).rejects.toThrow('dies ended with 3: no such zone');
  expect(peer.death()).toContain('no such zone');
  await peer.end();
});

test('the error says that a program does not exist', async () => {
  const peer = startGuarded('absent', '/no/such/program', []);
  await expect(peer.line(/ready/, 30_000)).rejects.toThrow('absent does not start');
  await peer.end();
});
