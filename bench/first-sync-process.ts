// The first sync of so many Records as a process of its own, so that CPU and memory are its own: the real code over a ledger, a
// cluster and a Route 53 in memory, which are in the figures too. Prints one line of JSON.
import { emptyWorld, HOSTED_ZONE, syncWhole } from './growth-world.ts';

const records = Number(process.argv[2]);
const { world, ledger } = emptyWorld(records);
const before = process.cpuUsage();
const begunMs = performance.now();
await syncWhole(world);
const used = process.cpuUsage(before);
const { route53, cluster } = world;
process.stdout.write(
  `${JSON.stringify({
    records,
    published: route53.recordSets(HOSTED_ZONE).length,
    seconds: (performance.now() - begunMs) / 1_000,
    cpuSeconds: (used.user + used.system) / 1e6,
    peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
    route53Calls: route53.calls.length,
    lists: cluster.calls.list,
    ledger: ledger.take(),
  })}\n`,
);
