// The status of a DNSEndpoint that zone53 itself publishes, from its conditions in the ledger.
import { type DirectoryItem, directoryCodec, directoryKey, placedZone } from '../../directory/directory-item.ts';
import { ancestorsOf } from '../../dns/names/name.ts';
import { readItem } from '../../ledger/item-codec.ts';
import { sameJson } from '../../objects/same-json.ts';
import { statusCodec, statusKey } from '../../observe/status-item.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { DNS_ENDPOINT } from '../../sources/external-dns/dns-endpoint.ts';
import { delegatesRecord } from '../../zones/delegation.ts';
import { endpointName } from '../manifests/dns-endpoint.ts';
import { askedSets, type EndpointSet, type HostedZoneFacts, leftOut, servedSets } from '../manifests/served.ts';
import { fqdnOf } from '../model/app.ts';
import type { Parameters } from '../model/parameters.ts';
import type { HostedZoneOf } from '../state/intent-state.ts';
import { intentKeys, servedCodec } from '../state/items.ts';
import type { OwnPublishing } from '../state/publishing.ts';
import { generationOf } from './served-version.ts';

/** Why a role cannot be assumed; null if it can. */
export type RoleTrouble = (role: string) => Promise<string | null>;

/** The tags of a hosted zone; null: they cannot be read. */
export type TagsOf = (hostedZoneId: string) => Promise<Readonly<Record<string, string>> | null>;

/** The types of what a service may publish. A delegation may be for some of them only. */
const TYPES = ['A', 'AAAA', 'CNAME'];

/**
 * The hosted zone that a project's name is published into: that of the nearest live Zone which delegates the name to
 * the project, as adoption chooses it. If no Zone delegates it yet, it is known only if there is but one to choose.
 */
export function hostedZoneInDirectory(ledger: Ledger, clusterId: string, tagsOf: TagsOf): HostedZoneOf {
  return async (name, project, options): Promise<HostedZoneFacts | null> => {
    const hosted = new Map<string, DirectoryItem['target']>();
    const adopting = new Map<string, DirectoryItem['target']>();
    for (const fqdn of [name, ...ancestorsOf(name)]) {
      const stored = await readItem(ledger, directoryKey(clusterId, fqdn), directoryCodec);
      if (stored === null) continue;
      const { live, target } = placedZone(stored.item);
      if (target.kind === 'hosted') hosted.set(target.hostedZoneId, target);
      for (const type of TYPES)
        if (!adopting.has(type) && delegatesRecord(live, name, type, project)) adopting.set(type, target);
      if (adopting.size === TYPES.length) break;
    }
    const chosen = adopting.size > 0 ? [...adopting.values()] : hosted.size === 1 ? [...hosted.values()] : [];
    const isPrivate = chosen.every((target) => target.kind === 'hosted' && target.isPrivate === true);
    const first = chosen.find((target) => target.kind === 'hosted');
    if (first === undefined) return null;
    const { hostedZoneId: id, fqdn: zone } = first;
    return { id, name: zone, isPrivate, tags: options?.tags === true ? await tagsOf(id) : null };
  };
}

/** The status by the ledger; for what waits for a role, also why the role cannot be assumed. */
export function ownPublishing(
  ledger: Ledger,
  clusterId: string,
  hostedZoneOf: HostedZoneOf,
  roleTrouble: RoleTrouble,
): OwnPublishing {
  const fromLedger = saidByLedger(ledger, clusterId, hostedZoneOf);
  return async (project, binding) => {
    const said = await fromLedger(project, binding);
    const role = binding.definition?.parameters['aws-assume-role'];
    if (said.state !== 'Pending' || typeof role !== 'string') return said;
    const trouble = await roleTrouble(role);
    return trouble === null ? said : { state: 'Error', reason: trouble };
  };
}

function saidByLedger(ledger: Ledger, clusterId: string, hostedZoneOf: HostedZoneOf): OwnPublishing {
  const keys = intentKeys(clusterId);
  return async (project, binding) => {
    const { service, record, definition } = binding;
    if (definition === null) return { state: 'Error', reason: `no DNS Update Record ${record}` };
    const { parameters } = definition;
    const tags = parameters['aws-zone-tags'] !== undefined;
    const zone = await hostedZoneOf(fqdnOf(service.dnsName), project, { tags });
    const out = leftOut(service.dnsName, definition, zone);
    if (out !== null) return { state: 'Error', reason: out };
    const name = endpointName(service.name, record);
    const served = (await readItem(ledger, keys.served(project, name), servedCodec))?.item.sets ?? [];
    const isServed = askedSets(project, binding, zone).every((set) => served.some((one) => sameJson(one, set)));
    if (served.length === 0 || !isServed) {
      const isKept = sameJson(servedSets(askedSets(project, binding, zone), served, definition, false), served);
      return { state: 'Pending', reason: whyNotServed(parameters, served, isKept) };
    }
    const ref = { kind: DNS_ENDPOINT.kind, namespace: project, name };
    const status = await readItem(ledger, statusKey(clusterId, ref), statusCodec);
    const generation = generationOf(served);
    // Conditions of another generation say nothing of what is asked for now.
    const conditions = (status?.item.conditions ?? []).filter((one) => one.observedGeneration === generation);
    const bad = conditions.find((one) => one.type !== 'Propagated' && one.status === 'False');
    if (bad !== undefined)
      return { state: bad.reason === 'Pending' ? 'Pending' : 'Error', reason: `${bad.reason}: ${bad.message}` };
    const programmed = conditions.find((one) => one.type === 'Programmed');
    return programmed?.status === 'True'
      ? { state: 'Published', reason: programmed.message }
      : { state: 'Pending', reason: ABOUT_TO_BE };
  };
}

const ABOUT_TO_BE = 'about to be published';

/** Why what is asked for is not served. `served`: what was published before; `isKept`: the policy keeps that. */
function whyNotServed(parameters: Parameters, served: readonly EndpointSet[], isKept: boolean): string {
  const { 'dry-run': dry, once, policy } = parameters;
  const stays = served.length === 0 ? '' : '; what was published before stays';
  if (dry === true) return `dry-run: nothing is written${stays}`;
  if (once === true) return `once: the one publication is over; put the record again${stays}`;
  if (policy === 'create-only' && served.length > 0) return 'policy create-only: what was published before stays';
  if (policy === 'upsert-only' && served.length > 0 && isKept)
    return 'policy upsert-only: what was published before stays, and what is asked for cannot be beside it; policy sync replaces it';
  return ABOUT_TO_BE;
}
