// The same names in both worlds: a Record for zone53 and a DNSEndpoint for external-dns, written to the API server as a
// controller would, over connections that stay open.
import { kubeconfigTransport } from '../../lib/adapters/kubernetes/http/kubeconfig-transport.ts';
import type { KubernetesTransport } from '../../lib/adapters/kubernetes/http/transport.ts';
import { inParallel } from '../../lib/ports/in-parallel.ts';
import { succeed } from '../../test/engines/kubernetes/apply.ts';
import type { KubernetesEngine } from '../../test/engines/kubernetes/start.ts';

/** Whose kind of object is written: a Record for zone53, a DNSEndpoint for external-dns. */
export type World = 'zone53' | 'external-dns';

export type Objects = {
  /** Creates or changes A records: `label` is the first label, `zone` has its trailing dot. */
  write(world: World, records: readonly Wanted[]): Promise<void>;
  /** All records that were written and not removed, with their latest addresses. */
  written(world: World): readonly Wanted[];
  remove(world: World, record: Wanted): Promise<void>;
  zone(name: string): Promise<void>;
  /** The reason of a Record's condition; "" when there is none. */
  reason(label: string, condition: string): Promise<string>;
  close(): void;
};

export type Wanted = { readonly label: string; readonly zone: string; readonly address: string };

const WRITES_AT_ONCE = 24;
const TTL_SECONDS = 60;

/** Writes as the cluster's administrator. */
export function openObjects(engine: KubernetesEngine): Objects {
  const transport = kubeconfigTransport('admin', engine.kubeconfig);
  const written = { zone53: new Map<string, Wanted>(), 'external-dns': new Map<string, Wanted>() };
  return {
    write: (world, records) =>
      inParallel(records, WRITES_AT_ONCE, async (one) => {
        written[world].set(objectName(one), one);
        if (world === 'zone53')
          await put(transport, 'kubi.zone', 'records', 'Record', objectName(one), recordSpec(one));
        else
          await put(transport, 'externaldns.k8s.io', 'dnsendpoints', 'DNSEndpoint', objectName(one), endpointSpec(one));
      }),
    written: (world) => [...written[world].values()],
    remove: async (world, one) => {
      written[world].delete(objectName(one));
      await succeed(engine, ['delete', world === 'zone53' ? 'record.kubi.zone' : 'dnsendpoint', objectName(one)]);
    },
    zone: (name) =>
      put(transport, 'kubi.zone', 'zones', 'Zone', name.slice(0, -1).replaceAll('.', '-'), {
        domainName: name,
        delegations: [{ records: [{ pattern: '*' }] }],
      }),
    reason: (label, condition) => readReason(transport, label, condition),
    close: () => transport.close(),
  };
}

function objectName({ label, zone }: Wanted): string {
  return `${label}.${zone.slice(0, -1)}`;
}

function recordSpec({ label, zone, address }: Wanted): object {
  return { domainName: `${label}.${zone}`, type: 'A', ttl: TTL_SECONDS, rdata: address };
}

function endpointSpec({ label, zone, address }: Wanted): object {
  const dnsName = `${label}.${zone.slice(0, -1)}`;
  return { endpoints: [{ dnsName, recordType: 'A', recordTTL: TTL_SECONDS, targets: [address] }] };
}

async function put(
  transport: KubernetesTransport,
  group: string,
  resource: string,
  kind: string,
  name: string,
  spec: object,
): Promise<void> {
  await transport.send({
    action: `write ${name}`,
    method: 'PATCH',
    path: `/apis/${group}/v1alpha1/namespaces/default/${resource}/${name}`,
    query: { fieldManager: 'bench', force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: `${group}/v1alpha1`, kind, metadata: { name, namespace: 'default' }, spec },
    rule: { group, resource, verb: 'patch' },
  });
}

type Shown = {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly reason: string }[] };
};

async function readReason(transport: KubernetesTransport, name: string, condition: string): Promise<string> {
  const read = await transport.send({
    action: `read ${name}`,
    method: 'GET',
    path: `/apis/kubi.zone/v1alpha1/namespaces/default/records/${name}`,
    rule: { group: 'kubi.zone', resource: 'records', verb: 'get' },
  });
  const conditions = (read as Shown).status?.conditions ?? [];
  return conditions.find(({ type }) => type === condition)?.reason ?? '';
}
