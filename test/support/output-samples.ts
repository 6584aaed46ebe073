import type {
  AppliedChangeOutput,
  ApplyOutput,
  ChangeOutput,
  ClusterOutput,
  HostedZoneOutput,
  Outcome,
  PlanOutput,
} from '../../cli/print/output.ts';
import type { Condition } from '../../lib/objects/conditions.ts';

export const accepted: Condition = {
  type: 'Accepted',
  status: 'True',
  reason: 'Adopted',
  message: 'adopted',
  observedGeneration: 3,
};
export const denied: Condition = {
  type: 'Accepted',
  status: 'False',
  reason: 'DelegationDenied',
  message: 'no rule\u001b[2J',
};
export const programmed = (reason: Condition['reason']): Condition => ({
  type: 'Programmed',
  status: 'False',
  reason,
  message: 'm',
});

export const world: ClusterOutput = {
  zones: [
    {
      namespace: 'default',
      name: 'example',
      fqdn: 'example.org.',
      parent: null,
      hash: `v1:${'a'.repeat(64)}`,
      serial: 2026112100,
      entries: [
        {
          fqdn: 'example.org.',
          type: 'SOA',
          class: 'IN',
          ttl: 360,
          rdata: 'ns.example.org. noc.example.org. 2026112100 86400 7200 3600000 360',
        },
        { fqdn: 'www.example.org.', type: 'TXT', class: 'IN', ttl: 60, rdata: '"a\u001b[31m"' },
      ],
      conditions: [{ ...accepted, reason: 'Root' }],
    },
  ],
  records: [
    { namespace: 'default', name: 'www', fqdn: 'www.example.org.', parent: 'default/example', conditions: [accepted] },
    { namespace: 'team', name: 'x', fqdn: 'x.example.org.', parent: null, conditions: [denied] },
  ],
  sources: [],
  errors: [{ file: 'dns/a.yaml', line: 3, column: 7, message: 'Cannot parse YAML: x' }],
};

export const change = (action: ChangeOutput['action'], parts: Partial<ChangeOutput> = {}): ChangeOutput => ({
  action,
  name: 'www.example.org.',
  type: 'A',
  setIdentifier: null,
  before: action === 'create' ? null : { ttl: 300, values: ['192.0.2.1', '192.0.2.2'] },
  after: action === 'delete' ? null : { ttl: 60, values: ['192.0.2.2', '192.0.2.3'] },
  objects: ['Record default/www'],
  ...parts,
});

export const hostedZone = <Of extends ChangeOutput>(changes: readonly Of[], held = false): HostedZoneOutput<Of> => ({
  id: 'Z1',
  name: 'example.org.',
  zone: 'default/example',
  digest: 'd'.repeat(64),
  held,
  reasons: held ? ['3 of 4 record sets would be deleted.'] : [],
  changes: changes.map((one) => (held && one.action === 'delete' ? { ...one, held } : one)),
});

export const plan: PlanOutput = {
  hostedZones: [
    hostedZone(
      [
        change('create', { name: 'new.example.org.', setIdentifier: 'blue' }),
        change('update'),
        change('delete', { name: 'old.example.org.' }),
        change('create', {
          name: 'alias.example.org.',
          after: { alias: { hostedZoneId: 'Z2', dnsName: 'lb.example.com.', evaluateTargetHealth: true } },
          objects: [],
        }),
      ],
      true,
    ),
    hostedZone([]),
  ],
  errors: [],
};

export const applied = (outcomes: readonly Outcome[], parts: Partial<ApplyOutput> = {}): ApplyOutput => ({
  hostedZones: [
    hostedZone(
      outcomes.map(
        (outcome): AppliedChangeOutput => ({
          ...change('create'),
          outcome,
          message: outcome === 'published' ? '' : 'why',
        }),
      ),
    ),
  ],
  zones: [],
  records: [],
  sources: [],
  errors: [],
  ...parts,
});

export const record = (...conditions: Condition[]) => ({
  namespace: 'a',
  name: 'b',
  fqdn: null,
  parent: null,
  conditions,
});
export const error = { file: 'a', line: 1, message: 'b' };
export const bare: ClusterOutput = { zones: [], records: [], sources: [], errors: [] };

export const invalid = record({ ...denied, reason: 'InvalidSpec' });

export const smallDigest = 'a'.repeat(64);

/** One change. */
export const smallPlan: PlanOutput = {
  hostedZones: [
    {
      id: 'Z1',
      name: 'example.org.',
      zone: 'default/example',
      digest: smallDigest,
      held: false,
      reasons: [],
      changes: [
        {
          action: 'create',
          name: 'www.example.org.',
          type: 'A',
          setIdentifier: null,
          before: null,
          after: { ttl: 1, values: ['192.0.2.1'] },
          objects: [],
        },
      ],
    },
  ],
  errors: [],
};
