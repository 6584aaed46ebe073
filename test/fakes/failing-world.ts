// Runs that die at a chosen call, and ports whose calls a test can delay: the means of the laws about interleavings.
import type { Cluster } from '../../lib/ports/cluster.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import { type ReconcileWorld, reconcile, through } from './reconcile-world.ts';

/** The calls that change nothing. A death after such a call is the same as a death before it. */
export const READS: ReadonlySet<string> = new Set(['get', 'query', 'list', 'listPage', 'readName', 'readPage']);

/** A world whose ports fail at the `k`-th call, before or after its effect, and at every later call. */
export function failing(world: ReconcileWorld, k: number, after: boolean): ReconcileWorld {
  let calls = 0;
  const around = async <T>(call: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls === k && !after) throw new Error('crash');
    const answer = await call();
    if (calls >= k) throw new Error('crash');
    return answer;
  };
  return wrapped(world, around);
}

/** A world in which `around` makes every call of a port. */
export function wrapped(world: ReconcileWorld, around: <T>(call: () => Promise<T>) => Promise<T>): ReconcileWorld {
  const wrap = <T extends Ledger | Cluster>(target: T): T =>
    new Proxy(target, {
      get: (of, method) => {
        const member = Reflect.get(of, method) as unknown;
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => around(() => member.apply(of, args) as Promise<never>);
      },
    });
  return through(world, { ledger: wrap(world.ledger), cluster: wrap(world.context.cluster) });
}

/** Reconciles, and ignores the error of a crash. */
export async function dying(world: ReconcileWorld, hints: readonly Hint[]): Promise<void> {
  await reconcile(world.context, hints).catch((error: Error) => {
    if (error.message !== 'crash') throw error;
  });
}

/** Reconciles again after each crash, as redelivered messages do; at the end without one. */
export async function crashing(
  world: ReconcileWorld,
  hints: readonly Hint[],
  crashes: readonly { readonly at: number; readonly after: boolean }[],
): Promise<void> {
  for (const { at, after } of crashes) await dying(failing(world, at, after), hints);
  await reconcile(world.context, hints);
}
