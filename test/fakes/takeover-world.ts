// A world with foreign record sets in Route 53, and one-line steps for a plan that reads and an apply.
import { applyCluster } from '../../lib/apply/apply-cluster.ts';
import type { RecordSet } from '../../lib/dns/record-set.ts';
import type { ExternalDnsRegistry } from '../../lib/external-dns/ownership.ts';
import { parseRef } from '../../lib/objects/object-ref.ts';
import type { Config } from '../../lib/ports/config.ts';
import { planCluster } from './plan-cluster.ts';
import { type ReconcileWorld, reconcileWorld } from './reconcile-world.ts';

export const ZONE = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }], ttl: 300 };
export const TAKEOVER = { 'zone53.dev/takeover': 'true' };
export const REGISTRY: ExternalDnsRegistry = {
  ownerId: 'prod',
  txtPrefix: '',
  txtSuffix: '',
  wildcardReplacement: '',
  decrypt: null,
  deleteUnwanted: false,
};

export function takeoverWorld(
  registries: readonly ExternalDnsRegistry[] = [REGISTRY],
  config: Partial<Config> = {},
): ReconcileWorld {
  const world = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never', ...config } });
  world.cluster.put(parseRef('Zone p/e'), ZONE);
  const account = { ...world.context.account, externalDns: registries, keepsReadings: true };
  const context = { ...world.context, account };
  return { ...world, context, deps: { ...world.deps, config: { ...world.deps.config, externalDns: registries } } };
}

export const values = (...all: string[]) => ({ kind: 'values' as const, ttlSeconds: 300, values: all });
export const stand = ({ route53 }: ReconcileWorld, name: string, type: string, content: RecordSet['content']) =>
  route53.edit('Z1', { name, type, setIdentifier: null }, content);
export const text = (world: ReconcileWorld, name: string, owner: string) =>
  stand(
    world,
    name,
    'TXT',
    values(`"heritage=external-dns,external-dns/owner=${owner},external-dns/resource=crd/t/w"`),
  );
export const want = ({ cluster }: ReconcileWorld, name: string, rdata: string, type = 'A') =>
  cluster.put(parseRef(`Record p/${type.toLowerCase()}-${name}`), { domainName: `${name}.e.`, type, rdata });

type Refreshing = { readonly refresh?: () => void };

export async function plan({ context }: ReconcileWorld, how: Refreshing = {}) {
  const { hostedZones } = await planCluster(context, { reads: true, ...how });
  return hostedZones.flatMap(({ plan: { changes }, read }) =>
    changes.map(({ action, name, type, setIdentifier, also = [] }) => {
      const { standing = '-', replaces = [] } = read?.existingById.get(`${name} ${type} ${setIdentifier ?? ''}`) ?? {};
      const replaced = replaces.map((set) => `${set.name}/${set.type}`);
      return [`${action} ${name} ${type}`, standing, ...replaced, ...also.map((set) => set.name)].join(' ');
    }),
  );
}

export async function apply(world: ReconcileWorld, acknowledged: readonly string[] = [], how: Refreshing = {}) {
  const options = { acknowledged, only: () => true, progress: () => {}, reads: true, ...how };
  const planned = await planCluster(world.context, { reads: true, acknowledged, ...how });
  world.route53.calls.length = 0;
  const { hostedZones } = await applyCluster(world.context, world.deps, planned, options);
  return hostedZones.flatMap(({ outcomes }) =>
    outcomes.map(({ change, outcome }) => `${change.action} ${change.name} ${outcome}`),
  );
}

export const standing = ({ route53 }: ReconcileWorld) =>
  route53
    .recordSets('Z1')
    .filter(({ name, type }) => !(name === 'e.' && ['NS', 'SOA'].includes(type)))
    .map(({ name, type }) => `${name} ${type}`);
export const writes = ({ route53 }: ReconcileWorld) => route53.calls.filter(({ method }) => method === 'change').length;
