// The status of publishing, one row for each binding. It is read on request: from the central cluster for what
// external-dns serves, from the ledger for what zone53 serves itself.

import type { CentralCluster, ExistingObject } from '../../ports/central-cluster.ts';
import { inParallel } from '../../ports/in-parallel.ts';
import type { JsonObject } from '../../ports/ledger.ts';
import { oncePerKey } from '../../ports/once.ts';
import type { Binding } from '../manifests/bindings.ts';
import { dnsEndpointOf } from '../manifests/dns-endpoint.ts';
import { externalDnsOf } from '../manifests/external-dns.ts';
import type { Project } from '../manifests/project.ts';
import type { DnsUpdateRecord } from '../model/record.ts';
import { AT_ONCE, isOurs, refOf, saysAll } from './apply-project.ts';

type RowState = 'Pending' | 'Published' | 'Error' | 'Unsupported';
type Said = { readonly state: RowState; readonly reason: string };
export type Row = Said & { readonly service: string; readonly record: string };

/** Bindings that are read in the ledger together: one BatchGetItem takes 100 keys. */
const READS_AT_ONCE = 100;

/** What the ledger says of a DNSEndpoint that zone53 serves itself. */
export type OwnPublishing = (project: string, binding: Binding) => Promise<Said>;

/** The rows of bindings. `central` null: there is no central cluster. */
export function publishingOf(central: CentralCluster | null, own: OwnPublishing) {
  return async (project: Project, bindings: readonly Binding[]): Promise<readonly Row[]> => {
    const taken = takenBySomebody(central, project);
    const said = new Map<Binding, Said>();
    const left: Binding[] = [];
    await inParallel(bindings, AT_ONCE, async (binding) => {
      const word = await saidWithoutLedger(central, taken, project, binding);
      if (word === null) left.push(binding);
      else said.set(binding, word);
    });
    await inParallel(left, READS_AT_ONCE, async (binding) => {
      said.set(binding, await own(project.name, binding));
    });
    return bindings.flatMap((binding) => {
      const { service, record } = binding;
      const word = said.get(binding);
      return word === undefined ? [] : [{ service: service.name, record, ...word }];
    });
  };
}

/** Which object of a record's external-dns belongs to somebody else, in words; null: none. Each record is read once. */
type Taken = (record: DnsUpdateRecord) => Promise<string | null>;

function takenBySomebody(central: CentralCluster | null, { name: project }: Project): Taken {
  const look = async (record: DnsUpdateRecord): Promise<string | null> => {
    const refs = externalDnsOf(project, record, [], { secrets: false }).map(refOf);
    const found = await Promise.all(refs.map((ref) => central?.look(ref)));
    const theirs = found.find((one) => one?.kind === 'present' && !isOurs(one.existing));
    if (theirs?.kind !== 'present') return null;
    const { kind, name } = theirs.existing;
    return `${kind} ${project}/${name} was made by somebody else: remove it, or give the record another name`;
  };
  return oncePerKey(({ metadata: { name } }) => name, look);
}

/** What can be said of a binding without the ledger; null: zone53 serves it itself, so the ledger says it. */
async function saidWithoutLedger(
  central: CentralCluster | null,
  taken: Taken,
  project: Project,
  binding: Binding,
): Promise<Said | null> {
  const { definition, trouble } = binding;
  if (definition !== null && definition.provider !== 'aws' && central === null)
    return {
      state: 'Unsupported',
      reason: `provider ${definition.provider} needs external-dns in a central cluster, and none is configured`,
    };
  const manifest = dnsEndpointOf(project.name, binding);
  if (trouble !== null || manifest === null) return trouble ?? { state: 'Pending', reason: 'nothing to publish' };
  if (central === null) return null;
  const found = await central.look(refOf(manifest));
  if (found.kind === 'unknown') return { state: 'Error', reason: found.reason };
  if (found.kind === 'absent') {
    if (found.obstacle !== null) return { state: 'Error', reason: found.obstacle };
    return { state: 'Pending', reason: `DNSEndpoint ${manifest.metadata.name} is about to be written` };
  }
  if (!isOurs(found.existing)) {
    const reason = `DNSEndpoint ${project.name}/${manifest.metadata.name} was made by somebody else: remove it, or give the service another name`;
    return { state: 'Error', reason };
  }
  if (definition === null || definition.provider === 'aws') return null;
  const reason = await taken(definition);
  if (reason !== null) return { state: 'Error', reason };
  if (!saysAll(found.existing.object, manifest as unknown as JsonObject))
    return { state: 'Pending', reason: `DNSEndpoint ${manifest.metadata.name} is about to be updated` };
  return byExternalDns(found.existing);
}

/** The status by `observedGeneration`, which external-dns sets once it has read the object. */
function byExternalDns({ object }: ExistingObject): Said {
  const field = (of: unknown, name: string) => (of as Record<string, unknown> | undefined)?.[name];
  const observed = field(object.status, 'observedGeneration');
  const generation = field(object.metadata, 'generation');
  return typeof observed === 'number' && observed === generation
    ? { state: 'Published', reason: 'external-dns has taken it up' }
    : { state: 'Pending', reason: 'external-dns has not read it yet' };
}
