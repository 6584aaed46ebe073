// One tenant touches 2,000 Records every minute, which Route 53 refuses or accepts: how long does a change of another
// tenant wait, at the default budget? The other tenant makes a change every few seconds, during a run or between two
// runs. The clock is virtual: it moves only while something waits for the budget, and by 50 ms for each call, so the
// figures depend on the engine and not on this machine.
import { callBudget } from '../lib/adapters/route53/call-budget.ts';
import type { RecordSet } from '../lib/dns/record-set.ts';
import { DEFAULT_CONFIG } from '../lib/ports/config.ts';
import type { HostedZones } from '../lib/ports/hosted-zones.ts';
import { publish } from '../lib/publish/run/publish-hosted-zone.ts';
import { APEX, type PublishWorld, publishWorld, values, want, wanted, ZONE_ID } from '../test/fakes/publish-world.ts';
import { atMost, type BenchResult } from './result.ts';
import { inSeconds, median } from './statistics.ts';

const HOSTILE = 2_000;
/** Records of which every change takes two calls: as many as can be sent in a minute. */
const TWO_CALLS = 120;
const ROUNDS = 5;
const QUICK_ROUNDS = 2;
const ROUND_MS = 60_000;
/** Between two changes of the other tenant. It does not divide a minute, so that they come at any moment of a round. */
const EVERY_MS = 3_700;
const CALL_MS = 50;
const WAIT_SECONDS_MAX = 10;

type Attack = {
  readonly name: string;
  /** The refusal of Route 53; `foreign`: a record set of others is already there; `nothing`: Route 53 accepts. */
  readonly says: ((set: RecordSet) => string) | 'foreign' | 'nothing';
  /** Number of Records. Default: HOSTILE. */
  readonly count?: number;
  /** The values of each Record. Default: one short text. */
  readonly valuesOf?: (index: number, round: number) => readonly string[];
  readonly nameOf: (index: number, round: number) => string;
  readonly namespaces: number;
};

const sameNames = (index: number) => `evil${String(index).padStart(4, '0')}.${APEX}`;
const newNames = (index: number, round: number) => `evil-${round}-${index}.${APEX}`;
const named = ({ name }: RecordSet) => `RRSet with DNS name ${name} is not permitted`;
const wordless = () => 'InvalidInput';
/** About as long as Route 53 lets a value be, so that few fit into a batch. */
const longText = (index: number, round: number, value = 0) => [
  Array.from({ length: 15 }, (_, part) => `"${`${round}.${index}.${value}.${part}.`.padEnd(250, 'x')}"`).join(' '),
];
/** Old and new values together do not fit into one batch, so that each change takes two calls. */
const twoCalls = (index: number, round: number) => [0, 1, 2, 3, 4].flatMap((value) => longText(index, round, value));
const ATTACKS: readonly Attack[] = [
  { name: 'refused by name', says: named, nameOf: sameNames, namespaces: 1 },
  { name: 'foreign names', says: 'foreign', nameOf: sameNames, namespaces: 1 },
  { name: 'refused, no name in the message', says: wordless, nameOf: sameNames, namespaces: 1 },
  { name: 'no name in the message, 100 namespaces', says: wordless, nameOf: sameNames, namespaces: 100 },
  { name: 'no name in the message, new names', says: wordless, nameOf: newNames, namespaces: 1 },
  { name: 'accepted', says: 'nothing', nameOf: sameNames, namespaces: 1 },
  { name: 'accepted, new names', says: 'nothing', nameOf: newNames, namespaces: 1 },
  { name: 'accepted, 3,800 characters each', says: 'nothing', nameOf: sameNames, namespaces: 1, valuesOf: longText },
  {
    name: 'accepted, two calls each',
    says: 'nothing',
    nameOf: sameNames,
    namespaces: 1,
    valuesOf: twoCalls,
    count: TWO_CALLS,
  },
  {
    name: 'accepted, 3,800 characters, 100 namespaces',
    says: 'nothing',
    nameOf: sameNames,
    namespaces: 100,
    valuesOf: longText,
  },
];

/** Limit: every change of the other tenant is published within ten seconds. */
export async function benchHostile({ quick }: { readonly quick: boolean }): Promise<BenchResult> {
  const rows = [];
  for (const attack of ATTACKS) rows.push(await withstand(attack, quick ? QUICK_ROUNDS : ROUNDS));
  return {
    name: `hostile: ${HOSTILE} Records touched every minute, a change of another tenant every ${EVERY_MS / 1_000} s`,
    rows,
    limits: rows.map((row) =>
      atMost(`slowest change of another tenant, s, ${row.attack}`, row['slowest s'], WAIT_SECONDS_MAX),
    ),
  };
}

async function withstand(attack: Attack, rounds: number) {
  const isHostile = ({ name }: RecordSet) => name.startsWith('evil');
  const { says } = attack;
  const world = await publishWorld({
    wordless: says === wordless,
    reject: (set) => (typeof says === 'function' && isHostile(set) ? says(set) : null),
  });
  if (says === 'foreign') {
    for (let index = 0; index < HOSTILE; index += 1)
      world.route53.edit(ZONE_ID, { name: sameNames(index), type: 'TXT', setIdentifier: null }, values(60, '"theirs"'));
  }
  const others = otherTenant(world);
  const begunMs = world.clock.ms;
  const endMs = begunMs + rounds * ROUND_MS;
  const hostedZones = overBudget(world, others.act);
  for (let round = 0; world.clock.ms < endMs; ) {
    if (world.clock.ms >= begunMs + round * ROUND_MS) {
      await touch(world, attack, round);
      round += 1;
    }
    await others.act();
    const result = await publish({ ...world.deps, hostedZones }, ZONE_ID);
    const isIdle = result.kind !== 'done' || result.retryAfterSeconds !== 0;
    if (isIdle) world.clock.ms += 250;
  }
  const waits = others.waits().toSorted((a, b) => a - b);
  const perMinute = (count: number) => Math.round(count / rounds);
  return {
    attack: attack.name,
    'hostile Records': attack.count ?? HOSTILE,
    changes: waits.length,
    'median s': inSeconds(median(waits)),
    'slowest s': inSeconds(waits.at(-1) ?? Number.POSITIVE_INFINITY),
    'calls a minute': perMinute(world.route53.calls.length),
    'refused a minute': perMinute(
      world.route53.calls.filter(({ method, accepted }) => method === 'change' && !accepted).length,
    ),
  };
}

async function touch(world: PublishWorld, attack: Attack, round: number): Promise<void> {
  const { nameOf, namespaces, count = HOSTILE, valuesOf = (one: number, at: number) => [`"${at}, ${one}"`] } = attack;
  for (let index = 0; index < count; index += 1) {
    const objects = [`Record evil-${index % namespaces}/r${index}`];
    const name = nameOf(index, round);
    await want(world, name, { ...wanted(name, 'TXT', valuesOf(index, round)), objects });
    if (round > 0 && nameOf(index, round - 1) !== name) await want(world, nameOf(index, round - 1));
  }
}

/** A tenant who changes one Record after another. The names sort after the hostile ones. */
function otherTenant(world: PublishWorld) {
  const waits: number[] = [];
  const open = new Map<string, number>();
  let next = world.clock.ms;
  let count = 0;
  const act = async () => {
    const standing = new Set(
      world.route53
        .recordSets(ZONE_ID)
        .flatMap(({ name, content }) =>
          content.kind === 'values' ? content.values.map((value) => `${name} ${value}`) : [],
        ),
    );
    for (const [what, sinceMs] of open) {
      if (!standing.has(what)) continue;
      waits.push(world.clock.ms - sinceMs);
      open.delete(what);
    }
    for (; world.clock.ms >= next; next += EVERY_MS) {
      const name = `z${count % 10}.${APEX}`;
      const address = `192.0.2.${count % 250}`;
      count += 1;
      await want(world, name, { ...wanted(name, 'A', [address]), objects: [`Record good/${name}`] });
      open.set(`${name} ${address}`, next);
    }
  };
  // A change that is not published at the end counts with the time that it has waited.
  return { act, waits: () => [...waits, ...[...open.values()].map((sinceMs) => world.clock.ms - sinceMs)] };
}

/** Route 53 at the default budget. Every call takes CALL_MS, and the other tenant acts during it. */
function overBudget(world: PublishWorld, meanwhile: () => Promise<void>): HostedZones {
  const clock = { nowMs: () => world.clock.ms };
  const sleep = async (ms: number) => {
    world.clock.ms += ms;
  };
  const budget = callBudget({ ...DEFAULT_CONFIG.budget, clock, sleep });
  const { port } = world.route53;
  const timed = async <T>(call: () => Promise<T>): Promise<T> => {
    await budget.take();
    const answer = await call();
    world.clock.ms += CALL_MS;
    await meanwhile();
    return answer;
  };
  return {
    ...port,
    change: (...asked) => timed(() => port.change(...asked)),
    readName: (...asked) => timed(() => port.readName(...asked)),
    readPage: (...asked) => timed(() => port.readPage(...asked)),
  };
}
