// Which objects went together with their CRD. Kubernetes deletes the objects of a CRD with it, one by one, and nobody
// meant to delete their DNS names. An object cannot be older than its CRD: so one that is gone went with its CRD if the
// CRD is missing, is being deleted, or is younger than the object. The CRD is asked for only where less is desired than
// before, after the deletion was seen.
import { readableItems } from '../ledger/skip-unreadable.ts';
import { findRef, formatRef, type ObjectRef } from '../objects/object-ref.ts';
import { settingsOf } from '../objects/source.ts';
import type { CrdState } from '../ports/cluster.ts';
import type { Context } from '../ports/context.ts';
import { oncePerKey } from '../ports/once.ts';
import { type DesiredRecordSet, type LostOf, lostAfter } from '../record-sets/desired-name.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { objectCodec, objectKey } from './object-item.ts';

const NO_CRD: CrdState = { kind: 'none' };

type Asking = Pick<Context, 'cluster' | 'ledger' | 'config' | 'sources' | 'log'>;

/**
 * Answers which objects of a record set are lost; without CRDs (manifests) none are. To be made after the deletions
 * were seen: each CRD is asked for once.
 */
export function lostObjects(context: Asking): LostOf {
  const { cluster, log } = context;
  const crdOf = oncePerKey(
    (kind: string) => kind,
    async (kind) => (await cluster.crd?.(kind)) ?? NO_CRD,
  );
  return async (item, desired) => {
    const found: string[] = [];
    for (const ref of leavers(item, desired)) {
      const isLost = cluster.crd !== undefined && (await wentWithCrd(context, crdOf, ref, item));
      if (typeof isLost === 'string') {
        log('warn', `what ${formatRef(ref)} asked for is kept: ${isLost}`, { object: formatRef(ref) });
        return 'unread';
      }
      if (isLost) found.push(formatRef(ref));
    }
    return found;
  };
}

/** The objects, and the Zone, that asked for what is published and no longer do. */
function leavers(item: RecordSetItem, desired: DesiredRecordSet | null): readonly ObjectRef[] {
  const isPublished = item.published !== null || item.intent !== null;
  if (item.desired === null || item.type === 'SOA' || !isPublished) return [];
  const stay = new Set(desired === null ? [] : [...desired.objects, `Zone ${desired.zone}`]);
  const asked = [...item.objects, `Zone ${item.zone}`].filter((one) => !stay.has(one));
  // Nothing of it would change: its content stays what is published.
  if (desired !== null && lostAfter(item, desired, asked).lost === undefined) return [];
  return asked.flatMap((one) => findRef(one) ?? []);
}

/** True if the object went with its CRD; a text: that cannot be read, and why. */
async function wentWithCrd(
  { ledger, config, sources }: Asking,
  crdOf: (kind: string) => Promise<CrdState>,
  ref: ObjectRef,
  { publishedAtMs }: Pick<RecordSetItem, 'publishedAtMs'>,
): Promise<boolean | string> {
  const own = await crdOf(ref.kind);
  const stored = await ledger.get(objectKey(config.clusterId, ref));
  // One that cannot be read counts as forgotten.
  const [known = null] = stored === null ? [] : readableItems(objectCodec, [stored]);
  // An object of an intent is in the ledger only, and has no CRD.
  if (known !== null && known.uid === null) return false;
  if (own.kind === 'unread') return own.message;
  if (own.kind === 'missing' || own.kind === 'leaving') return true;
  // Of an object that the ledger has forgotten, only what was published for it is known to be older.
  const createdAt = known?.age.creationTimestamp ?? null;
  const knownSinceMs = createdAt === null ? publishedAtMs : Date.parse(createdAt);
  if (own.kind === 'since' && knownSinceMs !== null && knownSinceMs < Date.parse(own.createdAt)) return true;
  // The object is still there and asks for less: an object that it reads may have gone, as the Gateway of a route.
  const source = known?.deleted === false ? sources.find(({ kind }) => kind === ref.kind) : undefined;
  for (const { kind } of source?.relatedKinds?.(settingsOf(source)) ?? []) {
    const state = await crdOf(kind);
    if (state.kind === 'unread') return state.message;
    // While a related kind is missing, its objects are not known, and nothing is concluded.
    if (state.kind === 'leaving') return true;
    if (state.kind === 'since' && publishedAtMs !== null && publishedAtMs < Date.parse(state.createdAt)) return true;
  }
  return false;
}
