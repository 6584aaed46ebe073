// A cluster whose own DNS is published, in some seeds: the source serviceDiscovery, a Zone for its names and one for
// its addresses, each with a hosted zone. It has a random stream of its own, so that seeds without it stay as they
// were.
import { parseRootPattern } from '../../../lib/dns/names/pattern.ts';
import type { RootRule } from '../../../lib/objects/root-rule.ts';
import type { Source } from '../../../lib/objects/source.ts';
import { DEFAULT_SETTINGS, type SourceSettings } from '../../../lib/objects/source-settings.ts';
import { DISCOVERED_POD } from '../../../lib/sources/kubernetes-dns/pod.ts';
import { DISCOVERED_SERVICE } from '../../../lib/sources/kubernetes-dns/service.ts';
import { sourcesOn } from '../../../lib/sources/source.ts';
import { type Random, randomOf } from '../random.ts';
import { isOlderThanKinds } from '../regressions.ts';

export const CLUSTER_ZONE = 'k.';
export const REVERSE_ZONE = '10.in-addr.arpa.';
export const CLUSTER_HOSTED = { id: 'ZK', name: CLUSTER_ZONE };
export const REVERSE_HOSTED = { id: 'ZR', name: REVERSE_ZONE };
/** How long changes of one Service are gathered, seconds. */
export const SETTLE_SECONDS = 1;
/** The window in which Services that go are counted, seconds, and the share of them that may. */
export const WINDOW_SECONDS = 60;
export const SHARE_MAX = 0.5;
/** Number of Services that are created and deleted together. */
const CROWD = 12;

const SETTINGS: SourceSettings = {
  ...DEFAULT_SETTINGS,
  discovery: {
    zone: CLUSTER_ZONE,
    ttlSeconds: 5,
    reverse: true,
    pods: 'verified',
    serviceSelector: null,
    settleSeconds: SETTLE_SECONDS,
    guard: { servicesShareMax: SHARE_MAX, windowSeconds: WINDOW_SECONDS },
  },
};

export type Discovery = {
  readonly random: Random;
  /** Number of Services that are created and deleted together; 0: none. */
  readonly crowd: number;
  /** Tenants move, delete and make anew the two Zones. */
  readonly zonesMove: boolean;
  /** No PTR is ever delegated to namespace b. */
  readonly denyB: boolean;
  readonly settings: SourceSettings;
};

/** Null for the seeds that have none. */
export function discoveryOf(seed: number): Discovery | null {
  const random = randomOf(Math.imul(seed, 67_867_967) + 19);
  if (!random.chance(0.1) || isOlderThanKinds(seed)) return null;
  return {
    random,
    crowd: random.chance(0.4) ? CROWD : 0,
    zonesMove: random.chance(0.4),
    denyB: random.chance(0.5),
    settings: SETTINGS,
  };
}

/** Who may declare the two Zones. */
export function discoveryRoots(): readonly RootRule[] {
  return [CLUSTER_ZONE, REVERSE_ZONE].map((name) => {
    const parsed = parseRootPattern(name);
    if (!parsed.ok) throw new Error(parsed.problems.join());
    return { pattern: parsed.pattern, namespaces: ['a'] };
  });
}

/** These sources, and those of the cluster's own DNS; two that read one kind are one. */
export function withDiscovery(sources: readonly Source[]): readonly Source[] {
  const rows: readonly Source[] = [...sources, DISCOVERED_SERVICE, DISCOVERED_POD];
  const on = { services: DEFAULT_SETTINGS, ingresses: DEFAULT_SETTINGS, gatewayRoutes: DEFAULT_SETTINGS };
  const services = sources.find(({ kind }) => kind === 'Service')?.settings ?? DEFAULT_SETTINGS;
  return sourcesOn({ ...on, services, serviceDiscovery: SETTINGS }, rows);
}
