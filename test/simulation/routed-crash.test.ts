// A publish of aliases, of routed record sets whose policy changes, or of record sets that are taken over. It dies at
// each of its port calls, or gets no answer from Route 53, and is run again. In the end everything is as without a
// crash, and other people's record sets are unchanged. A name that is wanted before and after has an answer all the
// time.
import { describe, expect, test } from 'vitest';
import type { RecordSet, RecordSetContent } from '../../lib/dns/record-set.ts';
import type { RoutingPolicy } from '../../lib/dns/routing-policy.ts';
import type { DesiredRecordSet } from '../../lib/record-sets/desired-name.ts';
import { READS } from '../fakes/failing-world.ts';
import {
  APEX,
  intercepted,
  type PublishWorld,
  partition,
  publishWorld,
  run,
  want,
  ZONE_ID,
} from '../fakes/publish-world.ts';
import { EXTERNAL_DNS } from './names.ts';
import { standingKey, textOf } from './record-set-texts.ts';

const W = `w.${APEX}`;
const PATIENCE_ROUNDS = 8;

const weight = (share: number): RoutingPolicy => ({ kind: 'weight', weight: share });
const role = (failover: 'PRIMARY' | 'SECONDARY'): RoutingPolicy => ({ kind: 'failover', failover });

function content(rdata: string, ttlSeconds = 300, policy?: RoutingPolicy): RecordSetContent {
  const routing = policy === undefined ? {} : { routing: { policy, healthCheckId: 'check' } };
  return { kind: 'values', ttlSeconds, values: [rdata], ...routing };
}

function alias(dnsName: string): RecordSetContent {
  return { kind: 'alias', alias: { hostedZoneId: ZONE_ID, dnsName, evaluateTargetHealth: true } };
}

function set(name: string, said: RecordSetContent, setIdentifier: string | null = null, type = 'A'): RecordSet {
  return { name, type, setIdentifier, content: said };
}

function text(name: string, owner: string, setIdentifier: string | null = null, policy?: RoutingPolicy): RecordSet {
  const value = `"heritage=external-dns,external-dns/owner=${owner}"`;
  return set(name, content(value, 300, policy), setIdentifier, 'TXT');
}

type Story = {
  readonly name: string;
  readonly before?: readonly RecordSet[];
  /** Record sets of others. They are written after `before` was published and before `after` is wanted. */
  readonly theirs?: readonly RecordSet[];
  readonly after: readonly RecordSet[];
  readonly takeover?: boolean;
  /** The record sets at the end, if they differ from `after` because of others. */
  readonly left?: readonly RecordSet[];
};

const BOTH = [set(W, content('192.0.2.1', 300, weight(1)), 'x'), set(W, content('192.0.2.2', 300, weight(2)), 'y')];
const STORIES: readonly Story[] = [
  { name: 'from simple to weighted', before: [set(W, content('192.0.2.1'))], after: BOTH },
  { name: 'from weighted to simple', before: BOTH, after: [set(W, content('192.0.2.1'))] },
  {
    name: 'one weight changes',
    before: BOTH,
    after: [set(W, content('192.0.2.1', 300, weight(9)), 'x'), BOTH[1] as RecordSet],
  },
  {
    name: 'the shared TTL of weighted record sets changes',
    before: BOTH,
    after: [set(W, content('192.0.2.1', 60, weight(1)), 'x'), set(W, content('192.0.2.2', 60, weight(2)), 'y')],
  },
  {
    name: 'primary and secondary change places',
    before: [
      set(W, content('192.0.2.1', 300, role('PRIMARY')), 'x'),
      set(W, content('192.0.2.2', 300, role('SECONDARY')), 'y'),
    ],
    after: [
      set(W, content('192.0.2.1', 300, role('SECONDARY')), 'x'),
      set(W, content('192.0.2.2', 300, role('PRIMARY')), 'y'),
    ],
  },
  {
    name: 'from a CNAME to an alias',
    before: [set(W, content('c.example.net.'), null, 'CNAME'), set(`v.${APEX}`, content('192.0.2.1'))],
    after: [set(W, alias(`v.${APEX}`)), set(`v.${APEX}`, content('192.0.2.1'))],
  },
  {
    name: 'aliases are created with their targets, and others are deleted',
    before: [set(`b.${APEX}`, alias(`c.${APEX}`)), set(`c.${APEX}`, content('192.0.2.1'))],
    after: [set(`u.${APEX}`, alias(`v.${APEX}`)), set(`v.${APEX}`, alias(W)), set(W, content('192.0.2.1'))],
  },
  {
    name: 'a record set of external-dns with the desired content is adopted',
    theirs: [set(W, content('192.0.2.1')), text(`own-a-${W}`, 'ours'), text(`own-${W}`, 'ours')],
    after: [set(W, content('192.0.2.1'))],
  },
  {
    name: 'a record set of external-dns with other content is replaced, also by another policy',
    theirs: [set(W, content('192.0.2.9')), text(`own-a-${W}`, 'ours')],
    after: BOTH,
  },
  {
    name: 'a record set of another owner stays, with its TXT records',
    theirs: [set(W, content('192.0.2.9')), text(`own-a-${W}`, 'other'), text(`own-${W}`, 'ours')],
    after: [set(W, content('192.0.2.1'))],
    left: [set(W, content('192.0.2.9')), text(`own-a-${W}`, 'other'), text(`own-${W}`, 'ours')],
  },
  {
    name: 'a TXT record of one routed record set is deleted with that one only',
    theirs: [
      set(W, content('192.0.2.9', 300, weight(1)), 'x'),
      set(W, content('192.0.2.8', 300, weight(1)), 'theirs'),
      text(`own-a-${W}`, 'ours', 'x', weight(1)),
      text(`own-a-${W}`, 'ours', 'theirs', weight(1)),
    ],
    after: BOTH,
    left: [
      ...BOTH,
      set(W, content('192.0.2.8', 300, weight(1)), 'theirs'),
      text(`own-a-${W}`, 'ours', 'theirs', weight(1)),
    ],
  },
  {
    name: 'takeover by the annotation replaces what excludes our record sets, and nothing that may exist beside them',
    theirs: [set(W, content('192.0.2.8', 61, weight(1)), 'theirs'), set(W, content('"theirs"'), null, 'TXT')],
    after: BOTH,
    takeover: true,
    left: [...BOTH, set(W, content('"theirs"'), null, 'TXT')],
  },
];

function desired(recordSet: RecordSet): DesiredRecordSet {
  return { ...recordSet, objects: [`Record default/${recordSet.name.split('.')[0]}`], zone: 'default/zone' };
}

async function wantAll(world: PublishWorld, names: ReadonlySet<string>, sets: readonly RecordSet[]): Promise<void> {
  for (const name of names) await want(world, name, ...sets.filter((one) => one.name === name).map(desired));
}

/** The world of a story in which `after` is wanted and not yet published. */
async function worldOf({ before = [], theirs = [], after, takeover = false }: Story): Promise<PublishWorld> {
  const config = { externalDns: [EXTERNAL_DNS] };
  const world = await publishWorld({ config, hostedZone: { takeover } });
  const names = new Set([...before, ...after].map(({ name }) => name));
  await wantAll(world, names, before);
  await run(world);
  for (const one of theirs) world.route53.edit(ZONE_ID, one, one.content);
  await wantAll(world, names, after);
  world.clock.ms += 1_000;
  return world;
}

function shown(sets: readonly RecordSet[]): string[] {
  return sets.map((one) => `${standingKey(ZONE_ID, one)} ${textOf(one.content)}`).sort();
}

function standing({ route53 }: PublishWorld): readonly RecordSet[] {
  return route53.recordSets(ZONE_ID).filter(({ name }) => name !== APEX);
}

class Crash extends Error {}

/**
 * What happens at one port call: the run dies before or after its effect, or Route 53's answer is lost, with the batch
 * or after it was applied.
 */
const FATES = ['dies before', 'dies after', 'no answer, lost', 'no answer, landed'] as const;

/** True if this fate can happen at a call of this port method, and differs from the others there. */
function meets(fate: (typeof FATES)[number], method: string): boolean {
  if (fate === 'dies before') return true;
  return fate === 'dies after' ? !READS.has(method) : method === 'change';
}

/**
 * Runs publish with that fate at its `at`-th call. `look` runs after each call and checks the names that must always
 * have an answer.
 */
async function runWith(
  world: PublishWorld,
  at: number,
  fate: (typeof FATES)[number],
  look: () => void,
): Promise<readonly string[]> {
  const calls: string[] = [];
  const deps = intercepted(world.deps, async (_port, method, call) => {
    calls.push(method);
    const dies = fate.startsWith('dies');
    if (calls.length > at && dies) throw new Crash();
    if (calls.length !== at) {
      const answer = await call();
      look();
      return answer;
    }
    if (fate === 'dies after' || fate === 'no answer, landed') await call();
    look();
    if (dies) throw new Crash();
    return { kind: 'unknown', message: 'timeout' } as never;
  });
  try {
    await run({ ...world, deps });
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
  }
  return calls;
}

/** Runs publish again after each lease has ended, until it asks for no further run. */
async function settle(world: PublishWorld, look: () => void): Promise<void> {
  for (let round = 0; round < PATIENCE_ROUNDS; round += 1) {
    world.clock.ms += 70_000;
    const result = await run(world);
    look();
    if (result.kind === 'done' && result.retryAfterSeconds === null) return;
  }
  throw new Error('publish does not come to rest');
}

/**
 * Returns a check. It fails when a name that had an answer before, ours or another's, and that is wanted after, has
 * none.
 */
function watch(world: PublishWorld, { before = [], theirs = [], after }: Story, label: string): () => void {
  const answered = new Set([...before, ...theirs].filter(({ type }) => type !== 'TXT').map(({ name }) => name));
  const kept = new Set(after.map(({ name }) => name).filter((name) => answered.has(name)));
  return () => {
    for (const name of kept) {
      const has = standing(world).some((one) => one.name === name && one.type !== 'TXT');
      expect(has, `${label}: ${name} has no answer`).toBe(true);
    }
  };
}

describe.each(STORIES)('publish(): $name', (story) => {
  const goal = shown(story.left ?? story.after);
  const isChanged = goal.join('\n') !== shown(story.theirs ?? story.before ?? []).join('\n');

  test('ends as wanted without a fault', async () => {
    const world = await worldOf(story);
    await settle(world, watch(world, story, 'by itself'));
    expect(shown(standing(world))).toEqual(goal);
  });

  test.each(FATES)('ends as wanted after "%s" at each port call', async (fate) => {
    const start = await worldOf(story);
    const calls = await runWith(start.copy(), Number.POSITIVE_INFINITY, fate, () => {});
    expect(calls.some((method) => meets(fate, method))).toBe(fate.startsWith('dies') || isChanged);
    for (const [index, method] of calls.entries()) {
      if (!meets(fate, method)) continue;
      const at = index + 1;
      const label = `${fate} at call ${at} of ${calls.length}`;
      const world = start.copy();
      const look = watch(world, story, label);
      await runWith(world, at, fate, look);
      await settle(world, look);
      expect(shown(standing(world)), label).toEqual(goal);
      const items = await partition(world, `recordsets#${ZONE_ID}`);
      expect(
        items.filter(({ intent }) => intent !== null),
        label,
      ).toEqual([]);
      expect(await partition(world, `dirty#${ZONE_ID}`), label).toEqual([]);
    }
  });
});
