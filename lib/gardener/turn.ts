// Whose turn it is with a DNSRecord. Two functions may be given hints of one object at once, and two operations of one
// object must not run at once. A turn ends with its operation, or after a time if the process died. Nothing is sent to
// Route 53 that may land after the turn.
import type { DnsRecordDeps, Server } from './deps.ts';
import type { DnsRecordItem } from './dns-record-item.ts';

/** How long a turn is; an operation that takes longer is begun anew. */
const TURN_MS = 90_000;
/** How far clocks may be apart, and the longest that a call of Route 53 takes, from its wait within the budget on. */
const SKEW_MS = 5_000;
const SENDING_MS = 25_000;
/** Whoever waits for somebody's turn looks again so soon. */
const LOOK_SECONDS_MAX = 5;

type Holder = Pick<DnsRecordDeps, 'clock'> & { readonly server: Pick<Server, 'holder'> };

/** Seconds until it is worth asking again, as it is somebody else's turn; null: it is nobody's, or ours. */
export function waitSeconds(
  { server: { holder }, clock }: Holder,
  { turn }: Pick<DnsRecordItem, 'turn'>,
): number | null {
  if (turn === null || turn.holder === holder) return null;
  const leftMs = turn.untilMs + SKEW_MS - clock.nowMs();
  return leftMs <= 0 ? null : Math.min(LOOK_SECONDS_MAX, Math.max(1, Math.ceil(leftMs / 1_000)));
}

/** False where the turn has ended, and somebody else may have begun something since. */
export function isOurs({ server: { holder } }: Pick<Holder, 'server'>, { turn }: Pick<DnsRecordItem, 'turn'>): boolean {
  return turn?.holder === holder;
}

/** The item with our turn. */
export function withTurn({ server: { holder }, clock }: Holder, item: DnsRecordItem): DnsRecordItem {
  return { ...item, turn: { holder, untilMs: clock.nowMs() + TURN_MS } };
}

/** After that nothing more is sent; null: it is not about a turn. */
export function sendsUntilMs({ turn }: Pick<DnsRecordItem, 'turn'>): number | null {
  return turn === null ? null : turn.untilMs - SKEW_MS - SENDING_MS;
}
