// The memory that a plan of a large cluster holds for each Record. The peak of an `apply` of 100,000 Records grows with
// it. It is measured in a process of its own.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { testFolder } from '../support/test-folder.ts';

const RECORDS = 10_000;

/** The KiB that a plan of this many Records holds for each of them, without the memory of their cluster. */
function heldKiB(folder: string): number {
  const file = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));
  const script = `
    import { mkdirSync, writeFileSync } from 'node:fs';
    import { KINDS } from ${file('../../lib/sources/source.ts')};
    import { manifestCluster } from ${file('../../lib/adapters/manifests/manifest-cluster.ts')};
    import { manifestReader } from ${file('../../lib/adapters/manifests/manifest-reader.ts')};
    import { compileOnce } from ${file('../../cli/one-compiler.ts')};
    import { reconcileWorld } from ${file('../fakes/reconcile-world.ts')};
    import { planCluster } from ${file('../fakes/plan-cluster.ts')};
    compileOnce();
    const apiVersion = 'kubi.zone/v1alpha1';
    const object = (kind, name, spec) => JSON.stringify({ apiVersion, kind, metadata: { namespace: 'p', name }, spec });
    /** A folder with a Zone and this many Records, read as the command reads it. */
    function contextOf(records) {
      const folder = ${JSON.stringify(folder)} + '/' + records;
      const zone = object('Zone', 'e', { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] });
      const all = Array.from({ length: records }, (_, index) =>
        object('Record', 'r' + index, { domainName: 'record-' + index + '.e.', type: 'A', rdata: '192.0.2.1' }));
      mkdirSync(folder);
      writeFileSync(folder + '/all.yaml', [zone, ...all].join('\\n---\\n'));
      const reader = manifestReader({ kinds: KINDS, paths: [folder] });
      const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }] });
      return { ...world.context, cluster: manifestCluster({ clusterId: 'default', reader }) };
    }
    const live = async () => {
      for (let turn = 0; turn < 3; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        gc();
      }
      return process.memoryUsage().heapUsed;
    };
    // Compiled code does not count.
    await planCluster(contextOf(500));
    globalThis.context = contextOf(${RECORDS});
    await context.cluster.list();
    const before = await live();
    globalThis.plan = await planCluster(context);
    process.stdout.write(JSON.stringify((await live() - before) / 1024 / ${RECORDS}));
  `;
  const args = ['--expose-gc', '--input-type=module', '-e', script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('planCluster() holds 1.62 KiB for each Record, without what the manifest reader holds', async () => {
  const held = heldKiB(testFolder());
  expect(held).toBeGreaterThan(1);
  expect(held).toBeLessThan(1.66);
});
