// The cost of repeated applies when Route 53's refusals name neither a name nor a value.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import { type ReconcileWorld, reconcileWorld } from '../../test/fakes/reconcile-world.ts';
import { parseRef } from '../objects/object-ref.ts';
import { applyCluster } from './apply-cluster.ts';

const ZONE = { domainName: 'e.', delegations: [{ records: [{ pattern: '*' }] }] };
const MANY = 100;
/** Eight are tried again. Finding one within a batch takes two calls. */
const CALLS_AGAIN_MAX = 16;
const QUARTER_MS = 900_000;

function world(): { readonly world: ReconcileWorld; readonly mend: (name: string) => void } {
  const mended = new Set<string>();
  const made = reconcileWorld({ hostedZones: [{ id: 'Z1', name: 'e.' }], config: { soa: 'never' } });
  const { hostedZones } = made.deps;
  const change: typeof hostedZones.change = async (id, changes, ...rest) => {
    const isBad = changes.some(({ recordSet: { name } }) => name.startsWith('bad') && !mended.has(name));
    const outcome = await hostedZones.change(id, isBad ? [] : changes, ...rest);
    return isBad ? { kind: 'refused', messages: ['Invalid request.'] } : outcome;
  };
  made.cluster.put(parseRef('Zone p/e'), ZONE);
  for (let index = 0; index < MANY; index += 1) put(made, `bad${index}`, '192.0.2.1');
  put(made, 'good', '192.0.2.1');
  const deps = { ...made.deps, hostedZones: { ...hostedZones, change } };
  return { world: { ...made, deps }, mend: (name) => mended.add(name) };
}

function put({ cluster }: ReconcileWorld, name: string, rdata: string): void {
  cluster.put(parseRef(`Record p/${name}`), { domainName: `${name}.e.`, type: 'A', rdata });
}

/** Applies. Returns the number of calls, and the number of changes by outcome. */
async function apply({ context, deps, route53 }: ReconcileWorld) {
  const before = route53.calls.length;
  const options = { acknowledged: [], only: () => true, progress: () => {} };
  const { hostedZones } = await applyCluster(context, deps, await planCluster(context), options);
  const outcomes = hostedZones.flatMap((one) => one.outcomes.map(({ outcome }) => outcome));
  const counts = Object.fromEntries([...Map.groupBy(outcomes, (one) => one)].map(([key, all]) => [key, all.length]));
  return { calls: route53.calls.slice(before).filter(({ method }) => method === 'change').length, counts };
}

test('a second apply tries eight of them again, and quotes Route 53 for all of them', async () => {
  const { world: made, mend } = world();
  expect(await apply(made)).toMatchObject({ counts: { published: 1, rejected: MANY } });
  for (let again = 0; again < 3; again += 1) {
    const { calls, counts } = await apply(made);
    expect(counts).toEqual({ rejected: MANY });
    expect(calls).toBeLessThanOrEqual(CALLS_AGAIN_MAX);
  }
  for (let index = 0; index < MANY; index += 1) mend(`bad${index}.e.`);
  expect(await apply(made)).toMatchObject({ counts: { published: 8, rejected: MANY - 8 } });
  made.clock.ms += QUARTER_MS * 4;
  expect(await apply(made)).toMatchObject({ counts: { published: MANY - 8 } });
});

test('a second apply tries one at once whose content has changed', async () => {
  const { world: made, mend } = world();
  await apply(made);
  mend('bad99.e.');
  put(made, 'bad99', '192.0.2.2');
  expect((await apply(made)).counts).toEqual({ published: 1, rejected: MANY - 1 });
});
