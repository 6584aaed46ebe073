// Whether an API server may store a write: the rules' verdict over the Zones as they stand, in the words of the object's condition.
// A function of its own, because ingest, which answers within milliseconds, has no right to read the cluster (docs/adr/0008).
// Whatever keeps us from a verdict lets the write pass: its condition says the same a second later.
import { JUDGE_MS_MAX } from '../events/admission-review.ts';
import { inTime } from '../lib/adapters/in-time.ts';
import { formatRef } from '../lib/kubizone/objects.ts';
import type { Config } from '../lib/reconcile/config.ts';
import type { Log } from '../lib/reconcile/context.ts';
import { type AdmissionSubject, judgeWrite } from '../lib/reconcile/judge-admission.ts';
import type { Clock, Cluster } from '../lib/reconcile/ports.ts';
import { answerHttp, type HttpAnswer } from './answer-http.ts';
import { shortReason } from './messages.ts';
import type { Meter } from './meter.ts';

export type ValidateDeps = {
  readonly cluster: Pick<Cluster, 'listPage'>;
  readonly config: Config;
  readonly secrets: () => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly log: Log;
  /** How long a verdict may take; then the write passes. */
  readonly judgeMsMax?: number;
};

/** The handler of the validate function, which serves `POST /admission[/SECRET]` alone. Throws for what is no HTTP. */
export function handleValidate(deps: ValidateDeps) {
  const { cluster, config, secrets, clock, meter, log, judgeMsMax = JUDGE_MS_MAX } = deps;
  const refuse = (reason: string) => {
    meter('EventsRefused', 1);
    log('warn', 'an event is refused', { reason });
  };
  const pass = (object: string, reason: string) => {
    meter('WritesUnjudged', 1);
    log('warn', 'a write passes without a verdict', { object, reason });
    return null;
  };
  const judge = async (subject: AdmissionSubject) => {
    const object = formatRef(subject.ref);
    try {
      const verdict = await inTime(judgeWrite(cluster, config, subject), judgeMsMax, 'late' as const);
      if (verdict === 'late') return pass(object, `no verdict within ${judgeMsMax} ms`);
      if (verdict === null) return null;
      meter('WritesRefused', 1);
      log('info', 'a write is refused', { object, reason: verdict });
      return verdict;
    } catch (error) {
      return pass(object, shortReason(error));
    }
  };
  const http = {
    kinds: ['admission'],
    secrets,
    accept: async () => {},
    refuse,
    nowMs: () => clock.nowMs(),
    judge,
  } as const;
  return (event: unknown): Promise<HttpAnswer> => answerHttp(http, event);
}
