// The director of publish-faults.test.ts: every call of a port waits until the director releases it with a result.
import type { RecordSetChange } from '../../lib/dns/record-set.ts';
import type { HostedZones } from '../../lib/ports/hosted-zones.ts';
import type { PublishDeps } from '../../lib/publish/run/run.ts';
import type { DesiredRecordSet } from '../../lib/record-sets/desired-name.ts';
import { intercepted, type PublishWorld } from '../fakes/publish-world.ts';

export type Random = () => number;

/** mulberry32: a small generator whose whole state is its seed. */
export function random(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of them. */
export function pick<T>(next: Random, from: readonly T[]): T {
  return from[Math.floor(next() * from.length)] as T;
}

/** One call of a port that waits for the director to let it go. */
type Waiting = { readonly go: (fate: 'ok' | 'before' | 'after' | 'dead') => void; readonly method: string };

export type Director = {
  readonly world: PublishWorld;
  readonly next: Random;
  readonly waiting: Waiting[];
  readonly running: Set<Promise<unknown>>;
  readonly late: { readonly changes: readonly RecordSetChange[] }[];
  readonly desired: Map<string, DesiredRecordSet[]>;
  /** Names whose edit may be noted only in part. Their message is delivered again. */
  readonly redeliver: Set<string>;
  readonly seen: Set<string>;
  faulty: boolean;
  /** No strangers and no late writes, so that the end must be right without a sweep. */
  readonly calm: boolean;
};

export class PortError extends Error {}

/** Lets all other promises continue before the director looks again. */
export const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The ports of one run. */
export function gated(director: Director): PublishDeps {
  let dead = false;
  const gate = (method: string) =>
    new Promise<'ok' | 'before' | 'after' | 'dead'>((go) => {
      director.waiting.push({ go, method });
    });
  const deps = intercepted(director.world.deps, async (port, method, call) => {
    if (dead) throw new PortError('dead');
    const fate = await gate(method);
    if (fate === 'dead') dead = true;
    if (fate === 'dead' || (fate === 'before' && method !== 'change'))
      throw new PortError(`${port}.${method}: ${fate}`);
    const result = await call();
    if (fate === 'after' && method !== 'change') throw new PortError(`${port}.${method}: ${fate}`);
    return result;
  });
  return { ...deps, hostedZones: { ...pick53(deps.hostedZones), change: faultyChange(director, deps.hostedZones) } };
}

function pick53(port: HostedZones): HostedZones {
  const { list, get, create, change, readName, readPage, protections, changeStatus } = port;
  return { list, get, create, change, readName, readPage, protections, changeStatus };
}

/** Route 53's own faults: throttled, denied, lost before, lost after, lost and applied much later. */
function faultyChange(director: Director, port: HostedZones): HostedZones['change'] {
  return async (id, changes, comment) => {
    const kind = director.faulty
      ? pick(director.next, ['ok', 'ok', 'ok', 'throttled', 'denied', 'lost', 'landed', 'late'])
      : 'ok';
    if (kind === 'throttled') return { kind: 'throttled', message: 'Rate exceeded' };
    if (kind === 'denied') return { kind: 'denied', message: 'AccessDenied' };
    if (kind === 'lost') return { kind: 'unknown', message: 'timeout' };
    if (kind === 'late' && director.calm) return { kind: 'unknown', message: 'timeout' };
    if (kind === 'late') {
      director.late.push({ changes });
      return { kind: 'unknown', message: 'timeout' };
    }
    const outcome = await port.change(id, changes, comment);
    director.seen.add(outcome.kind);
    return kind === 'landed' ? { kind: 'unknown', message: 'timeout' } : outcome;
  };
}
