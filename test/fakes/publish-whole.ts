import { publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import type { PublishDeps } from '../../lib/publish/run/run.ts';

/** Publishes a hosted zone, run after run, until no run asks for another. */
export async function publishWhole(deps: PublishDeps, hostedZoneId: string): Promise<void> {
  for (let more = true; more; ) {
    const result = await publish(deps, hostedZoneId);
    more = result.kind === 'done' && result.retryAfterSeconds !== null;
  }
}
