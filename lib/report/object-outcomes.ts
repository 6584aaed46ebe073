// The outcomes of the endpoints of one object, for which only their names are read, and a summary of all of them.

import { sameContent } from '../dns/record-set.ts';
import { readItem } from '../ledger/item-codec.ts';
import { sameKey } from '../ledger/pages.ts';
import type { ProgrammedReason, Verdict } from '../objects/conditions.ts';
import { formatRef, type ObjectRef, type ZoneKey, zoneOfKey } from '../objects/object-ref.ts';
import { sameJson } from '../objects/same-json.ts';
import { withoutUncovered } from '../objects/views.ts';
import { namedItem, placeOf, placesOf } from '../observe/name-index.ts';
import { declaredObject, type ObjectItem, objectCodec, objectKey } from '../observe/object-item.ts';
import { KEPT_FROM_NAMES, type KeptObjects, keepObjects, nameAt } from '../observe/save-object.ts';
import { clusterDnsOf } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { inParallel } from '../ports/in-parallel.ts';
import type { LedgerKey } from '../ports/ledger.ts';
import { hostedZoneCodec, hostedZoneItemKey } from '../record-sets/hosted-zone-item.ts';
import { type Propagation, worstPropagation } from '../record-sets/propagation.ts';
import { recordSetCodec, recordSetItemKey } from '../record-sets/record-set-item.ts';
import { loadName } from '../resolve/load-name.ts';
import {
  adoptEndpoint,
  type DeclaredObject,
  refuseObject,
  withoutReplaced,
  type ZoneLookup,
} from '../zones/adopt-endpoint.ts';
import type { LiveZone } from '../zones/delegation.ts';
import type { DesiredRecordSet } from '../zones/merge-record-sets.ts';
import type { PlacedZone } from '../zones/place-zones.ts';
import {
  type EndpointOutcome,
  endpointOutcome,
  isLeftOut,
  isOverridden,
  type JudgedEndpoint,
} from '../zones/resolve-cluster.ts';
import { resolveName } from '../zones/resolve-name.ts';
import { sharedBy } from '../zones/share-record-sets.ts';
import {
  endpointPropagation,
  endpointVerdict,
  setsOf,
  type WantedItem,
  wantedItem,
  worstVerdict,
} from './programmed.ts';

/** How many places of one object are read at once. */
const PLACES_AT_ONCE = 4;

/** The outcome of one endpoint, with its Programmed verdict. `propagation`: null while it is not published. */
export type JudgedOutcome = {
  readonly outcome: EndpointOutcome;
  readonly programmed: Verdict<ProgrammedReason> | null;
  readonly propagation: Propagation | null;
};

/** `delegated`: the Zone whose own NS the endpoint is part of. */
type ReadOutcome = JudgedOutcome & { readonly delegated: ZoneKey | null };

const NOTHING_RESOLVED: Parameters<typeof endpointOutcome>[1] = new Map();

/** The outcomes of an object's endpoints; `overtaken` if the object was observed again while its names were read. */
export async function readOutcomes(context: Context, item: ObjectItem): Promise<readonly ReadOutcome[] | 'overtaken'> {
  const object = declaredObject(item);
  if (object.spec === null) {
    const judged = { object, endpoint: null, adoption: refuseObject(object), adopted: null };
    return [
      { outcome: endpointOutcome(judged, NOTHING_RESOLVED), programmed: null, propagation: null, delegated: null },
    ];
  }
  const places = placesOf(context.config.clusterId, item);
  const kept = keepObjects(context, places.length < KEPT_FROM_NAMES ? [] : [item.ref]);
  const outcomes: ReadOutcome[] = [];
  let isOvertaken = false;
  await inParallel(places, PLACES_AT_ONCE, async (place) => {
    const found = isOvertaken ? 'overtaken' : await outcomesAt(context, item, object, place, kept);
    if (found === 'overtaken') isOvertaken = true;
    else outcomes.push(...found);
  });
  if (isOvertaken) return 'overtaken';
  // Sorted as in the object: the same one of several refusals must be reported each time.
  const rank = new Map(object.spec.map((endpoint, index) => [endpoint, index]));
  const rankOf = ({ outcome: { endpoint } }: ReadOutcome) => (endpoint === null ? 0 : (rank.get(endpoint) ?? 0));
  const sorted = outcomes.toSorted((a, b) => rankOf(a) - rankOf(b));
  return withoutUncovered(
    withoutReplaced(sorted, ({ outcome }) => outcome.endpoint),
    ({ outcome }) => outcome,
  );
}

async function outcomesAt(
  context: Context,
  item: ObjectItem,
  object: DeclaredObject,
  place: LedgerKey,
  kept: KeptObjects,
): Promise<readonly ReadOutcome[] | 'overtaken'> {
  const { config } = context;
  const id = formatRef(item.ref);
  const endpoints = namedItem(config.clusterId, item, place)?.endpoints ?? [];
  const name = await nameAt(context, place);
  const loaded = name === null ? null : await loadName(context, name, false, kept);
  const isHere = ({ object: { ref }, endpoint }: JudgedEndpoint) =>
    formatRef(ref) === id && endpoint !== null && sameKey(placeOf(config.clusterId, ref, endpoint), place);
  const there = loaded?.endpoints.filter(isHere) ?? [];
  const zonesThere = [...(loaded?.zones.beside ?? []), ...(loaded?.zones.chain ?? [])];
  const adoptions = await Promise.all(
    endpoints.map(async (endpoint) => {
      return {
        endpoint,
        adoption: adoptEndpoint(object, endpoint, await lookupOf(context, zonesThere, endpoint.zoneRef)),
      };
    }),
  );
  const counting = adoptions.filter((one) => !isLeftOut(one));
  // The NamedItem is then of another generation of the object than the item that is being reported.
  if (
    there.length > 0 &&
    !sameJson(
      there.map(({ endpoint }) => endpoint),
      counting.map(({ endpoint }) => endpoint),
    )
  )
    return 'overtaken';
  const atName = loaded === null ? null : resolveName(loaded.name, loaded.adopted, loaded.zones, loaded.history);
  const at = loaded?.zones.chain.at(-1)?.live;
  const outcomes = await Promise.all(
    counting.map(async ({ endpoint, adoption }, index) => {
      const judged = { object, endpoint, adoption, adopted: there[index]?.adopted ?? null };
      if (isOverridden(judged, atName?.endpoints ?? NOTHING_RESOLVED)) return [];
      const outcome = endpointOutcome(judged, atName?.endpoints ?? NOTHING_RESOLVED);
      const wanted = await readWanted(context, sharedBy(config, setsOf(outcome, atName?.recordSets ?? [])));
      const delegated = endpoint.type === 'NS' && at !== undefined && at.fqdn === loaded?.name ? at.key : null;
      const propagation = config.propagation ? endpointPropagation(outcome, wanted, context.clock.nowMs()) : null;
      return [{ outcome, programmed: endpointVerdict(outcome, wanted), propagation, delegated }];
    }),
  );
  return outcomes.flat();
}

/** These live Zones, and whether the Zone that a zoneRef names exists at all. */
async function lookupOf(
  { ledger, config }: Context,
  chain: readonly PlacedZone[],
  zoneRef: ZoneKey | null,
): Promise<ZoneLookup> {
  const byKey = new Map<ZoneKey, { readonly live: LiveZone | null }>(chain.map((place) => [place.live.key, place]));
  if (zoneRef !== null && !byKey.has(zoneRef)) {
    const stored = await readItem(ledger, objectKey(config.clusterId, zoneOfKey(zoneRef)), objectCodec);
    if (stored !== null && !stored.item.deleted) byKey.set(zoneRef, { live: null });
  }
  const byName = new Map(chain.map(({ live }) => [live.fqdn, live]));
  return { byKey: (key) => byKey.get(key), liveAt: (fqdn) => byName.get(fqdn), clusterDns: clusterDnsOf(config) };
}

export async function readWanted({ ledger }: Context, sets: readonly DesiredRecordSet[]): Promise<WantedItem[]> {
  return Promise.all(
    sets.map(async (set) => {
      const stored = await readItem(ledger, recordSetItemKey(set.hostedZoneId, set), recordSetCodec);
      const item = stored?.item ?? null;
      if (item !== null && sameContent(item.desired, item.published)) return wantedItem(set, item, null);
      const hostedZone = await readItem(ledger, hostedZoneItemKey(set.hostedZoneId), hostedZoneCodec);
      return wantedItem(set, item, hostedZone?.item ?? null);
    }),
  );
}

/**
 * Summarizes an object: the outcome of its endpoint, or with several endpoints the outcome of the first that was
 * refused, and the worst Programmed verdict. Problems of the whole spec, and `problems` of parts of it, are added. Null
 * for an object that asks for nothing.
 */
export function summarize(
  ref: ObjectRef,
  all: readonly JudgedOutcome[],
  problems: readonly string[] = [],
): JudgedOutcome | null {
  const said = summarizeOutcomes(all);
  if (problems.length === 0 || said?.outcome.verdict.reason === 'InvalidSpec') return said;
  const verdict = { reason: 'InvalidSpec', message: problems.join('; ') } as const;
  const bare = { ref, endpoint: null, fqdn: null, parent: null, programmed: null };
  const { programmed = null, propagation = null } = said ?? {};
  return { outcome: { ...(said?.outcome ?? bare), verdict }, programmed, propagation };
}

function summarizeOutcomes(all: readonly JudgedOutcome[]): JudgedOutcome | null {
  const [first] = all;
  if (first === undefined || all.length === 1) return first ?? null;
  const refused = all.filter(({ outcome }) => outcome.parent === null);
  const flawed = all.find(({ outcome }) => outcome.verdict.reason === 'InvalidSpec');
  const { outcome } = refused[0] ?? flawed ?? first;
  const subject =
    refused.length === 0 ? `${all.length} endpoints are` : `${refused.length} of ${all.length} endpoints are not`;
  const { message, reason } = outcome.verdict;
  const named =
    reason === 'InvalidSpec'
      ? message
      : `${subject} adopted; ${outcome.fqdn ?? ''} ${outcome.endpoint?.type ?? ''}: ${message}`;
  const programmed = worstVerdict(all.flatMap((one) => one.programmed ?? []));
  return {
    outcome: { ...outcome, endpoint: null, fqdn: null, parent: null, verdict: { ...outcome.verdict, message: named } },
    programmed,
    propagation:
      programmed?.reason === 'Published' ? worstPropagation(all.flatMap(({ propagation }) => propagation ?? [])) : null,
  };
}
