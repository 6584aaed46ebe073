// The answers of the console's API, `/api/v1/…`: one schema each, from which the page takes its types. A time is text
// in ISO 8601, UTC. What is not known is null. Every text may come from a tenant or from Route 53: it is data, no
// markup.
//
//   path under /api/v1                                              | answer            | reads
//   ----------------------------------------------------------------|-------------------|---------------------------
//   status                                                          | statusAnswer      | the ledger
//   names?query=&namespace=&limit=&after=                           | namesAnswer       | one hosted zone of the ledger
//   names/{name}                                                    | nameAnswer        | the ledger, Route 53
//   waiting?limit=&after=                                           | waitingAnswer     | one hosted zone of the ledger
//   zones?limit=&after=                                             | zonesAnswer       | the Zones
//   may?namespace=&name=&type=&view=                                | mayAnswer         | the Zones
//   hosted-zones?limit=&after=                                      | hostedZonesAnswer | all hosted zones, not names
//   hosted-zones/{id}?read=&limit=&after=                           | hostedZoneAnswer  | one hosted zone of the ledger
//   history?name=&object=&namespace=&hosted-zone=&                  | historyAnswer     | the history
//     cluster=&since=&until=&limit=&after=&format=                  |                   |
//   changes?since=                                                  | changesAnswer     | one query of the ledger
//
// An error is problemAnswer, with the content type application/problem+json.
import * as z from 'zod';

const time = z.string();

/** What a list may have at most in one answer, whatever `limit` says. `limit` is a number from 1 on. */
export const ROWS_MAX = 200;

/** RFC 9457. `permission`: what the user's own credentials lack, such as `route53:ListResourceRecordSets`. */
export const problemAnswer = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
  permission: z.string().optional(),
});
export type ProblemAnswer = z.infer<typeof problemAnswer>;

/** The content of a record set, as in `plan -o json`. `ttl` in seconds. An alias has no TTL of its own. */
const routed = { routing: z.record(z.string(), z.unknown()).optional(), healthCheckId: z.string().optional() };
const contentAnswer = z.union([
  z.object({ ttl: z.number(), values: z.array(z.string()), ...routed }),
  z.object({
    alias: z.object({ dnsName: z.string(), hostedZoneId: z.string(), evaluateTargetHealth: z.boolean() }),
    ...routed,
  }),
]);
export type ContentAnswer = z.infer<typeof contentAnswer>;

/** `name` is "" where it is not known. */
const hostedZoneRef = z.object({ id: z.string().nullable(), name: z.string() });

/** A condition's reason (docs/kubernetes.md) and its message. */
const verdict = z.object({ reason: z.string(), message: z.string() });

/** An entry, as in `history -o json`. `type` null: one of the hosted zone itself (`held`). */
const entryAnswer = z.object({
  at: time,
  name: z.string(),
  type: z.string().nullable(),
  setIdentifier: z.string().nullable(),
  /** create, update, delete, adopt, takeover, handover, restore, forget, drift, held, refused or cleared. */
  action: z.string(),
  before: contentAnswer.nullable(),
  after: contentAnswer.nullable(),
  /** "Record ns/name". */
  objects: z.array(z.string()),
  /** "ns/name". */
  zone: z.string().nullable(),
  cluster: z.string(),
  view: z.string(),
  hostedZone: z.object({ id: z.string(), name: z.string() }),
  batch: z.string(),
  changeId: z.string().nullable(),
  /** `user`: the name that the API server gave: a claim. */
  cause: z.object({
    kind: z.string(),
    at: time.nullable(),
    user: z.string().nullable(),
    digest: z.string().nullable(),
  }),
  message: z.string(),
});
export type EntryAnswer = z.infer<typeof entryAnswer>;

/** A change that is still to be made, as in `explain -o json`. */
const changeAnswer = z.object({
  action: z.string(),
  name: z.string(),
  view: z.string(),
  type: z.string(),
  setIdentifier: z.string().nullable(),
  before: contentAnswer.nullable(),
  after: contentAnswer.nullable(),
  objects: z.array(z.string()),
  held: z.boolean(),
  also: z.array(z.object({ action: z.string(), name: z.string(), type: z.string() })).optional(),
  /** What Route 53 has there that is not ours: none, equal, foreign, external-dns … */
  standing: z.string().optional(),
  message: z.string().optional(),
  outcome: z.string().optional(),
});
export type ChangeAnswer = z.infer<typeof changeAnswer>;

/**
 * What is known of one name in one hosted zone, or of a name that no hosted zone of the ledger has. Rows are sorted by
 * hosted zone, then by name from the right (a name stands after the names above it), those without a hosted zone last.
 */
const nameRow = z.object({
  name: z.string(),
  /** null: nothing of it is in a hosted zone of the ledger. */
  hostedZone: hostedZoneRef.nullable(),
  /** public or private. */
  view: z.string(),
  cluster: z.string(),
  /** "ns/name" of the Zone; null: none adopted it. */
  zone: z.string().nullable(),
  types: z.array(z.string()),
  /** Of what is published, else of what is desired: the first few, cut to 200 characters; an alias as its name. */
  values: z.array(z.string()),
  /** The objects that ask for it, or for which it was published: the first 20. */
  objects: z.array(z.string()),
  /**
   * The worst of its record sets, in the words of the conditions. Programmed: Published, Pending, ForeignRecord,
   * Drifted, Rejected, Protected, HeldByGuard. Of a name that is not accepted: DelegationDenied, ParentNotFound,
   * ParentNotLive, InvalidSpec.
   */
  reason: z.string(),
  message: z.string(),
  /** Since when it waits to be published, or was refused; null: neither, or not known. */
  since: time.nullable(),
});
export type NameRow = z.infer<typeof nameRow>;

/** `after`: that of the next question; null: there are no more. A page may have fewer rows than `limit`, even none. */
export const namesAnswer = z.object({ names: z.array(nameRow), after: z.string().nullable() });
export type NamesAnswer = z.infer<typeof namesAnswer>;

/** `explain -o json` of the name, its rows, and what could not be read. */
export const nameAnswer = z.object({
  name: z.string(),
  view: z.string(),
  /** Always null: all types. */
  type: z.string().nullable(),
  /** "ns/name" of the Zone that is responsible for the name. */
  zone: z.string().nullable(),
  /** `vpcs`: of a private one, where it answers. */
  hostedZone: hostedZoneRef
    .extend({ vpcs: z.array(z.object({ id: z.string(), region: z.string() })).exactOptional() })
    .nullable(),
  objects: z.array(
    z.object({
      /** "Record ns/name". */
      object: z.string(),
      type: z.string().nullable(),
      file: z.string().nullable(),
      line: z.number().nullable(),
      accepted: verdict,
      programmed: verdict.nullable(),
    }),
  ),
  /** What Route 53 has now. `owner`: zone53, external-dns, foreign, drifted (changed by hand), or route53 (its own). */
  route53: z.array(
    z.object({
      type: z.string(),
      setIdentifier: z.string().nullable(),
      content: contentAnswer.nullable(),
      owner: z.string(),
    }),
  ),
  protections: z.array(z.object({ type: z.string(), comment: z.string().nullable() })),
  /** What each cluster asks for, as `explain` has it. */
  claims: z.array(
    z.object({
      ...{
        cluster: z.string(),
        view: z.string(),
        type: z.string(),
        setIdentifier: z.string().nullable(),
        content: contentAnswer.nullable(),
      },
      ...{ objects: z.array(z.string()), standby: z.boolean(), since: z.string().nullable() },
      ...{ owns: z.boolean(), reason: z.string() },
    }),
  ),
  /** What zone53 published last. */
  published: z.array(
    z.object({
      type: z.string(),
      setIdentifier: z.string().nullable(),
      content: contentAnswer.nullable(),
      at: time.nullable(),
    }),
  ),
  /** The way of a resolver to the name. */
  delegation: z
    .object({
      hostedZones: z.array(hostedZoneRef),
      cut: z.object({ name: z.string(), nameServers: z.array(z.string()) }).nullable(),
      problem: z.string().nullable(),
    })
    .nullable(),
  pending: z.array(changeAnswer),
  held: z.array(changeAnswer),
  /** A sentence or two: what to do. */
  advice: z.string(),
  /** The last entries of the name, at most 50. */
  history: z.array(entryAnswer),
  /** What the ledger has of the name in each hosted zone, as the list has it. */
  rows: z.array(nameRow),
  /**
   * What could not be read of Route 53, so `route53` is empty; null: it was read. `permission`: what the credentials
   * lack ("not allowed"); null: another error, which `message` says.
   */
  unread: z.object({ permission: z.string().nullable(), message: z.string() }).nullable(),
});
export type NameAnswer = z.infer<typeof nameAnswer>;

/** Deletes that the guard holds: all of a hosted zone, or those of one namespace. `data-digest` is `digest`. */
const hold = z.object({
  /** What `--acknowledge` and the annotation take. */
  digest: z.string(),
  reason: z.string(),
  /** "ns/name". */
  zone: z.string(),
  hostedZone: hostedZoneRef,
  cluster: z.string(),
  /** null: all that is held in the hosted zone; the holds of single namespaces stand behind it. */
  namespace: z.string().nullable(),
  /** How many deletes are held; null of one namespace. */
  count: z.number().nullable(),
  /** `kubectl … annotate …`, to be copied. */
  command: z.string(),
  /** The same as a line of a manifest's annotations. */
  annotation: z.string(),
});
export type Hold = z.infer<typeof hold>;

/**
 * What a person has to do, or may wonder about. `holds` are on the first page alone. `names`: rows whose reason is
 * neither Published nor a Pending of the last minute.
 */
export const waitingAnswer = z.object({
  holds: z.array(hold),
  names: z.array(nameRow),
  after: z.string().nullable(),
});
export type WaitingAnswer = z.infer<typeof waitingAnswer>;

/** A rule of `spec.delegations`. Patterns are as in the spec, but fully qualified ones end with a dot. */
const delegationRule = z.object({
  /** null: every namespace. */
  /** The other clusters for which it is; absent: it is for this one. */
  clusters: z.array(z.string()).exactOptional(),
  namespaces: z.array(z.string()).nullable(),
  shared: z.boolean(),
  zones: z.array(z.string()),
  /** Empty `types`: every type. */
  records: z.array(z.object({ pattern: z.string(), types: z.array(z.string()) })),
});
export type DelegationRule = z.infer<typeof delegationRule>;

/** A Zone. Sorted by full name from the right, so a Zone stands behind the one that adopted it. */
const zoneRow = z.object({
  namespace: z.string(),
  name: z.string(),
  /** null: its spec gives none. */
  fqdn: z.string().nullable(),
  /** "ns/name" of the Zone that adopted it; null: a root, or not live. */
  parent: z.string().nullable(),
  live: z.boolean(),
  accepted: verdict,
  cluster: z.string(),
  hostedZone: hostedZoneRef.nullable(),
  delegations: z.array(delegationRule),
});
export type ZoneRow = z.infer<typeof zoneRow>;
export const zonesAnswer = z.object({ zones: z.array(zoneRow), after: z.string().nullable() });
export type ZonesAnswer = z.infer<typeof zonesAnswer>;

/** Whether the namespace may have the name with that type, and the rule that decides. */
export const mayAnswer = z.object({
  allowed: z.boolean(),
  /** The Zone that decides, "ns/name"; null: no live Zone covers the name. */
  zone: z.string().nullable(),
  /** The first rule that allows it; null: none does. `index`: its place in `spec.delegations`, from 0. */
  rule: delegationRule.extend({ index: z.number() }).nullable(),
  /** Adopted, DelegationDenied, ParentNotFound … */
  reason: z.string(),
  message: z.string(),
});
export type MayAnswer = z.infer<typeof mayAnswer>;

/** What the ledger has of a hosted zone. */
const hostedZoneRow = z.object({
  id: z.string(),
  name: z.string(),
  /** "ns/name"; "" where DNSRecords publish. */
  zone: z.string(),
  cluster: z.string(),
  /** public or private. */
  view: z.string(),
  nameServers: z.array(z.string()),
  /** zone53 created it. */
  made: z.boolean(),
  /** It is not in Route 53 any more. */
  gone: z.boolean(),
  /** Record sets of ours in it, the SOA not counted. */
  published: z.number(),
  /** How many deletes the guard holds. */
  held: z.number(),
  /** Route 53 said that it is full; its message. */
  full: z.string().nullable(),
  /** The message of the last denied change. */
  denied: z.string().nullable(),
  /** Who may write it now; null: nobody. */
  lease: z.object({ holder: z.string(), until: time }).nullable(),
  /** How many runs had it so far. */
  epoch: z.number(),
  /** When it was last compared with Route 53, and when as part of a whole sweep. */
  lastCompared: time.nullable(),
  lastSweep: time.nullable(),
});
export type HostedZoneRow = z.infer<typeof hostedZoneRow>;
export const hostedZonesAnswer = z.object({ hostedZones: z.array(hostedZoneRow), after: z.string().nullable() });
export type HostedZonesAnswer = z.infer<typeof hostedZonesAnswer>;

/**
 * A record set. Without `read` the rows are those of the ledger: ours, and what was seen in the way of ours. With
 * `read=true` they are those that Route 53 has, which is then read in whole; `after` goes on in the same reading.
 */
const recordSetRow = z.object({
  name: z.string(),
  type: z.string(),
  setIdentifier: z.string().nullable(),
  content: contentAnswer.nullable(),
  /** zone53, external-dns, foreign, drifted (changed by hand), or route53 (its own SOA and NS). */
  owner: z.string(),
  objects: z.array(z.string()),
  reason: z.string(),
  message: z.string(),
});
export type RecordSetRow = z.infer<typeof recordSetRow>;

/** `counts`: of all rows, by owner; without `read` of the external-dns and the foreign ones only those in our way. */
export const hostedZoneAnswer = z.object({
  hostedZone: hostedZoneRow,
  counts: z.object({ zone53: z.number(), externalDns: z.number(), foreign: z.number(), drifted: z.number() }),
  /** The numbers by which the guard decides: deletes of the last hour, and what it allows. */
  guard: z.object({
    published: z.number(),
    deletedLastHour: z.number(),
    /** How many may be deleted within an hour, and which share of those that are published, 0 to 1. */
    deletesMax: z.number(),
    deletesShareMax: z.number(),
  }),
  /** The quota of record sets; null: not read (it is read with `read`), or not allowed. */
  quota: z.object({ used: z.number(), max: z.number() }).nullable(),
  rows: z.array(recordSetRow),
  after: z.string().nullable(),
  /** As in nameAnswer; null also if Route 53 was not to be read. */
  unread: z.object({ permission: z.string().nullable(), message: z.string() }).nullable(),
});
export type HostedZoneAnswer = z.infer<typeof hostedZoneAnswer>;

/** As `history -o json`, in pages. `format=csv`: all at once, at most 10,000 entries, as CSV. */
export const historyAnswer = z.object({
  entries: z.array(entryAnswer),
  more: z.boolean(),
  after: z.string().nullable(),
});
export type HistoryAnswer = z.infer<typeof historyAnswer>;

/**
 * What changed since `since`, the `now` of an earlier answer; without it there are no names. At most 200 names; `more`:
 * ask again at once with `now`. `waiting`: the screen Waiting has changed.
 */
export const changesAnswer = z.object({
  now: z.string(),
  names: z.array(z.string()),
  more: z.boolean(),
  waiting: z.boolean(),
});
export type ChangesAnswer = z.infer<typeof changesAnswer>;

/** The line that every screen shows. */
export const statusAnswer = z.object({
  version: z.string(),
  now: time,
  /** What is read: files, a context, or "the ledger" alone; and which ledger. */
  source: z.string(),
  ledger: z.string(),
  /** How long the history is kept; 0: not at all. */
  historyDays: z.number(),
  clusters: z.array(
    z.object({
      id: z.string(),
      /** When its objects were last read; null: not known. */
      lastReading: time.nullable(),
      /** When the oldest of the last whole sweeps of its hosted zones began. */
      lastSweep: time.nullable(),
      hostedZones: z.number(),
      /** Names that wait to be published, and the one that waits longest. */
      dirty: z.number(),
      oldestDirty: z.object({ name: z.string(), since: time, hostedZone: hostedZoneRef }).nullable(),
      held: z.number(),
    }),
  ),
  /** The calls of Route 53, as far as they are noted in the ledger; null: they are not. */
  budget: z
    .object({
      /** What Route 53 is believed to take: changes a second, and in one batch. */
      changesPerSecond: z.number(),
      changesAtOnce: z.number(),
      requestsPerSecond: z.number(),
    })
    .nullable(),
  /** When Route 53 last throttled a batch; null: it did not, or it is not noted. */
  throttledAt: time.nullable(),
  /** What cannot be read, in sentences; empty: nothing. */
  problems: z.array(z.string()),
});
export type StatusAnswer = z.infer<typeof statusAnswer>;
