// Protections of record sets: which of them are why Route 53 refused a batch. They are listed once for each batch of
// the plan, and only if the refusal does not say whose they are.
import { orDenied } from '../../ports/hosted-zones.ts';
import { accusedIn, fullMessage } from '../../route53/refusal-messages.ts';
import { mayBeProtected, type Shield, shieldOf, shieldsTold } from '../existing/protected.ts';
import { endRun } from '../plan/progress.ts';
import type { Run } from './run.ts';
import type { Step } from './send-batch.ts';

/**
 * The protections because of which these steps may be refused; none if the words give another reason and say for which,
 * or if they may not be listed. `isCut`: Route 53 did not say everything. @throws any error of a read of Route 53
 */
export async function shieldsBehind(
  run: Run,
  steps: readonly Step[],
  messages: readonly string[],
  isCut = false,
): Promise<readonly Shield[]> {
  const isKnown = fullMessage(messages, steps) !== null || accusedIn(messages, steps).length > 0;
  if (!isCut && isKnown && !mayBeProtected(messages)) return [];
  const told = isCut ? null : shieldsTold(messages, steps);
  if (told !== null) return told;
  const { deps, progress, lease } = run;
  const { hostedZoneId } = lease;
  const listed = progress.protections ?? (await deps.hostedZones.protections(hostedZoneId, null).catch(orDenied));
  if (listed === null) endRun(run, 'gone');
  if (listed instanceof Error) deps.log('warn', 'cannot list protections', { hostedZoneId, error: listed.message });
  const protections = listed instanceof Error ? [] : (listed ?? []);
  progress.noteProtections(protections);
  return protections.map(shieldOf);
}
