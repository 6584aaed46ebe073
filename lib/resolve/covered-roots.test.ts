// Without roots, a Zone is no root where a live Zone of another namespace covers its name and refuses it. What the
// ledger shows live is not taken away: a later Zone above refuses no root that stands.
import { describe, expect, test } from 'vitest';
import { BOTH_WAYS, type Way } from '../../test/fakes/both-ways.ts';
import { a, expectRight, reasonOf, sweepAndPublish, zone } from '../../test/fakes/reconcile-steps.ts';
import { type ReconcileWorld, reconcileWorld, standingInRoute53 } from '../../test/fakes/reconcile-world.ts';

const OWN = [{ records: [{ pattern: '*' }] }];
const OF_A = [{ namespaces: ['a'], records: [{ pattern: '*' }] }];
const TOP = { domainName: 'e.', delegations: OF_A };
const TOP_GIVES = { domainName: 'e.', delegations: [...OF_A, { namespaces: ['b'], zones: ['s'] }] };
const SUB = { domainName: 's.e.', delegations: OWN };

const world = () =>
  reconcileWorld({
    hostedZones: [
      { id: 'Z1', name: 'e.' },
      { id: 'Z2', name: 's.e.' },
    ],
    config: { soa: 'never' },
  });
const names = (of: ReconcileWorld) => standingInRoute53(of).map((line) => line.split(' ').slice(0, 3).join(' '));
const messageOf = ({ cluster }: ReconcileWorld, id: string) =>
  cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Accepted')?.message;

async function expectStable(of: ReconcileWorld, way: Way, reason: string): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    expect(reasonOf(of, 'Zone b/s')).toBe(reason);
    await expectRight(of);
    await way(of, {});
    await sweepAndPublish(of);
  }
}

describe.each(BOTH_WAYS)('%s without roots', (_, way) => {
  test('refuses a Zone that a Zone of another namespace covers', async () => {
    const w = world();
    await way(w, { 'Zone a/e': TOP, 'Record a/www': a('www.e.') });
    await way(w, { 'Zone b/s': SUB, 'Record b/x': a('x.s.e.') });
    expect(names(w)).toEqual(['Z1 www.e. A']);
    await expectStable(w, way, 'DelegationDenied');
  });

  test('releases a Zone whose delegation goes', async () => {
    const w = world();
    await way(w, { 'Zone a/e': TOP_GIVES });
    await way(w, { 'Zone b/s': SUB, 'Record b/x': a('x.s.e.') });
    expect(names(w)).toEqual(['Z1 s.e. NS', 'Z2 x.s.e. A']);
    await way(w, { 'Zone a/e': TOP });
    expect(names(w)).toEqual([]);
    await expectStable(w, way, 'DelegationDenied');
  });

  test('lets a root stay that was live before the Zone above, with a note', async () => {
    const w = world();
    await way(w, { 'Zone b/s': SUB, 'Record b/x': a('x.s.e.') });
    await way(w, { 'Zone a/e': TOP, 'Record b/y': a('y.s.e.') });
    expect(names(w)).toEqual(['Z2 x.s.e. A', 'Z2 y.s.e. A']);
    expect(messageOf(w, 'Zone b/s')).toContain('; note: names in s.e. are found only if');
    await expectStable(w, way, 'Root');
  });

  test('lets it stay although the Zone above is older, and asks for the name only now', async () => {
    const w = world();
    await way(w, { 'Zone a/e': zone('other.') });
    await way(w, { 'Zone b/s': SUB, 'Record b/x': a('x.s.e.') });
    await way(w, { 'Zone a/e': TOP });
    expect(names(w)).toEqual(['Z2 x.s.e. A']);
    await expectStable(w, way, 'Root');
    // Another object of its namespace may follow it.
    await way(w, { 'Zone b/s': undefined, 'Zone b/t': SUB });
    expect(reasonOf(w, 'Zone b/t')).toBe('Root');
    expect(names(w)).toEqual(['Z2 x.s.e. A']);
    await expectRight(w);
    // A new name is another matter.
    await way(w, { 'Zone b/t': { ...SUB, domainName: 't.e.' } });
    expect(reasonOf(w, 'Zone b/t')).toBe('DelegationDenied');
    await expectRight(w);
  });

  test('tells a root that a Zone of its own namespace covers', async () => {
    const w = world();
    await way(w, { 'Zone b/e': TOP, 'Zone b/s': SUB });
    expect(messageOf(w, 'Zone b/s')).toContain('; note: names in s.e. are found only if');
    await way(w, { 'Zone b/e': TOP_GIVES });
    expect(reasonOf(w, 'Zone b/s')).toBe('Adopted');
    await expectRight(w);
  });
});
