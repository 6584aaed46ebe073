// What changed since a question before: at most one query of the ledger each time. The items of the hosted zones tell
// where a run was; the next question then reads the batches there, and `more` says to ask it at once.
//
//   question 1   hosted zones: Z2 has another revision            more
//   question 2   batches of Z2: names                             none more; but again when the run has ended

import { batchCodec, batchesPartition, stampsUntil } from '../../lib/history/history-item.ts';
import { UnreadableItemError } from '../../lib/ledger/item-codec.ts';
import type { LedgerItem } from '../../lib/ports/ledger.ts';
import { HOSTED_ZONES_PARTITION, hostedZoneCodec } from '../../lib/record-sets/hosted-zone-item.ts';
import { type ChangesAnswer, ROWS_MAX } from './answers.ts';
import type { ConsoleWorld } from './world.ts';

const PAGE_ITEMS = 100;
/** How many names are remembered. Who asks less often than these come must read everything again. */
const NAMES_KEPT = 10_000;

/** A hosted zone as it was seen last. `until`: batches behind this stamp were told. */
type Seen = { readonly revision: string; readonly isRunning: boolean; readonly until: string };
/** A hosted zone whose batches are to be read, behind `after`. `newest`: the first that was read. */
type Open = { readonly id: string; readonly after: string | null; readonly newest: string | null };

/** Answers one question at a time. `since`: the `now` of an earlier answer; null: the first question. */
export type Changes = (since: number | null) => Promise<ChangesAnswer>;

export function changesOf(world: ConsoleWorld): Changes {
  const { ledger, clock } = world.context;
  const seen = new Map<string, Seen>();
  let hasBegun = false;
  let listedUntil: string | null = null;
  const open: Open[] = [];
  let told: { readonly name: string; readonly at: number }[] = [];
  let last = 0;
  /** Each name has a time of its own, so a page can end behind any of them. */
  const tick = () => {
    last = Math.max(clock.nowMs(), last + 1);
    return last;
  };
  // Who asks with the answer of an earlier process does not know what has changed meanwhile.
  let waitingAt = tick();

  const readHostedZones = async () => {
    const page = await ledger.query(HOSTED_ZONES_PARTITION, {
      limit: PAGE_ITEMS,
      ...(listedUntil !== null && { after: listedUntil }),
    });
    for (const stored of page.items) noteHostedZone(stored);
    listedUntil = page.next;
    if (listedUntil === null) hasBegun = true;
  };
  const noteHostedZone = (stored: LedgerItem) => {
    const { sort: id, revision } = stored;
    const before = seen.get(id);
    if (before?.revision === revision) return;
    const item = hostedZoneCodec.read(stored);
    const lease = item instanceof UnreadableItemError ? null : item.lease;
    const isRunning = lease !== null && lease.expiresAtMs > clock.nowMs();
    const until = before?.until ?? stampsUntil(hasBegun ? 0 : clock.nowMs() - world.skewMs);
    seen.set(id, { revision, isRunning, until });
    if (!hasBegun) return;
    waitingAt = tick();
    if (!open.some((one) => one.id === id)) open.push({ id, after: null, newest: null });
  };
  const readBatches = async ({ id, after, newest }: Open) => {
    const known = seen.get(id);
    if (known === undefined) return;
    const page = await ledger.query(batchesPartition(id), { limit: PAGE_ITEMS, ...(after !== null && { after }) });
    const fresh = page.items.filter(({ sort }) => sort < known.until);
    const names = new Set(
      fresh.flatMap((stored) => {
        const item = batchCodec.read(stored);
        return item instanceof UnreadableItemError ? [] : item.sets.map(([name]) => name);
      }),
    );
    told = [...told.filter(({ name }) => !names.has(name)), ...[...names].map((name) => ({ name, at: tick() }))];
    if (told.length > NAMES_KEPT) told = told.slice(-NAMES_KEPT);
    const first = newest ?? page.items[0]?.sort ?? null;
    if (page.next !== null && fresh.length === page.items.length) {
      open.unshift({ id, after: page.next, newest: first });
      return;
    }
    // The batches of a run that goes on are told again at its end: what they changed was not accepted yet.
    if (!known.isRunning && first !== null && first < known.until) seen.set(id, { ...known, until: first });
  };
  const answer = (since: number | null): ChangesAnswer => {
    if (since === null) return { now: String(tick()), names: [], more: false, waiting: false };
    last = Math.max(last, since);
    const after = told.filter(({ at }) => at > since);
    const page = after.slice(0, ROWS_MAX);
    const isCut = page.length < after.length;
    return {
      now: String(isCut ? page.at(-1)?.at : tick()),
      names: page.map(({ name }) => name),
      more: isCut || open.length > 0 || listedUntil !== null,
      waiting: waitingAt > since,
    };
  };

  let turn: Promise<unknown> = Promise.resolve();
  return (since) => {
    const next = turn.then(async () => {
      if (await world.look()) waitingAt = tick();
      const due = hasBegun && listedUntil === null ? open.shift() : undefined;
      await (due === undefined ? readHostedZones() : readBatches(due));
      return answer(since);
    });
    turn = next.catch(() => {});
    return next;
  };
}
