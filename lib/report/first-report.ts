// What is saved before a report is written. Of a Zone it is the serial. Of an object whose status others write, too
// (`isShared`), it is that it may show a report, before its first one. The object may ask for nothing later, and then
// the report is removed, even if the run that wrote it died before it was saved.
import type { Stored } from '../ledger/item-codec.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import { type StatusItem, statusCodec, statusKey, UNREPORTED, withSerial } from '../observe/status-item.ts';
import type { Context } from '../ports/context.ts';

/** True for a kind whose status has the report among what others write. */
export function hasSharedStatus({ sources }: Pick<Context, 'sources'>, { kind }: ObjectRef): boolean {
  const form = sources.find((source) => source.kind === kind)?.status ?? 'none';
  return form !== 'subresource' && form !== 'events' && form !== 'none';
}

type Now = Pick<StatusItem, 'uid' | 'conditions' | 'hash' | 'serial'>;

/** What is saved before this report is written; null: nothing. */
export function savedFirst(before: StatusItem | null, now: Now, isShared: boolean): StatusItem | null {
  if (now.serial !== (before?.serial ?? null)) return withSerial(before, now);
  if (!isShared || now.conditions.length === 0 || mayShowReport(before, now)) return null;
  return { ...(before ?? UNREPORTED), uid: now.uid, conditions: [], overwritten: true };
}

/** True if the object may show a report of ours. */
export function mayShowReport(before: StatusItem | null, { uid }: Pick<StatusItem, 'uid'>): boolean {
  return before !== null && (before.conditions.length > 0 || isFirstReportBegun(before, uid));
}

/**
 * What was last reported of the object with this uid, by what was saved before savedFirst(); null: nothing. `isShared`:
 * only the first report was begun, and its Event is to be counted once. Other objects show in their status whether
 * there is an Event.
 */
export function lastReported(
  before: StatusItem | null,
  { uid }: Pick<StatusItem, 'uid'>,
  isShared: boolean,
): StatusItem | null {
  return before === null || before.uid !== uid || (isShared && isFirstReportBegun(before, uid)) ? null : before;
}

/** True if the first report of the object with this uid was begun, and is not saved. */
function isFirstReportBegun(before: StatusItem, uid: string | null): boolean {
  return before.uid === uid && before.conditions.length === 0 && before.overwritten === true;
}

/**
 * Saves what is saved before this report is written. Returns the item over which the report is saved then; if another
 * run has reported the object meanwhile, that will fail.
 */
export async function saveFirst(
  { ledger, config }: Pick<Context, 'ledger' | 'config'>,
  ref: ObjectRef,
  before: Stored<StatusItem> | null,
  now: Now,
  isShared: boolean,
): Promise<Stored<StatusItem> | null> {
  const item = savedFirst(before?.item ?? null, now, isShared);
  if (item === null) return before;
  const revision = await ledger.put(
    statusKey(config.clusterId, ref),
    statusCodec.encode(item),
    before?.revision ?? null,
  );
  return revision === null ? before : { item, revision };
}
