// Counts each refused event, and logs it with its reason. Anybody can cause refusals of unknown senders, and a log line
// costs more than the request. So these are logged once a minute, with their number since the last line.
import type { Clock } from '../../lib/ports/clock.ts';
import type { Log } from '../../lib/ports/log.ts';
import { shortReason } from '../runtime/messages.ts';
import type { Meter } from '../runtime/meter.ts';

/** The reason for a sender that is not known. */
export const UNKNOWN_SENDER = '401: the sender is not known';

const SAMPLE_MS = 60_000;
/** The most problems of one request that are logged. */
const PROBLEMS_NOTED_MAX = 20;

/** The counter of one execution environment. `reasons`: one for each event. */
export function refuseEvents({ clock, meter, log }: { clock: Clock; meter: Meter; log: Log }) {
  let saidMs: number | null = null;
  let unsaid = 0;
  return (reasons: readonly string[]): void => {
    meter('EventsRefused', reasons.length);
    if (reasons[0] !== UNKNOWN_SENDER) {
      const noted = [...new Set(reasons)].slice(0, PROBLEMS_NOTED_MAX).map(shortReason);
      const more = noted.length > 1 ? { more: noted.slice(1) } : {};
      log('warn', 'an event is refused', { count: reasons.length, reason: noted[0], ...more });
      return;
    }
    unsaid += 1;
    const nowMs = clock.nowMs();
    if (saidMs !== null && nowMs - saidMs < SAMPLE_MS) return;
    log('warn', 'an event is refused', { count: unsaid, reason: UNKNOWN_SENDER });
    saidMs = nowMs;
    unsaid = 0;
  };
}
