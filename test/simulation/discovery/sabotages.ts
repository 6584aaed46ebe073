// Safeguards of the names of a cluster's own DNS, weakened one at a time. Part of the list in sabotages.ts.
import type { ClusterObject } from '../../../lib/ports/cluster.ts';
import type { JsonObject } from '../../../lib/ports/ledger.ts';
import { bend, bendReads, breaks, isRecordSet, of, type Sabotage } from '../bend.ts';
import { CLUSTER_ZONE, discoveryOf } from './world.ts';

const isObject = of('objects#');

/** The endpoints of an object as it is noted, each changed. */
function withEndpoints(body: JsonObject, change: (endpoint: JsonObject) => JsonObject): JsonObject {
  const endpoints = (body.endpoints ?? null) as readonly JsonObject[] | null;
  return endpoints === null ? body : { ...body, endpoints: endpoints.map(change) };
}

function asRunning(object: ClusterObject): ClusterObject {
  const isPod = object.ref.kind === 'Pod';
  return isPod ? { ...object, status: { ...(object.status as object), phase: 'Running' } } : object;
}

const SABOTAGES: readonly Sabotage[] = [
  breaks('I6', {
    name: 'all Services may lose their names at once',
    guard: ({ services, ...limits }) =>
      services === undefined ? limits : { ...limits, services: { ...services, shareMax: 1 } },
  }),
  breaks(
    'I6',
    bendReads(
      'a name that a Service still asks for counts as no longer asked for',
      (key, run) => isRecordSet(key) && run.kind === 'publish',
      (item) => ({ ...item, body: { ...item.body, isAsked: false } }),
    ),
  ),
  breaks(
    'I7',
    bendReads('cluster IPs are not recognised', isObject, (item) => ({
      ...item,
      body: withEndpoints(item.body, (one) => (one.reverse === 'clusterIP' ? { ...one, reverse: 'endpoint' } : one)),
    })),
  ),
  breaks(
    'I7',
    bendReads("every object has the cluster's names", isObject, (item) => ({
      ...item,
      body: withEndpoints(item.body, (one) => {
        const { fqdn } = one.domainName as { readonly fqdn?: string };
        return fqdn?.endsWith(`.${CLUSTER_ZONE}`) === true ? { ...one, clusterZone: CLUSTER_ZONE } : one;
      }),
    })),
  ),
  breaks(
    'I23',
    bend('the time of the last reading of a Service is lost', ({ ledger }) => ({
      ledger: {
        get: async (key) => {
          const item = await ledger.get(key);
          return of('rechecks#')(key) ? null : item;
        },
      },
    })),
  ),
  breaks(
    'Q1',
    bend('every Pod counts as running', ({ cluster }) => ({
      cluster: {
        get: async (ref, lastSeenIn) => {
          const seen = await cluster.get(ref, lastSeenIn);
          return seen.kind === 'present' ? { ...seen, object: asRunning(seen.object) } : seen;
        },
        listPage: async (...asked) => {
          const page = await cluster.listPage(...asked);
          return page === null ? null : { ...page, objects: page.objects.map(asRunning) };
        },
      },
    })),
  ),
];

export const DISCOVERY_SABOTAGES: readonly Sabotage[] = SABOTAGES.map((one) => {
  return { ...one, concerns: (seed) => discoveryOf(seed) !== null };
});
