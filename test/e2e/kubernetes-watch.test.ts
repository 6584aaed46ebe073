// The watch on a real API server: its hints, and how it continues after a broken connection, a restart and a
// compaction.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubeconfigTransport } from '../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import type { KubernetesTransport } from '../../lib/adapters/kubernetes/http/transport.ts';
import { kubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { rememberWrites } from '../../lib/adapters/kubernetes/own-writes.ts';
import { watchKubernetes } from '../../lib/adapters/kubernetes/watch-objects.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import { KINDS } from '../../lib/sources/source.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, applyCrds, eventually, manifest, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';

describeWithEngine(['kube-apiserver', 'etcd'], 'watchKubernetes()', () => {
  let engine: KubernetesEngine;
  const hints: Hint[] = [];
  const problems: (string | null)[] = [];
  const stop = new AbortController();
  const ownWrites = rememberWrites();
  let ended: Promise<void>;
  let transport: KubernetesTransport;
  const seen = (kind: string, name: string | null) =>
    hints.filter((hint) => hint.kind === kind && hint.name === name).length;
  const record = (name: string, rdata = '192.0.2.1') =>
    apply(engine, [{ kind: 'Record', name, spec: { domainName: `${name}.example.org.`, type: 'A', rdata } }]);

  beforeAll(async () => {
    engine = await startKubernetes();
    await applyCrds(engine);
    transport = kubeconfigTransport('zone53', engine.kubeconfig);
    ended = watchKubernetes({
      kinds: KINDS,
      transport,
      signal: stop.signal,
      openSeconds: 3,
      onHints: (more) => hints.push(...more),
      onProblem: (problem) => problems.push(problem),
      ownWrites,
    });
  });
  afterAll(async () => {
    stop.abort();
    await ended;
    transport?.close();
    await engine?.stop();
  });

  it('begins with a hint at everything, then at each object, and reports no problem', async () => {
    await eventually(() => seen('Zone', null) === 1 && seen('Record', null) === 1);
    await record('one');
    await eventually(() => seen('Record', 'one') === 1);
    await record('one', '192.0.2.2');
    await eventually(() => seen('Record', 'one') === 2);
    await succeed(engine, ['delete', 'record/one']);
    await eventually(() => seen('Record', 'one') === 3);
    expect(problems).toEqual([]);
  });

  it('continues at the same place when the server ends the watch: no change is missed or repeated', async () => {
    // For over six seconds, in which the server ends the watch twice. kubectl would take twice as long.
    const admin = kubeconfigTransport('admin', engine.kubeconfig);
    for (let index = 0; index < 40; index += 1) {
      const spec = { domainName: `steady-${index}.example.org.`, type: 'A', rdata: '192.0.2.1' };
      await admin.send({
        action: `create steady-${index}`,
        method: 'POST',
        path: '/apis/kubi.zone/v1alpha1/namespaces/default/records',
        body: manifest({ kind: 'Record', name: `steady-${index}`, spec }),
        rule: { group: 'kubi.zone', resource: 'records', verb: 'create' },
      });
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    admin.close();
    await eventually(() => seen('Record', 'steady-39') === 1);
    for (let index = 0; index < 40; index += 1) expect([index, seen('Record', `steady-${index}`)]).toEqual([index, 1]);
    expect([seen('Record', null), problems]).toEqual([1, []]);
  });

  it('makes no hint for the writes of our own reports', async () => {
    await record('ours');
    await eventually(() => seen('Record', 'ours') === 1);
    const clock = { nowMs: Date.now };
    const cluster = kubernetesCluster({ kinds: KINDS, clusterId: 'test', transport, clock, ownWrites });
    const ref = { kind: 'Record', namespace: 'default', name: 'ours' } as const;
    const conditions = [{ type: 'Accepted', status: 'True', reason: 'Adopted', message: '' } as const];
    await cluster.report(ref, { fqdn: 'ours.example.org.', parent: 'default/z', conditions }, null);
    await record('after');
    await eventually(() => seen('Record', 'after') === 1);
    // Two writes were made. The watch sometimes sees a write before its answer arrives, which costs one read.
    expect(seen('Record', 'ours')).toBeLessThanOrEqual(3);
  });

  it('says that the server is away, and continues when it is back', async () => {
    const before = seen('Record', null);
    await engine.killApiServer();
    await eventually(() => problems.some((problem) => problem?.includes('Cannot ')));
    await engine.startApiServer();
    await record('back');
    // A server that has just started knows no earlier version, unless nothing was written since.
    await eventually(() => seen('Record', 'back') === 1 || seen('Record', null) > before);
    // Both kinds have lost their watches: that is said once. A server that has just started may refuse each of them.
    await eventually(() => problems.at(-1) === null);
    expect(problems.length).toBeLessThan(8);
    await record('later');
    await eventually(() => seen('Record', 'later') === 1);
  });

  it('makes a hint at everything when the server no longer knows the place', async () => {
    await engine.killApiServer();
    const before = seen('Record', null);
    await engine.compact();
    await engine.startApiServer();
    await eventually(() => seen('Record', null) > before);
    await record('afterwards');
    await eventually(() => seen('Record', 'afterwards') === 1);
  });
});
