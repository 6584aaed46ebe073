// The operator says in the configuration whose Zones may take over what is not ours: whoever may change a Zone's spec
// may change its annotations, and RBAC cannot tell the two.
import { describe, expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { deliverAll, hintFor, type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { applyCluster } from '../apply/apply-cluster.ts';
import { parseRef } from '../objects/object-ref.ts';
import { DEFAULT_CONFIG } from '../ports/config.ts';
import { reconcile } from './reconcile-hints.ts';

const ZONE = parseRef('Zone tenant/e');
const RECORD = parseRef('Record tenant/x');
const THEIRS = { kind: 'values', ttlSeconds: 61, values: ['192.0.2.9'] } as const;

/** A world with a Zone that asks for a takeover, and a foreign record set that its Record would replace. */
function worldWith(namespaces: readonly string[] | null): ReconcileWorld {
  const config = { ...DEFAULT_CONFIG, takeover: { namespaces, equal: false, externalDns: [] } };
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config });
  world.route53.edit('Z1', { name: 'x.e.', type: 'A', setIdentifier: null }, THEIRS);
  const delegations = [{ records: [{ pattern: '*' }] }];
  world.cluster.put(ZONE, { domainName: 'e.', delegations }, { 'zone53.dev/takeover': 'true' });
  world.cluster.put(RECORD, { domainName: 'x.e.', type: 'A', rdata: '192.0.2.1' });
  return world;
}

const ways: readonly (readonly [string, (world: ReconcileWorld) => Promise<unknown>])[] = [
  [
    'by events',
    async (world) => {
      await reconcile(world.context, [hintFor(ZONE), hintFor(RECORD)]);
      await deliverAll(world);
    },
  ],
  [
    'by apply',
    async (world) => {
      const options = { acknowledged: [], only: () => true, progress: () => {} };
      await applyCluster(world.context, world.deps, await planCluster(world.context), options);
    },
  ],
];

describe.each(ways)('%s', (_way, run) => {
  test.each([
    ['without the key', null, 'Published'],
    ['for the namespace of the Zone', ['platform', 'tenant'], 'Published'],
    ['for another namespace', ['platform'], 'ForeignRecord'],
    ['for none', [], 'ForeignRecord'],
  ] as const)('a takeover %s', async (_title, namespaces, reason) => {
    const world = worldWith(namespaces);
    await run(world);
    const conditions = world.cluster.statuses.get('Record tenant/x')?.conditions;
    expect(conditions?.find(({ type }) => type === 'Programmed')?.reason).toBe(reason);
  });
});
