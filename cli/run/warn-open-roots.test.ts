import { expect, test } from 'vitest';
import { parseRef } from '../../lib/objects/object-ref.ts';
import { memoryCluster } from '../../test/fakes/memory-cluster.ts';
import type { Source } from './requests.ts';
import { openRootsWatcher } from './warn-open-roots.ts';

const CONTEXT: Source = { kind: 'context', name: 'kind-dev' };

async function warnings(zones: readonly string[], source: Source, roots: [] | null): Promise<string[]> {
  const cluster = memoryCluster();
  for (const zone of zones) cluster.put(parseRef(`Zone ${zone}`), { domainName: 'e.' });
  const logged: string[] = [];
  const log = (level: string, message: string) => void logged.push(`${level} ${message}`);
  await openRootsWatcher(cluster.port, source, { roots }, log).look();
  return logged;
}

test('warns of Zones in two namespaces of a cluster without roots, and says what to write', async () => {
  expect(await warnings(['b/z', 'a/z', 'a/y'], CONTEXT, null)).toEqual([
    expect.stringMatching(
      /^warn Namespaces a, b .*no roots are configured.*roots: \[\{ zone: example\.org\., namespaces: \[NAMESPACE\] \}\]$/,
    ),
  ]);
});

test.each([
  ['one namespace', ['a/z', 'a/y'], CONTEXT, null],
  ['no Zone', [], CONTEXT, null],
  ['roots are configured', ['a/z', 'b/z'], CONTEXT, []],
  ['files', ['a/z', 'b/z'], { kind: 'manifests', paths: ['.'] }, null],
] as const)('is silent: %s', async (_name, zones, source, roots) => {
  expect(await warnings(zones, source as Source, roots as [] | null)).toEqual([]);
});

test('warns when a Zone of a second namespace comes later, and once', async () => {
  const cluster = memoryCluster();
  const logged: string[] = [];
  const watcher = openRootsWatcher(
    cluster.port,
    CONTEXT,
    { roots: null },
    (_level, message) => void logged.push(message),
  );
  const comes = async (zone: string) => {
    const ref = parseRef(`Zone ${zone}`);
    cluster.put(ref, { domainName: 'e.' });
    await watcher.follow([ref]);
  };
  await watcher.look();
  for (const zone of ['a/y', 'a/z']) await comes(zone);
  expect(logged).toEqual([]);
  for (const zone of ['b/z', 'c/z']) await comes(zone);
  expect(logged).toEqual([expect.stringContaining('Namespaces a, b')]);
});
