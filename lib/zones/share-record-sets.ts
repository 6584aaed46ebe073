// Record sets that a cluster shares with others: by `weighted` and `latency` they get the cluster's id as set
// identifier, and its weight or region as routing; by `merge` their values are united. What has a routing of its own
// is left alone.
import type { RoutingPolicy } from '../dns/routing-policy.ts';
import type { DesiredRecordSet } from './merge-record-sets.ts';

/** A cluster that shares names, with its AWS region; null: it has none. */
type Sharer = { readonly clusterId: string; readonly region: string | null };

/** The types that are shared. */
const SHARED_TYPES = ['A', 'AAAA', 'CNAME'];

/** The record sets of a cluster, those that it shares with their routing. */
export function sharedBy(sharer: Sharer, recordSets: readonly DesiredRecordSet[]): readonly DesiredRecordSet[] {
  return recordSets.some(({ sharing }) => sharing !== undefined)
    ? recordSets.map((set) => shared(sharer, set))
    : recordSets;
}

function shared({ clusterId, region }: Sharer, set: DesiredRecordSet): DesiredRecordSet {
  const { sharing, setIdentifier, type, content } = set;
  if (sharing === undefined || setIdentifier !== null || !SHARED_TYPES.includes(type)) return set;
  if (sharing.kind === 'merge') return type === 'CNAME' || content.kind === 'alias' ? set : { ...set, merges: true };
  const policy: RoutingPolicy | null =
    sharing.kind === 'weighted'
      ? { kind: 'weight', weight: sharing.weight }
      : region === null
        ? null
        : { kind: 'region', region };
  if (policy === null) return { ...set, lacksRegion: true };
  return { ...set, setIdentifier: clusterId, content: { ...content, routing: { policy, healthCheckId: null } } };
}
