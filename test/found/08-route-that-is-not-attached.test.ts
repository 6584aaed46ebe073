// From outside: routes that are attached to no listener (kubernetes-sigs/external-dns#4439). Nothing is published for
// them, and render says why.
import path from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../support/run-here.ts';

const FOLDER = path.join(import.meta.dirname, '08-route-that-is-not-attached');

test('render counts the routes, and says why each waits', async () => {
  const argv = ['render', '-f', FOLDER, '--source', 'gatewayRoutes', '--strict'];
  const { out, code } = await runHere(...argv);
  expect(code).toBe(0);
  expect(out).toContain('HTTPRoute dev/otherns waits for otherns.ex.test.:');
  expect(out).toContain('Gateway gw/public takes no routes of namespace dev');
  expect(out).toContain('there is no Gateway gw/missing');
  expect(out).toContain('status.parents does not say that Gateway gw/public has accepted it');
  expect(out).toContain('3 objects wait');
  const { waiting, sources } = JSON.parse((await runHere(...argv, '-o', 'json')).out);
  expect(waiting.map(({ name, fqdn }: Record<string, string>) => `${name} ${fqdn}`)).toEqual([
    'otherns otherns.ex.test.',
    'nogw nogw.ex.test.',
    'nostatus nostatus.ex.test.',
  ]);
  expect(sources).toEqual([]);
});
