// External-dns's first sync of as many names as zone53's. Its process reads an API server that has nothing else, and
// writes to our own Route 53 without a quota and without added latency, so that its own work is measured.
import { openGuard } from '../test/engines/kubernetes/guard.ts';
import { serveEndpoints } from './growth-endpoints.ts';
import { namesOf, ZONE } from './peers/cases.ts';
import { openAccount } from './peers/double.ts';
import { startPeer } from './peers/peer.ts';
import { standing } from './peers/session.ts';

const MS_MAX = 600_000;

export type TheirFirstSync = {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  readonly route53Calls: number;
};

/** Runs until every name is published. Throws when external-dns dies, or needs more than ten minutes. */
export async function theirFirstSync(externalDns: string, names: number): Promise<TheirFirstSync> {
  const guard = openGuard('zone53-bench-endpoints-');
  const wanted = namesOf(names);
  const ends: (() => Promise<void>)[] = [guard.end];
  try {
    const server = await serveEndpoints(wanted, guard.folder);
    ends.push(server.close);
    const account = await openAccount([ZONE], names, {
      double: 'local',
      latencyMs: 0,
      requests: { perSecond: Number.MAX_VALUE, size: Number.MAX_VALUE },
    });
    ends.push(account.close);
    const begunMs = performance.now();
    const peer = await startPeer('external-dns, events', { engine: server, account, ledger: null, externalDns });
    ends.push(peer.end);
    const atMs = await standing({ account, process: peer }, wanted, MS_MAX);
    const usage = peer.usage();
    if (atMs === null || usage === null)
      throw new Error(`external-dns did not publish ${names} names in ${MS_MAX / 1_000} s`);
    return { seconds: (atMs - begunMs) / 1_000, ...usage, route53Calls: account.proxy.calls.length };
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}
