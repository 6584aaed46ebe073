// Which kinds an API server serves, and what is said where one is missing.
import { describe, expect, it } from 'vitest';
import { ZONE_KIND } from '../../objects/kind.ts';
import type { Hint } from '../../ports/queues.ts';
import { LISTENER_SET, X_LISTENER_SET } from '../../sources/common/related-kinds.ts';
import { DNS_ENDPOINT } from '../../sources/external-dns/dns-endpoint.ts';
import { RECORD } from '../../sources/kubizone/parse-record.ts';
import { notServed, type OwnKinds, ownKindsOf, servedKinds } from './discover-kinds.ts';
import { KubernetesError } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';
import { kubernetesCluster } from './kubernetes-cluster.ts';
import { watchKubernetes } from './watch-objects.ts';

const KINDS = [ZONE_KIND, RECORD, DNS_ENDPOINT];
const clock = { nowMs: () => 0 };

/** The API server of a seed: it has none of these kinds. */
function seed() {
  const transport: KubernetesTransport = {
    send: async ({ path }) => {
      throw new KubernetesError(`404: ${path}`, { status: 404 });
    },
    lines: () => {
      throw new Error('nothing is watched here');
    },
    requests: { count: 0 },
    close: () => {},
  };
  return transport;
}

async function remarksOf(own: OwnKinds): Promise<readonly string[]> {
  const transport = seed();
  const served = servedKinds(transport, clock, own);
  const listing = await kubernetesCluster({ clusterId: 'seed', kinds: KINDS, transport, clock, served }).list();
  return (listing.remarks ?? []).map(({ message }) => message);
}

describe('a seed without the CRDs of Zone and Record', () => {
  it('is asked for nothing where the configuration lists no root', async () => {
    expect(await remarksOf('unwanted')).toEqual([notServed(DNS_ENDPOINT)]);
    const dnsRecords = {} as never;
    expect(ownKindsOf({ dnsRecords, roots: [] })).toBe('unwanted');
    expect(ownKindsOf({ dnsRecords, roots: null })).toBe('unwanted');
  });

  it('is told which CRDs to install where Zones are expected', async () => {
    const [zone, record] = await remarksOf('optional');
    expect(zone).toBe(
      'Zone (kubi.zone) is not served by the API server, so its objects are not read: run kubectl apply -f crds/',
    );
    expect(record).toMatch(/^Record .*run kubectl apply -f crds\/$/);
    const roots = [{ zone: 'e.', namespaces: null }] as never;
    expect(ownKindsOf({ dnsRecords: {} as never, roots })).toBe('optional');
    expect(ownKindsOf({ dnsRecords: null, roots: [] })).toBe('needed');
  });

  it.each<[OwnKinds, number]>([
    ['unwanted', 0],
    ['optional', 2],
  ])('is watched without a word if its own kinds are %s', async (own, count) => {
    const transport = seed();
    const stop = new AbortController();
    const told: (string | null)[] = [];
    const watching = watchKubernetes({
      kinds: [ZONE_KIND, RECORD],
      transport,
      served: servedKinds(transport, clock, own),
      signal: stop.signal,
      onHints: (_: readonly Hint[]) => {},
      onProblem: (message) => told.push(message),
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    stop.abort();
    await watching;
    expect(told).toHaveLength(count);
  });
});

it('a kind of the experimental channel may be missing, and a kind of the standard one may not', () => {
  const served = servedKinds(seed(), clock);
  expect(served.mayLack(X_LISTENER_SET)).toBe(true);
  expect(served.mayLack(LISTENER_SET)).toBe(false);
});
