// The content of an account of the local Route 53, and what all operations do with it: find a zone, make an id, note a
// change, call the listeners. The operations in state.ts use it.
import type { LocalRecordSet } from '../records/record-set.ts';
import { type ZoneRecords, zoneRecords } from '../records/zone-records.ts';
import { ZONE_PROTECTIONS_MAX, ZONE_RECORD_SETS_MAX } from '../values/limits.ts';
import { noSuchHostedZone, Route53Error } from '../values/route53-error.ts';
import type {
  ChangeSnapshot,
  CidrCollectionSnapshot,
  HealthCheckSnapshot,
  HostedZone,
  HostedZoneSnapshot,
  Protection,
  Route53Snapshot,
} from './snapshot.ts';
import type { Clock } from './token-bucket.ts';

const CHANGES_KEPT_MAX = 10_000;
const ID_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const ID_CHARACTERS_COUNT = 20;

export type CountedZone = HostedZone & { readonly recordSetCount: number };

/** Id without the `/change/` prefix. */
export type ChangeInfo = ChangeSnapshot & { readonly status: 'PENDING' | 'INSYNC' };

/**
 * The names of a zone that were written; none when only its tags or VPCs were. `gone`: the zone was deleted. `zoneId`
 * is empty for changes of the account itself: health checks and CIDR collections.
 */
export type ZoneChange = { readonly zoneId: string; readonly names: readonly string[]; readonly gone: boolean };

export type Route53StateOptions = {
  readonly clock: Clock;
  /** Yields [0, 1). */
  readonly random: () => number;
  /** How long a change stays PENDING, in milliseconds. Default 0. */
  readonly insyncDelayMs?: number;
  /** How long a hosted zone refuses further changes after one (PriorRequestNotComplete), in milliseconds. Default 0. */
  readonly processingMs?: number;
  /**
   * True when a record set may name a health check or a CIDR collection that was not created here, because it exists in
   * the real account. Default false.
   */
  readonly takesUnknownIds?: boolean;
  /** The quota of record sets for each hosted zone. Default: that of a new AWS account. */
  readonly recordSetsMax?: number;
  /** The quota of protections for each hosted zone. */
  readonly protectionsMax?: number;
  /** The state to start with. Default: an empty account. */
  readonly snapshot?: Route53Snapshot | null;
};

export type AccountZone = {
  zone: HostedZone;
  readonly records: ZoneRecords;
  tags: Readonly<Record<string, string>>;
  busyUntilMs: number;
  /** By name and type. */
  readonly protections: Map<string, Protection>;
};

export type Account = {
  readonly options: Required<Omit<Route53StateOptions, 'snapshot'>>;
  readonly zones: Map<string, AccountZone>;
  /** Every caller reference ever used. */
  readonly callerReferences: Set<string>;
  readonly changes: Map<string, ChangeSnapshot>;
  readonly healthChecks: Map<string, HealthCheckSnapshot>;
  /** Every caller reference of a health check ever used. */
  readonly healthCheckReferences: Set<string>;
  /** The ids of the health checks that fail. */
  readonly failing: Set<string>;
  readonly cidrCollections: Map<string, CidrCollectionSnapshot>;
  readonly listeners: Set<(change: ZoneChange) => void>;
};

/** An account with the content of the snapshot, or an empty one. */
export function openAccount({ snapshot = null, ...options }: Route53StateOptions): Account {
  const account: Account = {
    options: {
      insyncDelayMs: 0,
      processingMs: 0,
      takesUnknownIds: false,
      recordSetsMax: ZONE_RECORD_SETS_MAX,
      protectionsMax: ZONE_PROTECTIONS_MAX,
      ...options,
    },
    zones: new Map(),
    callerReferences: new Set(snapshot?.callerReferences),
    changes: byId(snapshot?.changes),
    healthChecks: byId(snapshot?.healthChecks),
    healthCheckReferences: new Set([
      ...(snapshot?.healthChecks ?? []).map(({ callerReference }) => callerReference),
      ...(snapshot?.healthCheckReferences ?? []),
    ]),
    failing: new Set(snapshot?.failing),
    cidrCollections: byId(snapshot?.cidrCollections),
    listeners: new Set(),
  };
  for (const { tags, recordSets, protections = [], ...zone } of snapshot?.hostedZones ?? [])
    addZone(account, zone, recordSets, { tags, protections });
  return account;
}

function byId<Item extends { readonly id: string }>(items: readonly Item[] = []): Map<string, Item> {
  return new Map(items.map((item) => [item.id, item]));
}

/** Adds a zone with its record sets. */
export function addZone(
  account: Account,
  zone: HostedZone,
  recordSets: Iterable<LocalRecordSet>,
  { tags = {}, protections = [] }: Partial<Pick<HostedZoneSnapshot, 'tags' | 'protections'>> = {},
): CountedZone {
  const added: AccountZone = {
    ...{ zone, records: zoneRecords(recordSets), tags, busyUntilMs: 0 },
    protections: new Map(protections.map((one) => [`${one.name} ${one.type}`, one])),
  };
  account.zones.set(zone.id, added);
  return countedZone(added);
}

/** The zone of that id, or NoSuchHostedZone. */
export function findZone(account: Account, id: string): AccountZone {
  const found = account.zones.get(id);
  if (found === undefined) throw noSuchHostedZone(id);
  return found;
}

/** Throws PriorRequestNotComplete while the zone is busy with an earlier change. */
export function checkIsIdle({ options: { clock } }: Account, { busyUntilMs }: AccountZone): void {
  if (clock.nowMs() >= busyUntilMs) return;
  const message = 'The request was rejected because Route 53 was still processing a prior request.';
  throw new Route53Error('PriorRequestNotComplete', 400, message);
}

/** The zone with the number of its record sets. */
export function countedZone({ zone, records }: AccountZone): CountedZone {
  return { ...zone, recordSetCount: records.size() };
}

/** A new id that begins with `first`. */
export function newId({ options: { random } }: Account, first: 'C' | 'Z'): string {
  const character = () => ID_CHARACTERS[Math.floor(random() * ID_CHARACTERS.length)];
  return first + Array.from({ length: ID_CHARACTERS_COUNT }, character).join('');
}

/** Notes a change as submitted now. Above a limit, the oldest changes are forgotten. */
export function submitChange(account: Account, comment: string | null): ChangeInfo {
  const { changes, options } = account;
  const change = { id: newId(account, 'C'), submittedAtMs: options.clock.nowMs(), comment };
  changes.set(change.id, change);
  const oldest = changes.keys().next();
  if (changes.size > CHANGES_KEPT_MAX && oldest.done === false) changes.delete(oldest.value);
  return { ...change, status: 'PENDING' };
}

/** A new UUID, as health checks and CIDR collections have it. */
export function newUuid({ options: { random } }: Account): string {
  const digits = (count: number) =>
    Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join('');
  return [8, 4, 4, 4, 12].map(digits).join('-');
}

/** Calls every listener. */
export function tellListeners(account: Account, change: ZoneChange): void {
  for (const listener of account.listeners) listener(change);
}

/** Tells every listener that the account itself has changed, but none of its zones. */
export function tellAccount(account: Account): void {
  tellListeners(account, { zoneId: '', names: [], gone: false });
}

/** The account as plain JSON. */
export function snapshotAccount(account: Account): Route53Snapshot {
  return {
    version: 1,
    hostedZones: [...account.zones.values()].map(({ zone, records, tags, protections }) => ({
      ...zone,
      tags,
      recordSets: records.all(),
      ...(protections.size === 0 ? {} : { protections: [...protections.values()] }),
    })),
    callerReferences: [...account.callerReferences],
    changes: [...account.changes.values()],
    healthChecks: [...account.healthChecks.values()],
    healthCheckReferences: [...account.healthCheckReferences],
    failing: [...account.failing],
    cidrCollections: [...account.cidrCollections.values()],
  };
}
