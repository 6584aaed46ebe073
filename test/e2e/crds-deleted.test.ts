// `kubectl delete -f crds/` with a real API server, while `zone53 local --context` runs: Route 53 keeps every record
// set, in hosted zones of any size, and the objects that return cause no write.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, applyCrds, CRDS, deleteCrds, eventually, succeed } from '../engines/kubernetes/apply.ts';
import { contextWorld, type Local, TEAMS } from '../support/context-world.ts';

/** What the pipeline says of one of them. */
const WENT = /^delete kept-0\.example\.org\. A .*: held$/m;

describeWithEngine(['kube-apiserver', 'etcd'], 'CRDs that are deleted', () => {
  const world = contextWorld();
  let local: Local;
  const answers = async (name: string): Promise<string> => {
    try {
      return (await local.dns.resolve4(name)).toSorted().join(' ');
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  beforeAll(async () => {
    await succeed(world.engine, ['apply', '-f', TEAMS]);
    local = await world.startLocal();
  });
  afterAll(async () => {
    await local?.stop();
  });

  it('CRDs that are deleted and installed anew, and the objects after them, cost no record set and no write', {
    timeout: 300_000,
  }, async () => {
    const names = Array.from({ length: 12 }, (_, index) => `kept-${index}`);
    const spec = (name: string) => ({ domainName: `${name}.example.org.`, type: 'A', rdata: '192.0.2.40' });
    await apply(
      world.engine,
      names.map((name) => ({ kind: 'Record', name, namespace: 'platform', spec: spec(name) })),
    );
    const watched = [...names.map((name) => `${name}.example.org`), 'a.shop.example.org', 'build.lab.example.org'];
    const standing = async () => (await Promise.all(watched.map(answers))).join(' ');
    const whole = [...names.map(() => '192.0.2.40'), '198.51.100.20', '203.0.113.7'].join(' ');
    await eventually(async () => (await standing()) === whole);
    const manifests = await succeed(world.engine, ['get', 'zones,records', '-A', '-o', 'yaml']);
    // Everything in crds/, the role of zone53 too.
    await deleteCrds(world.engine, 'crd/zones.kubi.zone', 'crd/records.kubi.zone');
    await succeed(world.engine, ['delete', '-f', path.join(CRDS, 'rbac.yaml')]);
    await sleep(3_000);
    expect(await standing(), local.said()).toBe(whole);
    await applyCrds(world.engine);
    // The next comparison finds no object at all. What is held is said once, by whichever process held it.
    const before = local.said();
    await local.stop();
    local = await world.startLocal();
    for (let tries = 0; tries < 60 && !WENT.test(before + local.said()); tries += 1) await sleep(1_000);
    expect(before + local.said()).toMatch(WENT);
    await sleep(1_000);
    expect(await standing(), local.said()).toBe(whole);
    await succeed(world.engine, ['create', '-f', '-'], manifests);
    const unpublished = async () =>
      (await world.list('zones,records', '-A')).filter(
        ({ metadata: { name }, status }) =>
          !name.startsWith('partner') && status?.conditions?.some(({ reason: is }) => is === 'Published') !== true,
      );
    for (let tries = 0; tries < 60 && (await unpublished()).length > 0; tries += 1) await sleep(1_000);
    expect(await unpublished(), local.said().slice(-4_000)).toEqual([]);
    expect(await standing()).toBe(whole);
    // A deletion is a deletion again.
    await succeed(world.engine, ['delete', 'record/kept-0', '-n', 'platform']);
    await eventually(async () => (await answers('kept-0.example.org')) === 'ENOTFOUND');
  });
});
