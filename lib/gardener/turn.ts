// Takes and ends the turn of a process to work on a DNSRecord. Two functions may get hints for one object at the same
// time, but two operations on it must not run at once. A turn ends with its operation, or after a time if the process
// died. Nothing is sent to Route 53 that might land after the end of the turn.
import type { DnsRecord } from '../sources/gardener/dns-record.ts';
import type { DnsRecordDeps, Server } from './deps.ts';
import { changeDnsRecord, type DnsRecordItem, readDnsRecordItem } from './items/dns-record-item.ts';

/** The length of a turn. An operation that takes longer is begun again. */
const TURN_MS = 90_000;
/** How much clocks may differ; and the longest call of Route 53, with its wait for the budget. */
const SKEW_MS = 5_000;
const SENDING_MS = 25_000;
/** The longest pause before a process that waits for the turn asks again. */
const LOOK_SECONDS_MAX = 5;

type Holder = Pick<DnsRecordDeps, 'clock'> & { readonly server: Pick<Server, 'holder'> };

/** Seconds until this process asks again, while another one has the turn; null if none has it, or this one. */
export function waitSeconds(
  { server: { holder }, clock }: Holder,
  { turn }: Pick<DnsRecordItem, 'turn'>,
): number | null {
  if (turn === null || turn.holder === holder) return null;
  const leftMs = turn.untilMs + SKEW_MS - clock.nowMs();
  return leftMs <= 0 ? null : Math.min(LOOK_SECONDS_MAX, Math.max(1, Math.ceil(leftMs / 1_000)));
}

/** True if this process has the turn. If it has ended, another process may have begun an operation since. */
export function isOurs({ server: { holder } }: Pick<Holder, 'server'>, { turn }: Pick<DnsRecordItem, 'turn'>): boolean {
  return turn?.holder === holder;
}

/** The same, as the ledger has it now, for this very object. */
export async function isOurTurn(
  deps: Pick<DnsRecordDeps, 'ledger' | 'server'>,
  { ref, uid }: Pick<DnsRecord, 'ref' | 'uid'>,
): Promise<boolean> {
  const stored = await readDnsRecordItem(deps, ref);
  return stored?.item.uid === uid && isOurs(deps, stored.item);
}

/** The item with the turn given to this process. */
export function withTurn({ server: { holder }, clock }: Holder, item: DnsRecordItem): DnsRecordItem {
  return { ...item, turn: { holder, untilMs: clock.nowMs() + TURN_MS } };
}

/** No batch is begun after this time (milliseconds since the epoch); null: there is no turn, as for a check. */
export function sendsUntilMs({ turn }: Pick<DnsRecordItem, 'turn'>): number | null {
  return turn === null ? null : turn.untilMs - SKEW_MS - SENDING_MS;
}

/** Saves the end of an operation and of our turn. Changes nothing if it is no longer our turn. */
export async function endTurn(
  deps: Pick<DnsRecordDeps, 'ledger' | 'server'>,
  record: Pick<DnsRecord, 'ref' | 'uid'>,
  change: (item: DnsRecordItem) => DnsRecordItem,
): Promise<void> {
  await changeDnsRecord(deps, record, (item) => (isOurs(deps, item) ? { ...change(item), turn: null } : item));
}
