// An existing Kubizone cluster changes over without touching an object: its objects apply as they are, on a real API
// server, and the situations of its own examples end as they did there, save where docs/kubernetes.md says otherwise.
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { applyCrds, manifest, read, succeed } from '../engines/kubernetes/apply.ts';
import { type KubernetesEngine, startKubernetes } from '../engines/kubernetes/start.ts';
import { zone53 } from '../support/zone53-command.ts';

type KubizoneCase = {
  readonly title: string;
  readonly zones: readonly (readonly [name: string, spec: object])[];
  /** `becomes`: the Zone that adopts the Record, or the reason why none does. */
  readonly records: readonly (readonly [name: string, namespace: string, domainName: string, becomes: string])[];
};
const ALL = { records: [{ pattern: '*' }] };
const ROOT = 'example.net.';

/** The situations of Kubizone's five examples. In Kubizone the last one ends otherwise, as docs/kubernetes.md says. */
const KUBIZONE_CASES: readonly KubizoneCase[] = [
  {
    title: 'a Zone that delegates every name',
    zones: [['root', { domainName: ROOT, delegations: [ALL] }]],
    records: [['www', 'default', 'www.example.net.', 'default/root']],
  },
  {
    title: 'a Zone that delegates nothing',
    zones: [['root', { domainName: ROOT, delegations: [] }]],
    records: [['www', 'default', 'www.example.net.', 'DelegationDenied']],
  },
  {
    title: 'names by namespace',
    zones: [
      [
        'root',
        {
          domainName: ROOT,
          delegations: [
            { namespaces: ['development'], records: [{ pattern: '*.dev' }] },
            { namespaces: ['production'], records: [{ pattern: '*.prod' }] },
          ],
        },
      ],
    ],
    records: [
      ['www-dev', 'development', 'www.dev.example.net.', 'default/root'],
      ['www-prod', 'development', 'www.prod.example.net.', 'DelegationDenied'],
    ],
  },
  {
    title: 'the longest name wins',
    zones: [
      ['root', { domainName: ROOT, delegations: [ALL, { zones: ['sub'] }] }],
      ['sub', { domainName: 'sub.example.net.', delegations: [ALL] }],
    ],
    records: [['www', 'default', 'www.sub.example.net.', 'default/sub']],
  },
  {
    title: 'a sub-zone that does not take the type',
    zones: [
      ['root', { domainName: ROOT, delegations: [ALL, { zones: ['sub'] }] }],
      ['sub', { domainName: 'sub.example.net.', delegations: [{ records: [{ pattern: '*', types: ['MX'] }] }] }],
    ],
    records: [['www', 'default', 'www.sub.example.net.', 'default/root']],
  },
];

describeWithEngine(['kube-apiserver', 'etcd'], 'changing over from Kubizone', () => {
  let engine: KubernetesEngine;
  beforeAll(async () => {
    engine = await startKubernetes();
    await applyCrds(engine);
    await succeed(engine, ['create', 'namespace', 'development']);
  });
  afterAll(() => engine?.stop());

  it("Kubizone's objects apply as they are, also with nulls, empty lists and a status of its controller", async () => {
    const status = { fqdn: 'kubizone.example.', hash: '12345', serial: 4294967295, entries: [] };
    const zone = {
      domainName: 'kubizone.example.',
      zoneRef: null,
      delegations: [{ namespaces: [], zones: ['sub'], records: [{ pattern: '*', types: [] }] }],
      ...{ ttl: 360, refresh: 86400, retry: 7200, expire: 3600000, negativeResponseCache: 360 },
    };
    const record = {
      domainName: 'www',
      zoneRef: { name: 'kubizone', namespace: null },
      type: 'A',
      class: 'IN',
      ttl: null,
    };
    const objects = [
      { ...manifest({ kind: 'Zone', name: 'kubizone', spec: zone }), status },
      manifest({ kind: 'Record', name: 'kubizone', spec: { ...record, rdata: '192.0.2.1' } }),
    ];
    await succeed(engine, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    await succeed(engine, [
      'patch',
      'zone/kubizone',
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status }),
    ]);
    expect((await read(engine, 'zone/kubizone')).status).toEqual(status);
  });

  it.each(KUBIZONE_CASES)('$title', { timeout: 60_000 }, async (one) => {
    const { zones, records } = one;
    const objects = [
      ...zones.map(([name, spec]) => manifest({ kind: 'Zone', name, spec })),
      ...records.map(([name, namespace, domainName]) =>
        manifest({ kind: 'Record', name, namespace, spec: { domainName, type: 'A', rdata: '192.0.2.7' } }),
      ),
    ];
    await succeed(engine, ['delete', 'zones,records', '--all', '-A']);
    await succeed(engine, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    const folder = path.dirname(engine.kubeconfig);
    const place = { folder, route53: 'http://127.0.0.1:9', env: { KUBECONFIG: engine.kubeconfig } };
    const { out } = await zone53(place, ['render', '--context', 'admin', '-o', 'json']);
    type Shown = { name: string; parent: string | null; conditions: { type: string; reason: string }[] };
    const shown = (JSON.parse(out) as { records: Shown[] }).records.map(({ name, parent, conditions }) => [
      name,
      parent ?? conditions.find(({ type }) => type === 'Accepted')?.reason,
    ]);
    expect(shown).toEqual(records.map(([name, , , becomes]) => [name, becomes]));
  });
});
