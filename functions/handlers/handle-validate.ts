// Answers an API server whether it may store a write: the rules are applied to the Zones as they are, and the refusal
// has the words of the object's condition. This is a separate function because ingest, which answers within
// milliseconds, has no right to read the cluster (docs/adr/0008). When no verdict can be reached, the write passes: the
// object's condition says the same a second later.

import { JUDGE_MS_MAX } from '../../events/admission-review.ts';
import { inTime } from '../../lib/adapters/system/with-deadline.ts';
import { formatRef } from '../../lib/objects/object-ref.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { Log } from '../../lib/ports/log.ts';
import { type AdmissionSubject, type AdmissionVerdict, judgeWrite } from '../../lib/report/validate-admission.ts';
import { sourcesOn } from '../../lib/sources/source.ts';
import type { HttpAnswer } from '../runtime/http-event.ts';
import { shortReason } from '../runtime/messages.ts';
import type { Meter } from '../runtime/meter.ts';
import { answerHttp } from './answer-http.ts';
import { refuseEvents } from './refuse-event.ts';

export type ValidateDeps = {
  readonly cluster: Pick<Cluster, 'listPage'>;
  readonly config: Config;
  /** As those of HttpDeps. */
  readonly secrets: (cluster: string | null) => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly log: Log;
  /** How long a verdict may take. After that the write passes. */
  readonly judgeMsMax?: number;
};

/**
 * The handler of the validate function: only `POST /admission[/SECRET]`. Throws if it is not HTTP, or has no secret.
 */
export function handleValidate(deps: ValidateDeps) {
  const { cluster, config, clock, meter, log, judgeMsMax = JUDGE_MS_MAX } = deps;
  const refuse = refuseEvents(deps);
  const judge = async (subject: AdmissionSubject, lateMs: number): Promise<AdmissionVerdict> => {
    const leftMs = Math.max(0, lateMs - clock.nowMs());
    const late: AdmissionVerdict = { kind: 'unjudged', reason: `no verdict within ${judgeMsMax} ms` };
    try {
      return await inTime(
        judgeWrite(cluster, { sources: sourcesOn(config.sources), config }, subject, () => clock.nowMs() > lateMs),
        leftMs,
        late,
      );
    } catch (error) {
      return { kind: 'unjudged', reason: shortReason(error) };
    }
  };
  const refusalOf = (object: string, verdict: AdmissionVerdict): string | null => {
    if (verdict.kind === 'unjudged') {
      meter('WritesUnjudged', 1);
      log('warn', 'a write passes without a verdict', { object, reason: verdict.reason });
    }
    if (verdict.kind !== 'refuse') return null;
    meter('WritesRefused', 1);
    log('info', 'a write is refused', { object, reason: shortReason(verdict.message) });
    return verdict.message;
  };
  const http = {
    kinds: ['admission'],
    accept: async () => {},
    refuse: (reason: string) => refuse([reason]),
    // The API server lets a write pass when its webhook answers anything but a verdict.
    lost: () => meter('WritesUnjudged', 1),
    nowMs: () => clock.nowMs(),
  } as const;
  return (event: unknown): Promise<HttpAnswer> => {
    // One time limit for both, as whoever runs `kubectl apply` waits for the secret too.
    const lateMs = clock.nowMs() + judgeMsMax;
    const secrets = async (of: string | null) => {
      const texts = await inTime(deps.secrets(of), judgeMsMax, null);
      if (texts === null)
        throw new Error(`Cannot identify the sender: the secret was not read within ${judgeMsMax} ms`);
      return texts;
    };
    const judged = async (subject: AdmissionSubject) => refusalOf(formatRef(subject.ref), await judge(subject, lateMs));
    return answerHttp({ ...http, secrets, judge: judged }, event);
  };
}
