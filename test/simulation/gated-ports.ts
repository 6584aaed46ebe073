// The ports of one function. Each call waits at a gate and then meets its fate: an answer that is lost before or after
// the effect, an older version, a short page, an empty list, a batch that arrives later. The auditor sees every real
// effect when it happens.

import type { Clock } from '../../lib/ports/clock.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import type { BatchOutcome, HostedZones } from '../../lib/ports/hosted-zones.ts';
import type { Ledger, LedgerItem } from '../../lib/ports/ledger.ts';
import type { Queues } from '../../lib/ports/queues.ts';
import { checked, joined } from './accounts.ts';
import { takesChanges } from './change-buckets.ts';
import { checkListAllowed, deniedBatch } from './denials.ts';
import { checkGathered, noteLostWrite } from './discovery/audit.ts';
import { accountPorts } from './fleet/accounts.ts';
import { markOf, shared } from './fleet/world.ts';
import { gatedCluster } from './gated-cluster.ts';
import { sendingQueues, type Work } from './simulated-queues.ts';
import type { Fate } from './swarm.ts';
import { takeTurn } from './turns.ts';
import { type Call, type FunctionRun, sawThat, type World } from './world.ts';

export type Ports = {
  readonly ledger: Ledger;
  readonly hostedZones: HostedZones;
  /** The hosted zones of our own account alone. */
  readonly own: HostedZones;
  readonly cluster: Cluster;
  readonly queues: Queues;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
};

/** What a port throws when the simulation says so: the only errors that a use case may end in. */
export class PortError extends Error {}

type How<T> = {
  readonly effect: () => Promise<T>;
  /** What a lost answer looks like; by default the call throws. */
  readonly lost?: () => T;
  readonly odd?: Partial<Record<Fate, () => Promise<T>>>;
};

/** The ports of a run. */
export function gatedPorts(world: World, run: FunctionRun): Ports {
  const gate = <T>(port: Call['port'], method: string, detail: string, how: How<T>): Promise<T> => {
    if (run.dead) return new Promise(() => {});
    if (world.direct) return how.effect();
    return new Promise<T>((resolve, reject) => {
      const release = (fate: Fate | null) => {
        const lost = () => {
          if (how.lost !== undefined) resolve(how.lost());
          else reject(new PortError(`${port}.${method}: ${fate}`));
        };
        if (fate === 'before' || fate === 'crash before') return lost();
        if (fate === 'crash after') {
          // The effect happens, but the function is dead and gets no answer.
          void how.effect().catch(() => null);
          return undefined;
        }
        if (fate === 'after') {
          how.effect().then(lost, reject);
          return undefined;
        }
        const odd = fate === null ? undefined : how.odd?.[fate];
        if (fate === 'throttled' && odd === undefined) return lost();
        if (odd !== undefined) sawThat(world, `${port}.${method} ${fate}`);
        (odd ?? how.effect)().then(resolve, reject);
        return undefined;
      };
      world.calls.push({ run, port, method, detail, notBeforeMs: 0, release });
    });
  };
  const clock = { nowMs: () => world.time.ms + run.skewMs };
  const ledger = gatedLedger(world, run, gate);
  const account = gatedHostedZones(world, run, gate);
  return {
    ledger,
    own: checked(world, account, null),
    hostedZones:
      world.fleet === null
        ? joined(world, account, ledger, account)
        : shared(accountPorts(world, run, account), run.member),
    cluster: gatedCluster(world, run, gate),
    queues: gatedQueues(world, run, gate),
    clock,
    sleep: (ms) => {
      if (world.direct) {
        world.time.ms += ms;
        return Promise.resolve();
      }
      const slept = gate('clock', 'sleep', `${ms}`, { effect: async () => {} });
      const call = world.calls.at(-1);
      if (call !== undefined) call.notBeforeMs = world.time.ms + ms;
      return slept;
    },
  };
}

export type Gate = <T>(port: Call['port'], method: string, detail: string, how: How<T>) => Promise<T>;

function gatedLedger(world: World, run: FunctionRun, gate: Gate): Ledger {
  const { ledger, auditor } = world;
  // No call waits at a gate any more, and this run is told the truth. Most reads take this path.
  const isPlain = () => world.direct && !run.newer && !run.dead;
  return {
    get: (key) => {
      if (isPlain() && key.partition !== 'hostedzones') return ledger.get(key);
      return gate('ledger', 'get', `${key.partition} ${key.sort}`, {
        effect: async () => {
          const item = await ledger.get(key);
          auditor.sawItem(run, key, item);
          return item === null ? null : asKnownTo(run, item);
        },
      });
    },
    query: (partition, options = {}) => {
      const isMarks = partition.startsWith('dirty#');
      if (isPlain() && !isMarks) return ledger.query(partition, options);
      const read = async (limit: number | undefined) => {
        const page = await ledger.query(partition, limit === undefined ? options : { ...options, limit });
        if (isMarks) auditor.sawMarks(run, partition, page.items);
        if (/^objects#.*#Zone$/.test(partition)) auditor.sawZones(run, page.items, options.after === undefined);
        if (partition.startsWith('recordsets#')) auditor.sawRecordSets(run, page.items);
        return run.newer ? { ...page, items: page.items.map((item) => asKnownTo(run, item)) } : page;
      };
      return gate('ledger', 'query', partition, {
        effect: () => read(options.limit),
        odd: { short: () => read(Math.min(options.limit ?? 2, 2)) },
      });
    },
    put: (key, body, expected, options) =>
      gate('ledger', 'put', `${key.partition} ${key.sort}`, {
        effect: async () => {
          const before = await ledger.get(key);
          const written = run.newer ? { ...body, later: 1 } : body;
          const revision = await ledger.put(key, written, expected, options);
          if (revision !== null) auditor.wroteItem(run, key, before?.body ?? null, written);
          if (revision !== null) auditor.wroteBeside(options?.beside ?? []);
          if (revision !== null && key.partition.startsWith('dirty#')) auditor.factsOf(run).marks.add(revision);
          else sawThat(world, 'a compare-and-swap of the ledger failed');
          if (revision === null) noteLostWrite(world, run, key);
          return revision;
        },
      }),
    remove: (key, expected) =>
      gate('ledger', 'remove', `${key.partition} ${key.sort}`, {
        effect: async () => {
          const before = await ledger.get(key);
          const removed = await ledger.remove(key, expected);
          if (removed) auditor.wroteItem(run, key, before?.body ?? null, null);
          if (removed && key.partition.startsWith('dirty#')) auditor.clearedMark(run, key, expected);
          return removed;
        },
      }),
  };
}

/** Hides the field of a newer version from an older one. */
function asKnownTo(run: FunctionRun, item: LedgerItem): LedgerItem {
  if (!run.newer) return item;
  const { later: _, ...body } = item.body;
  return { ...item, body };
}

function gatedHostedZones(world: World, run: FunctionRun, gate: Gate): HostedZones {
  const { port } = world.route53;
  const { auditor } = world;
  const inTurn = async <T>(call: () => Promise<T>): Promise<T> => {
    const turn = await takeTurn(world, gate, '');
    if (turn === 'refused') throw new PortError('no turn within the budget');
    return call();
  };
  return {
    list: () =>
      inTurn(() =>
        gate('hostedZones', 'list', '', {
          effect: async () => {
            checkListAllowed(world);
            return port.list();
          },
        }),
      ),
    get: (id) => inTurn(() => gate('hostedZones', 'get', id, { effect: () => port.get(id) })),
    create: (name, callerReference) =>
      inTurn(() =>
        gate('hostedZones', 'create', name, {
          effect: async () => {
            const created = await port.create(name, callerReference);
            await auditor.createdHostedZone(name);
            return created;
          },
        }),
      ),
    change: async (id, changes, comment, waitMsMax) => {
      auditor.asksForBatch(run, id);
      const turn = await takeTurn(world, gate, `for a batch to ${id}`, waitMsMax);
      if (turn === 'refused') {
        if (world.time.ms > auditor.factsOf(run).leaseUntilMs)
          sawThat(world, 'a call waited for its turn past the end of its lease');
        return { kind: 'throttled', message: 'no turn in time', unsent: true };
      }
      auditor.sendsBatch(run, id, changes);
      const apply = async (): Promise<BatchOutcome> => {
        if (!takesChanges(world, changes.length)) {
          sawThat(world, changes.length > 1 ? 'a batch of several was throttled' : 'a single change was throttled');
          return { kind: 'throttled', message: 'Rate exceeded', isOfAccount: true };
        }
        const message = deniedBatch(world, id);
        if (message !== null) return { kind: 'denied', message };
        return auditor.applies(run, id, changes, () => port.change(id, changes, comment));
      };
      const unknown = { kind: 'unknown', message: 'no answer' } as const;
      const shown = changes.map(({ action, recordSet: { name, type, setIdentifier, content } }) => {
        const said = content.kind === 'values' ? content.values.join(',') : content.alias.dnsName;
        return `${action} ${name} ${type} ${setIdentifier ?? ''} ${said}`;
      });
      return gate('hostedZones', 'change', `${id}: ${shown.join('; ')}`, {
        effect: apply,
        lost: () => unknown,
        odd: {
          throttled: async () => ({ kind: 'throttled', message: 'Rate exceeded' }),
          denied: async () => ({ kind: 'denied', message: 'AccessDenied' }),
          late: async () => {
            world.late.push({ id, changes, run });
            world.needsSweep ??= 'a late batch';
            return unknown;
          },
        },
      });
    },
    readName: (id, name) =>
      inTurn(() =>
        gate('hostedZones', 'readName', `${id} ${name}`, {
          effect: () => {
            auditor.factsOf(run).reads.set(`${id} ${name}`, world.time.ms);
            return port.readName(id, name);
          },
        }),
      ),
    changeStatus: (id, changeId) =>
      inTurn(() => gate('hostedZones', 'changeStatus', changeId, { effect: () => port.changeStatus(id, changeId) })),
    protections: (id, name) =>
      inTurn(() => gate('hostedZones', 'protections', id, { effect: () => port.protections(id, name) })),
    readPage: (id, from) =>
      inTurn(() =>
        gate('hostedZones', 'readPage', id, {
          effect: () => port.readPage(id, from),
          odd: {
            short: async () => {
              const page = await port.readPage(id, from);
              if (page === null || page.recordSets.length < 2) return page;
              return { recordSets: page.recordSets.slice(0, 1), next: page.recordSets[1] ?? null };
            },
          },
        }),
      ),
  };
}

function gatedQueues(world: World, run: FunctionRun, gate: Gate): Queues {
  const { random, swarm } = world;
  const chance = {
    twice: () => !world.direct && swarm.duplicates && random.chance(0.15),
    delayMs: (kind: Work['kind']) => delayOf(world, kind === 'hint'),
  };
  const port = sendingQueues(world.queues, () => world.time.ms, chance, markOf(world, run.member));
  // Nobody reads a cluster that has left: only other hosted zones are woken.
  const isLeft = world.fleet !== null && world.fleet.left === run.member.config.clusterId;
  const silent = { hint: async () => {}, report: async () => {}, follow: async () => {} };
  const all: Queues = {
    hint: (hints, delaySeconds) =>
      gate('queues', 'hint', '', {
        effect: () => {
          checkGathered(world, run, hints, delaySeconds ?? 0);
          return port.hint(hints, delaySeconds);
        },
      }),
    publish: (id, delaySeconds, cause, after) =>
      gate('queues', 'publish', `${id} +${delaySeconds ?? 0}`, {
        effect: () => port.publish(id, delaySeconds, cause, after),
      }),
    report: (refs) =>
      gate('queues', 'report', refs.map((ref) => `${ref.kind} ${ref.namespace}/${ref.name}`).join(', '), {
        effect: () => port.report(refs),
      }),
    follow: (change, delaySeconds) =>
      gate('queues', 'follow', `${change.changeId} +${delaySeconds}`, {
        effect: () => port.follow(change, delaySeconds),
      }),
  };
  return isLeft ? { ...all, ...silent } : all;
}

/** A random delay in milliseconds for a message that may be late. */
export function delayOf({ random, swarm, direct }: World, mayBeDays: boolean): number {
  if (direct || !random.chance(0.3)) return 0;
  if (mayBeDays && swarm.daysLate > 0 && random.chance(0.3)) return random.whole(0, swarm.daysLate * 86_400_000);
  return random.whole(0, 20_000);
}
