// Shows for each hosted zone what a takeover from an external-dns would do. It only reads.
//
//   external-dns owns it | wanted                 | it is
//   yes                  | with the same content  | adopt
//   yes                  | with another           | update
//   yes                  | not                    | unwanted
//   no                   | yes                    | foreign: it stays, and the wanted record set is not published
//
// A record set that cannot exist beside a wanted one, as an A beside a CNAME, counts as wanted with another content.
// But if a foreign record set also prevents the wanted one, both stay, and the record set counts as unwanted.
import type { ClusterPlan, PlannedHostedZone } from '../apply/plan-cluster.ts';
import { planReading } from '../apply/plan-cluster.ts';
import { unwantedSets } from '../apply/unwanted.ts';
import { compareText } from '../dns/names/compare-text.ts';
import { compareRecordSets } from '../dns/plan-changes.ts';
import { type RecordSet, type RecordSetContent, recordSetId, sameContent } from '../dns/record-set.ts';
import { type ExternalDnsRegistry, isOwnershipText, ownershipOf } from '../external-dns/ownership.ts';
import type { ClusterReading } from '../observe/read-cluster.ts';
import { hostedZoneName } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { forbids } from '../publish/existing/neighbours.ts';
import { readWhole } from '../publish/existing/read-existing.ts';
import { takingsOf } from '../publish/existing/takings.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { isPublishable } from '../record-sets/state.ts';

/** Why `apply` deletes nothing that is unwanted. */
const NO_ZONE = 'no Zone publishes into it';
const NOT_ALL_READ = 'not every object could be read';

export type MigrationEntry = {
  readonly name: string;
  readonly type: string;
  readonly setIdentifier: string | null;
  readonly standing: RecordSetContent;
  readonly wanted: RecordSetContent | null;
  /** The type of what is wanted in its place; absent: its own. */
  readonly wantedType?: string;
  readonly objects: readonly string[];
  /** Why it is foreign, in words. */
  readonly note?: string;
  /** It is unwanted, and `apply` deletes it. */
  readonly isDeleted?: true;
};

export type HostedZoneMigration = {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly adopt: readonly MigrationEntry[];
  readonly update: readonly MigrationEntry[];
  readonly unwanted: readonly MigrationEntry[];
  readonly foreign: readonly MigrationEntry[];
  /** Why `apply` deletes nothing here that is unwanted, whatever the configuration says; null: it may. */
  readonly whyKept: string | null;
};

export type MigrationReport = {
  readonly hostedZones: readonly HostedZoneMigration[];
  /** Hosted zones and objects that could not be read. */
  readonly problems: readonly string[];
  readonly plan: ClusterPlan;
};

/** Compares what this external-dns owns with what is wanted. Throws when the hosted zones cannot be listed. */
export async function reportMigration(
  context: Context,
  reading: ClusterReading,
  registry: ExternalDnsRegistry,
  progress: (text: string) => void,
): Promise<MigrationReport> {
  const plan = await planReading(context, reading, {});
  const planned = new Map(plan.hostedZones.filter((one) => !one.pending).map((one) => [one.hostedZone.id, one]));
  const all = new Map((await context.account.hostedZones.list()).map(({ id, name }) => [id, name]));
  for (const one of context.config.hostedZones) all.set(one.id, hostedZoneName(one));
  for (const [id, { hostedZone }] of planned) all.set(id, hostedZone.name);
  const hostedZones: HostedZoneMigration[] = [];
  const problems: string[] = [];
  for (const [id, name] of [...all].sort(([a, x], [b, y]) => compareText(x, y) || compareText(a, b))) {
    const reader = {
      hostedZones: context.account.hostedZones,
      id,
      apex: name,
      progress: (count: number) => progress(`reading ${name}: ${count} record sets`),
    };
    const standing = await readWhole(reader).catch((error: unknown) =>
      String(error instanceof Error ? error.message : error),
    );
    if (standing === null || typeof standing === 'string') {
      problems.push(
        `Cannot report on hosted zone ${id} (${name}): ${standing ?? 'it does not exist in this account any more'}`,
      );
      continue;
    }
    const one = planned.get(id);
    const whyKept =
      one === undefined || one.isLeft ? NO_ZONE : reading.listing.unreadable.size > 0 ? NOT_ALL_READ : null;
    const registries = whyKept === null ? (context.account.externalDns ?? []) : [];
    const found = { ...compareHostedZone(id, name, { registry, registries }, standing, one), whyKept };
    const isWorthIt = planned.has(id) || found.unwanted.length > 0;
    if (isWorthIt) hostedZones.push(found);
  }
  return { hostedZones, problems, plan };
}

/** The owner that was asked about, and all those of whose record sets `apply` may delete unwanted ones. */
type Asked = { readonly registry: ExternalDnsRegistry; readonly registries: readonly ExternalDnsRegistry[] };

function compareHostedZone(
  id: string,
  name: string,
  { registry, registries }: Asked,
  recordSets: readonly RecordSet[],
  planned: PlannedHostedZone | undefined,
): Omit<HostedZoneMigration, 'whyKept'> {
  const found = { adopt: [], update: [], unwanted: [], foreign: [] } as Record<
    'adopt' | 'update' | 'unwanted' | 'foreign',
    MigrationEntry[]
  >;
  const standing = new Map(recordSets.map((set) => [recordSetId(set), set]));
  const itemAt = (id: string) => planned?.items.get(id);
  const replacing = replacements(registry, standing, planned);
  const takings = takingsOf([registry], standing, planned?.items.values() ?? [], itemAt, []);
  const isKnown = (id: string) => itemAt(id)?.published != null || itemAt(id)?.desired != null;
  const deleted = new Set(unwantedSets(registries, name, standing, isKnown).map(recordSetId));
  for (const set of recordSets.toSorted(compareRecordSets)) {
    if (!isPublishable(set, name)) continue;
    const item = itemAt(recordSetId(set));
    const isOurs = item !== undefined && item.published !== null && item.texts.length === 0;
    if (isOurs) continue;
    const isText = isOwnershipText([registry], set);
    if (isText && (item?.desired ?? null) === null) continue;
    const taking = isText ? takings.get(recordSetId(set)) : undefined;
    const ownership =
      taking?.texts == null ? ownershipOf([registry], set, standing) : ({ kind: 'external-dns' } as const);
    const instead = (item?.desired ?? null) === null ? replacing(set) : null;
    const isKept = instead?.isBlocked === true && ownership.kind === 'external-dns';
    const { name: at, type, setIdentifier, content } = set;
    const { desired = null, objects = [], type: wantedType = type } = (isKept ? item : (instead?.by ?? item)) ?? {};
    const wanted: RecordSetContent | null = desired;
    const there = { name: at, type, setIdentifier, standing: content };
    const entry = { ...there, wanted, ...(wantedType !== type && { wantedType }), objects };
    if (ownership.kind === 'external-dns') {
      const fate =
        wanted === null ? 'unwanted' : instead === null && sameContent(set.content, wanted) ? 'adopt' : 'update';
      found[fate].push(fate === 'unwanted' && deleted.has(recordSetId(set)) ? { ...entry, isDeleted: true } : entry);
    } else if (wanted !== null) {
      const unowned = 'No TXT record says that external-dns owns it.';
      const note = taking?.note ?? (ownership.kind === 'other' ? ownership.message : unowned);
      found.foreign.push({ ...entry, note });
    }
  }
  return { id, name, owner: registry.ownerId, ...found };
}

/** The wanted record sets that cannot exist beside a record set, and whether a foreign record set prevents them. */
function replacements(
  registry: ExternalDnsRegistry,
  standing: ReadonlyMap<string, RecordSet>,
  planned: PlannedHostedZone | undefined,
): (set: RecordSet) => { readonly by: RecordSetItem; readonly isBlocked: boolean } | null {
  const items = planned?.items ?? new Map<string, RecordSetItem>();
  const wanted = [...items.values()].filter(({ desired, published }) => desired !== null && published === null);
  const wantedAt = Map.groupBy(wanted, ({ name }) => name);
  const setsAt = Map.groupBy(standing.values(), ({ name }) => name);
  const bars = ({ type, desired: after }: RecordSetItem, set: RecordSet) =>
    (items.get(recordSetId(set))?.desired ?? null) === null && forbids({ type, after }, set);
  const isTheirs = (set: RecordSet) =>
    isOwnershipText([registry], set) || ownershipOf([registry], set, standing).kind === 'external-dns';
  return (set) => {
    const by = wantedAt.get(set.name)?.find((item) => bars(item, set)) ?? null;
    if (by === null) return null;
    const isBlocked = (setsAt.get(set.name) ?? []).some((other) => bars(by, other) && !isTheirs(other));
    return { by, isBlocked };
  };
}
