// Serves the DNSRecords of a cluster, hint by hint. A hint names one DNSRecord, all of a namespace, or all. A DNSRecord
// is served by one run at a time. If a hint for it comes meanwhile, it is served once more afterwards.
import { eachItem } from '../ledger/pages.ts';
import { formatRef, keyOf, type ObjectRef } from '../objects/object-ref.ts';
import { DEFAULT_HISTORY } from '../ports/config.ts';
import type { CauseKind, Hint } from '../ports/queues.ts';
import { DNS_RECORD_KIND, isServed, readDnsRecord } from '../sources/gardener/dns-record.ts';
import type { BeginOptions } from './begin.ts';
import type { DnsRecordDeps, Server } from './deps.ts';
import { dnsRecordsPartition } from './items/dns-record-item.ts';
import { serveDnsRecords } from './serve.ts';
import { gatherInTurns } from './turns.ts';

export type DnsRecordService = {
  /** Serves the DNSRecords of these hints. Throws if they must be delivered again. */
  hint(hints: readonly Hint[]): Promise<void>;
  /** Serves these as they were planned, whatever pause their last error asks for. `checks`: as in the plan. */
  planned(refs: readonly ObjectRef[], checks: boolean): Promise<void>;
  /** Serves all DNSRecords with something to do, then checks the others, until `isOver` is true. */
  sweep(isOver?: () => boolean): Promise<void>;
};

/** How many records are checked together: no more than the budget of an account allows to read at once. */
const CHECKED_TOGETHER = 5;
/** A record is not checked within this time after this process served it. */
const FRESH_MS = 60_000;
/**
 * Seconds until each repetition of a webhook's hint, whose write may not be readable yet: together more than the minute
 * that an API server allows for a request. Each costs a read, also if the write was seen before.
 */
const REPEAT_SECONDS = [1, 2, 7, 25, 30];

type Given = Omit<DnsRecordDeps, 'server'> & { readonly server: Pick<Server, 'clusterId' | 'settings'> };

/** `again`: a hint for it came meanwhile. `over` is settled when its run ends. */
type Busy = { again: ObjectRef | null; readonly over: PromiseWithResolvers<void> };

export function dnsRecordService(given: Given): DnsRecordService {
  const gather = gatherInTurns();
  const busy = new Map<string, Busy>();
  /** When this process last finished work on an object. */
  const doneAtMs = new Map<string, number>();
  /** What failed before this process started is tried at once, as other controllers do. */
  let isFirst = true;
  const end = (ref: ObjectRef) => {
    const entry = busy.get(formatRef(ref));
    busy.delete(formatRef(ref));
    entry?.over.resolve();
    if (entry?.again != null) void given.queues.hint([entry.again]).catch(() => null);
  };
  const deps: DnsRecordDeps = {
    ...given,
    server: {
      ...given.server,
      holder: given.newHolder(),
      ended: (ref) => {
        doneAtMs.set(formatRef(ref), given.clock.nowMs());
        end(ref);
      },
    },
  };
  /** Returns what another run is serving, with the end of that: a hint comes again by itself, a check does not. */
  const serve = async (refs: readonly ObjectRef[], options: BeginOptions, via?: CauseKind) => {
    const mine = new Map<ObjectRef, Busy>();
    const others: { readonly ref: ObjectRef; readonly over: Promise<void> }[] = [];
    for (const ref of refs) {
      const entry = busy.get(formatRef(ref));
      if (entry !== undefined) {
        if (options.checks !== true) entry.again = ref;
        others.push({ ref, over: entry.over.promise });
        continue;
      }
      mine.set(ref, { again: null, over: Promise.withResolvers() });
      busy.set(formatRef(ref), mine.get(ref) as Busy);
    }
    try {
      const history = { ...(deps.history ?? DEFAULT_HISTORY), ...(via !== undefined && { via }) };
      await serveDnsRecords({ ...deps, history }, gather, [...mine.keys()], options);
    } finally {
      for (const [ref, entry] of mine) if (busy.get(formatRef(ref)) === entry) end(ref);
    }
    return others;
  };
  const serveAll = async (namespace: string | null) => {
    const refs = await listed(deps, namespace);
    const isHurried = isFirst && namespace === null;
    if (isHurried) isFirst = false;
    await serve(refs, { remembers: true, isHurried });
    return refs;
  };
  return {
    hint: async (hints) => {
      const named = new Map<CauseKind | undefined, ObjectRef[]>();
      for (const { kind, namespace, name, via } of hints) {
        if (namespace === null || name === null) await serveAll(namespace);
        else named.set(via, [...(named.get(via) ?? []), { kind, namespace, name }]);
      }
      await Promise.all([...named].map(([via, refs]) => serve(refs, {}, via)));
      for (const hint of hints) await repeatHint(deps, hint);
    },
    planned: async (refs, checks) => void (await serve(refs, { remembers: true, isHurried: true, checks }, 'command')),
    sweep: async (isOver = () => false) => {
      const all = await serveAll(null);
      await serve(await leftOver(deps, all), {});
      for (const [key, atMs] of doneAtMs) if (given.clock.nowMs() - atMs > FRESH_MS) doneAtMs.delete(key);
      const refs = all.filter((ref) => !doneAtMs.has(formatRef(ref)));
      const later: Awaited<ReturnType<typeof serve>> = [];
      for (let at = 0; at < refs.length && !isOver(); at += CHECKED_TOGETHER)
        later.push(...(await serve(refs.slice(at, at + CHECKED_TOGETHER), { checks: true })));
      for (const { ref, over } of later) {
        await over;
        if (!isOver() && !doneAtMs.has(formatRef(ref))) await serve([ref], { checks: true });
      }
    },
  };
}

/** Repeats the hint of a webhook, which is sent before the API server has stored the write. */
async function repeatHint({ queues }: DnsRecordDeps, hint: Hint): Promise<void> {
  const { oldVersion, attempt = 0 } = hint;
  const seconds = REPEAT_SECONDS[attempt];
  if (oldVersion !== undefined && seconds !== undefined)
    await queues.hint([{ ...hint, attempt: attempt + 1 }], seconds);
}

/** Objects in the ledger that are not listed: they are gone, or no longer served. */
async function leftOver(
  { ledger, server: { clusterId } }: DnsRecordDeps,
  listed: readonly ObjectRef[],
): Promise<ObjectRef[]> {
  const known = new Set(listed.map(keyOf));
  const refs: ObjectRef[] = [];
  for await (const { sort } of eachItem(ledger, dnsRecordsPartition(clusterId))) {
    const [namespace, name] = sort.split('/');
    if (namespace === undefined || name === undefined || known.has(sort)) continue;
    refs.push({ kind: DNS_RECORD_KIND.kind, namespace, name });
  }
  return refs;
}

/** The served DNSRecords of a namespace (null: of all). */
async function listed(
  { seed, server: { settings } }: DnsRecordDeps,
  namespace: string | null,
): Promise<readonly ObjectRef[]> {
  const records = (await seed.list(namespace)).map(readDnsRecord);
  return records.flatMap((record) => (record !== null && isServed(record, settings) ? [record.ref] : []));
}
