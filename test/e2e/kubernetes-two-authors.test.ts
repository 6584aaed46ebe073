// Two zone53 with one API server: they do not overwrite each other's statuses for ever, and an Event reports the
// conflict.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, applyCrds, eventually, read, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { type Running, startZone53 } from '../support/zone53-command.ts';

describeWithEngine(['kube-apiserver', 'etcd'], 'two zone53 beside one cluster', () => {
  let engine: KubernetesEngine;
  const folders: string[] = [];
  const running: { readonly local: Running; said: string }[] = [];

  const startLocal = async (): Promise<void> => {
    const folder = mkdtempSync(path.join(tmpdir(), 'zone53-authors-'));
    folders.push(folder);
    const place = { folder, route53: 'http://127.0.0.1:9', env: { KUBECONFIG: engine.kubeconfig } };
    const local = startZone53(place, ['local', '--context', 'zone53', '--dns-port', '0', '--route53-port', '0']);
    const one = { local, said: '' };
    running.push(one);
    for (const stream of [local.child.stdout, local.child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        one.said += chunk.toString('utf8');
      });
    await eventually(() => /^Watching/m.test(one.said));
  };

  beforeAll(async () => {
    engine = await startKubernetes();
    await applyCrds(engine);
  });
  afterAll(async () => {
    for (const { local } of running) local.child.kill('SIGINT');
    for (const { local } of running) await local.ended;
    await engine?.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it('one of them leaves the statuses to the other, and reports that', { timeout: 180_000 }, async () => {
    await startLocal();
    await apply(engine, [
      {
        kind: 'Zone',
        name: 'root',
        spec: { domainName: 'example.org.', delegations: [{ records: [{ pattern: '*' }] }] },
      },
      { kind: 'Record', name: 'www', spec: { domainName: 'www.example.org.', type: 'A', rdata: '192.0.2.1' } },
    ]);
    const published = async () =>
      (await read(engine, 'record/www')).status?.conditions?.some(({ reason }) => reason === 'Published') === true;
    await eventually(published);
    // The hosted zone of the second zone53 has another id, so their reports differ.
    await startLocal();
    await eventually(() => running.some(({ said }) => /Record default\/www is replaced again and again/.test(said)));
    // Writes that have begun are finished. Then nobody writes for 20 seconds, though before, each looked again within
    // less than three seconds.
    const version = async () => (await read(engine, 'record/www')).metadata.resourceVersion;
    let [last, sinceMs] = [await version(), performance.now()];
    await eventually(async () => {
      await sleep(500);
      const now = await version();
      if (now !== last) [last, sinceMs] = [now, performance.now()];
      return performance.now() - sinceMs > 20_000;
    }, 60_000);
    expect(running.map(({ said }) => said).join('')).toContain('by another zone53 (field manager zone53)');
    const events = await succeed(engine, ['get', 'events.events.k8s.io', '-o', 'json']);
    const reasons = (JSON.parse(events) as { items: { reason: string; regarding: { name: string } }[] }).items;
    expect(reasons.some((event) => event.reason === 'StatusContested' && event.regarding.name === 'www')).toBe(true);
  });
});
