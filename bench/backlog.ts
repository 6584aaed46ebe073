// A backlog of 20,000 changes: how much of Route 53's quotas is used, and whether zone53 ever provokes a throttle. The
// real SDK client and adapter call the local Route 53, which has a bucket of 50 requests that refills at 10 a second.
// The clock is virtual and moves only while something waits, so the figures depend on the quotas and not on this
// machine.
import { callBudget } from '../lib/adapters/route53/call-budget.ts';
import { route53Client } from '../lib/adapters/route53/route53-client.ts';
import { route53HostedZones } from '../lib/adapters/route53/route53-hosted-zones.ts';
import type { RecordSetChange } from '../lib/dns/record-set.ts';
import { type DesiredRecordSet, touchDesired } from '../lib/record-sets/desired-name.ts';
import { startRoute53 } from '../local/route53/api/server.ts';
import { createRoute53State } from '../local/route53/model/state.ts';
import { publishWhole } from '../test/fakes/publish-whole.ts';
import { APEX, type PublishWorld, publishWorld, wanted, ZONE_ID } from '../test/fakes/publish-world.ts';
import { atLeast, atMost, type BenchResult } from './result.ts';
import { rounded } from './statistics.ts';

const CHANGES = 20_000;
const CALLS_PER_SECOND = 10;
const ELEMENTS_MAX = 1_000;
const SHARE_MIN = 0.95;

type Backlog = {
  readonly name: string;
  readonly before: (index: number) => DesiredRecordSet | null;
  readonly after: (index: number) => DesiredRecordSet | null;
};

const one = (index: number, last: number) => wanted(`r${index}.${APEX}`, 'A', [`192.0.2.${last}`]);
const BACKLOGS: readonly Backlog[] = [
  { name: 'all new', before: () => null, after: (index) => one(index, 1) },
  { name: 'all changed', before: (index) => one(index, 1), after: (index) => one(index, 2) },
  {
    name: 'new, changed and gone',
    before: (index) => (index % 3 === 0 ? null : one(index, 1)),
    after: (index) => (index % 3 === 2 ? null : one(index, 2)),
  },
];

/** Limits: at least 95 % of what the quotas allow, and no throttled call. */
export async function benchBacklog(): Promise<BenchResult> {
  const rows = [];
  for (const backlog of BACKLOGS) rows.push(await work(backlog));
  return {
    name: `backlog: ${CHANGES} changes, ${CALLS_PER_SECOND} calls a second`,
    rows,
    limits: rows.flatMap((row) => [
      atLeast(`share of the quotas, ${row.backlog}`, row['share of the quotas'], SHARE_MIN),
      atMost(`throttles, ${row.backlog}`, row.throttles, 0),
    ]),
  };
}

async function work(backlog: Backlog) {
  const world = await publishWorld({ config: { guard: { deletesMax: CHANGES, deletesShareMax: 1 } } });
  const clock = { nowMs: () => world.clock.ms };
  const sleep = async (ms: number) => {
    world.clock.ms += ms;
  };
  const state = createRoute53State({ clock, random: seeded(), recordSetsMax: Infinity });
  const server = await startRoute53({ state, clock });
  const client = route53Client({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  try {
    const { zone } = state.createHostedZone({ name: APEX, callerReference: 'bench', comment: null, vpc: null });
    const budget = callBudget({
      requestsPerSecond: CALLS_PER_SECOND,
      burst: 50,
      reserve: 0,
      changesPerSecond: 'auto',
      clock,
      sleep,
    });
    const port = route53HostedZones(client, budget, { sleep });
    let elements = 0;
    const hostedZones = {
      ...port,
      readName: (_id: string, name: string) => port.readName(zone.id, name),
      change: async (_id: string, changes: readonly RecordSetChange[], comment: string) => {
        const outcome = await port.change(zone.id, changes, comment);
        if (outcome.kind === 'accepted') elements += changes.length;
        return outcome;
      },
    };
    const asked = () =>
      Object.entries(server.requests).reduce((sum, [name, count]) => sum + (name === 'Throttling' ? 0 : count), 0);
    const deps = { ...world.deps, hostedZones };
    const run = async (side: Backlog['before']) => {
      for (let index = 0; index < CHANGES; index += 1) await want(world, `r${index}.${APEX}`, side(index));
      await publishWhole(deps, ZONE_ID);
    };
    await run(backlog.before);
    // After a second, the calls so far use none of the quota of the calls that are measured.
    world.clock.ms += 1_000;
    elements = 0;
    const askedBefore = asked();
    const startMs = world.clock.ms;
    await run(backlog.after);
    const seconds = (world.clock.ms - startMs) / 1_000;
    const calls = asked() - askedBefore;
    return {
      backlog: backlog.name,
      elements,
      calls,
      seconds,
      'share of the quotas': rounded(elements / ELEMENTS_MAX / calls, 3),
      throttles: server.requests.Throttling ?? 0,
    };
  } finally {
    client.destroy();
    await server.close();
  }
}

async function want(world: PublishWorld, name: string, set: DesiredRecordSet | null): Promise<void> {
  const recordSets = set === null ? [] : [set];
  await touchDesired(world.ledger, { hostedZoneId: ZONE_ID, apex: APEX, name, recordSets, heir: null }, world.clock.ms);
}

/** Random numbers for identifiers; nothing else here is random. */
function seeded(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
