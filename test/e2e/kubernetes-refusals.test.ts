// Refusals of a real API server: requests above a limit (API Priority and Fairness), a write that our webhook has
// allowed and another webhook refuses, and reports to objects that a policy guards or that are as large as etcd takes.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kubeconfigTransport } from '../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import { kubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { ReportRefusedError } from '../../lib/ports/cluster.ts';
import { reconcile } from '../../lib/resolve/reconcile-hints.ts';
import { KINDS } from '../../lib/sources/source.ts';
import { startWebhook, type WebhookOptions } from '../../local/admission-webhook.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, applyCrds, eventually, manifest, read, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { reconcileWorld, through } from '../fakes/reconcile-world.ts';

/** A flow with one seat: its requests run one at a time, and others are refused (API Priority and Fairness). */
const ONE_SEAT = [
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name: 'one-seat' },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 0,
        lendablePercent: 0,
        borrowingLimitPercent: 0,
        limitResponse: { type: 'Reject' },
      },
    },
  },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name: 'one-seat' },
    spec: {
      matchingPrecedence: 2,
      priorityLevelConfiguration: { name: 'one-seat' },
      rules: [
        {
          subjects: [
            { kind: 'Group', group: { name: 'zone53' } },
            { kind: 'User', user: { name: 'tenant' } },
          ],
          resourceRules: [
            { verbs: ['*'], apiGroups: ['kubi.zone'], resources: ['*'], namespaces: ['*'], clusterScope: true },
          ],
        },
      ],
    },
  },
];

/** A policy that refuses each write of a Record without the label `team`. Objects that are older than it stay. */
const TEAM_LABEL = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'team-label' },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['kubi.zone'], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: ['records'] },
        ],
      },
      validations: [{ expression: "has(object.metadata.labels) && 'team' in object.metadata.labels" }],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'team-label' },
    spec: { policyName: 'team-label', validationActions: ['Deny'] },
  },
];

describeWithEngine(['kube-apiserver', 'etcd'], 'what a real API server refuses', () => {
  let engine: KubernetesEngine;
  const closing: (() => Promise<void> | void)[] = [];
  const open = (options: { readonly triesMax?: number } = {}) => {
    const transport = kubeconfigTransport('zone53', engine.kubeconfig, options);
    closing.push(() => transport.close());
    return {
      cluster: kubernetesCluster({ kinds: KINDS, clusterId: 'default', transport, clock: systemClock }),
      transport,
    };
  };
  const add = async (name: string, options: Pick<WebhookOptions, 'onHints' | 'judge'>) => {
    const webhook = await startWebhook({ port: 0, host: '127.0.0.1', clock: systemClock, ...options });
    closing.push(() => webhook.close());
    const input = webhook.configuration.replaceAll('name: zone53-local', `name: ${name}`);
    await succeed(engine, ['apply', '-f', '-'], input);
  };
  const record = (text: string) =>
    ({ kind: 'Record', name: 'www', spec: { domainName: 'www.example.org.', type: 'TXT', rdata: text } }) as const;

  beforeAll(async () => {
    engine = await startKubernetes();
    await applyCrds(engine);
    await apply(engine, [record('first')]);
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
    await engine?.stop();
  });

  it('too many requests (429) are sent again when the API server allows it, and nothing is lost', async () => {
    const { cluster, transport } = open();
    await eventually(async () => (await cluster.list()).objects.length === 1);
    const impatient = open({ triesMax: 1 }).cluster;
    const refusal = () => impatient.list().then(() => '', String);
    // A write keeps the only seat while our webhook delays its answer.
    await add('slow', {
      onHints: () => {},
      judge: async ({ ref }) => (ref.name === 'slow' ? sleep(1_400, null) : null),
    });
    const verbs = ['--verb=create,get', '--resource=records.kubi.zone'];
    await succeed(engine, ['create', 'clusterrole', 'writer', ...verbs]);
    await succeed(engine, ['create', 'clusterrolebinding', 'writer', '--clusterrole=writer', '--user=tenant']);
    await succeed(engine, ['apply', '-f', '-'], ONE_SEAT.map((one) => JSON.stringify(one)).join('\n---\n'));
    /** Asks again and again while the seat is taken, until it is true. */
    const whileHeld = (isTrue: () => Promise<boolean>) =>
      eventually(async () => {
        await succeed(engine, ['delete', 'record', 'slow', '--ignore-not-found']);
        const slow = JSON.stringify(manifest({ ...record('slow'), name: 'slow' }));
        let held = true;
        const holding = engine.kubectl(['create', '-f', '-'], { input: slow, context: 'tenant' }).finally(() => {
          held = false;
        });
        let done = false;
        while (held && !done) done = await isTrue();
        await holding;
        return done;
      });
    let refused = '';
    await whileHeld(async () => {
      refused = await refusal();
      return refused !== '';
    });
    expect(refused).toMatch(/Cannot list (zones|records) .*429.*too many requests/i);
    // One request for Zones, one for Records, and one for the refused request that was sent again.
    await whileHeld(async () => {
      const before = transport.requests.count;
      expect((await cluster.list()).objects.length).toBeGreaterThan(0);
      return transport.requests.count > before + 2;
    });
    await succeed(engine, ['delete', 'flowschema', 'one-seat']);
    await succeed(engine, ['delete', 'validatingwebhookconfiguration', 'slow']);
  });

  it('a write that another webhook refuses leads to reads for a minute, and then to none', async () => {
    const { queued, ...world } = through(reconcileWorld(), { cluster: open().cluster });
    const tryWriting = (text: string) =>
      engine.kubectl(['apply', '-f', '-'], { input: JSON.stringify(manifest(record(text))) });
    const workOff = async () => {
      let rounds = 0;
      for (; queued.hints.length > 0 && rounds < 20; rounds += 1)
        await reconcile(world.context, queued.hints.splice(0));
      return rounds;
    };
    await add('zone53', { onHints: (hints) => queued.hints.push(...hints), judge: null });
    await add('policy', { onHints: () => {}, judge: async () => 'not on a Friday' });
    await eventually(async () => (await tryWriting(`probe ${Math.random()}`)).stderr.includes('not on a Friday'));
    await eventually(() => queued.hints.length > 0);
    await workOff();
    const known = async () => (await world.ledger.query('objects#default#Record')).items;
    const before = { generation: (await read(engine, 'record/www')).metadata.generation, known: await known() };
    expect(before.known).toHaveLength(1);

    expect((await tryWriting('refused')).code).not.toBe(0);
    expect(queued.hints).toMatchObject([{ name: 'www', awaited: { generation: (before.generation ?? 0) + 1 } }]);
    expect(await workOff()).toBe(12);
    expect({ generation: (await read(engine, 'record/www')).metadata.generation, known: await known() }).toEqual(
      before,
    );
  });

  it('reports to objects that a policy guards, or that are as large as etcd takes, affect no other object', async () => {
    await succeed(engine, ['delete', 'validatingwebhookconfigurations', '--all']);
    await succeed(engine, ['delete', 'records', '--all']);
    const { cluster } = open();
    const ref = (name: string) => ({ kind: 'Record', namespace: 'default', name });
    const conditions = [{ type: 'Accepted', status: 'True', reason: 'Adopted', message: '' } as const];
    const report = (name: string) =>
      cluster.report(ref(name), { fqdn: `${name}.example.org.`, parent: 'default/z', conditions }, null);
    // As much as the API server stores: with one character more, it refuses the object.
    const large = (octets: number) => {
      const values = Array.from({ length: Math.ceil(octets / 3_950) }, (_, index) =>
        `${index}`.padEnd(Math.min(3_950, octets - index * 3_950), 'x'),
      );
      const object = manifest({ ...record('x'), name: 'large', spec: { ...record('x').spec, rdata: null, values } });
      return engine.kubectl(['create', '-f', '-'], { input: JSON.stringify(object) });
    };
    let [least, most] = [1_400_000, 1_572_864];
    while (most - least > 16) {
      const middle = Math.floor((least + most) / 2);
      const isStored = (await large(middle)).code === 0;
      if (isStored) await succeed(engine, ['delete', 'record', 'large']);
      [least, most] = isStored ? [middle, most] : [least, middle];
    }
    expect((await large(least)).code).toBe(0);
    await report('large');
    expect((await read(engine, 'record/large')).status).toBeUndefined();
    expect(await succeed(engine, ['get', 'events'])).toMatch(/Normal +Adopted +record\/large/);

    await apply(engine, [{ ...record('x'), name: 'unlabelled' }]);
    await succeed(engine, ['apply', '-f', '-'], TEAM_LABEL.map((one) => JSON.stringify(one)).join('\n---\n'));
    await eventually(
      async () =>
        (await engine.kubectl(['label', '--overwrite', 'record/unlabelled', `x=${Math.random()}`])).code !== 0,
    );
    await expect(report('unlabelled')).rejects.toThrow(ReportRefusedError);
    expect((await read(engine, 'record/unlabelled')).status.fqdn).toBe('unlabelled.example.org.');
    await expect(report('unlabelled')).rejects.toThrow(/Cannot label Record .*team-label.* denied request/);
  });
});
