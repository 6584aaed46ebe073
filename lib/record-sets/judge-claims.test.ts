import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RecordSetContent, recordSetId } from '../dns/record-set.ts';
import { typeGroup } from '../dns/record-type.ts';
import { agreedContents, areExclusive, type Claim, type Claimant, inOrder, judgeClaims } from './judge-claims.ts';

const values = (value: string, ttlSeconds = 60): RecordSetContent => ({ kind: 'values', ttlSeconds, values: [value] });
const weighted = (value: string): RecordSetContent => ({
  ...values(value),
  routing: { policy: { kind: 'weight', weight: 1 }, healthCheckId: null },
});
const claim = (
  type: string,
  content: RecordSetContent,
  setIdentifier: string | null = null,
  namespace = 'a',
): Claim => ({
  ...{ name: 'www.e.', type, setIdentifier, content, namespace, standby: false, merges: false },
});
/** The addresses of a name. */
const LOST: ReadonlySet<string> = new Set(['A']);
const A1 = claim('A', values('192.0.2.1'));
const A2 = claim('A', values('192.0.2.2'));
const AAAA1 = claim('AAAA', values('2001:db8::1'));
const CNAME = claim('CNAME', values('x.example.'));
const TXT1 = claim('TXT', values('"1"'));
const TXT2 = claim('TXT', values('"2"'));
const BLUE = claim('A', weighted('192.0.2.1'), 'blue');
const GREEN = claim('A', weighted('192.0.2.2'), 'green');

const cluster = (id: string, claims: readonly Claim[], more: Partial<Claimant> = {}): Claimant => ({
  ...{ cluster: id, claims, owned: [], sinceMs: 0, justLost: new Set() },
  ...more,
});

/** "cluster type" of what is refused, with the cluster in the way. */
function refusedOf(claimants: readonly Claimant[]): readonly string[] {
  const judged = judgeClaims(claimants);
  return claimants.flatMap(({ cluster: id, claims }) =>
    claims.flatMap((one) => {
      const by = judged.get(id)?.get(recordSetId(one));
      return by === undefined ? [] : [`${id} ${one.type} by ${by}`];
    }),
  );
}

describe('inOrder()', () => {
  test.each<[string, readonly Claimant[], readonly string[]]>([
    ['by id, if all else is equal', [cluster('us', [A1]), cluster('eu', [A2])], ['eu', 'us']],
    [
      'the oldest claim first',
      [cluster('eu', [A1], { sinceMs: 2 }), cluster('us', [A2], { sinceMs: 1 })],
      ['us', 'eu'],
    ],
    [
      'an owner before older claims',
      [cluster('eu', [A1]), cluster('us', [A2], { sinceMs: 9, owned: [A2] })],
      ['us', 'eu'],
    ],
    [
      'of owners, the one that still asks for what stands',
      [cluster('eu', [A2], { owned: [A1] }), cluster('us', [A1], { sinceMs: 9, owned: [A1] })],
      ['us', 'eu'],
    ],
    [
      'an owner of one of two record sets that it asks for',
      [cluster('eu', [A1, AAAA1], { sinceMs: 9, owned: [A1] }), cluster('us', [A2])],
      ['eu', 'us'],
    ],
    [
      'whoever has just lost the name before its owner',
      [cluster('eu', [A1], { justLost: LOST, sinceMs: 9 }), cluster('us', [A2], { owned: [A2] })],
      ['eu', 'us'],
    ],
    [
      'of owners, the one that asks for some of what it owns',
      [cluster('eu', [A2], { owned: [AAAA1] }), cluster('us', [AAAA1], { owned: [A1, AAAA1], sinceMs: 9 })],
      ['us', 'eu'],
    ],
    [
      'the owner of the addresses before an older claim that owns another type',
      [cluster('eu', [A1, TXT1], { owned: [TXT1] }), cluster('us', [A2], { owned: [A2], sinceMs: 9 })],
      ['us', 'eu'],
    ],
    [
      'the owner of the addresses before whoever has just lost another type',
      [cluster('eu', [A1], { justLost: new Set(['TXT']) }), cluster('us', [A2], { owned: [A2], sinceMs: 9 })],
      ['us', 'eu'],
    ],
    [
      'of two that have just lost it, the older',
      [cluster('eu', [A1], { justLost: LOST, sinceMs: 9 }), cluster('us', [A2], { justLost: LOST })],
      ['us', 'eu'],
    ],
  ])('%s', (_, claimants, order) => {
    expect(inOrder(claimants, 'A').map((one) => one.cluster)).toEqual(order);
    expect(inOrder(claimants.toReversed(), 'A').map((one) => one.cluster)).toEqual(order);
  });
});

describe('judgeClaims()', () => {
  test.each<[string, readonly Claim[], readonly Claim[], readonly string[]]>([
    ['one cluster alone', [A1, AAAA1, TXT1], [], []],
    ['equal content', [A1], [A1], []],
    ['other values', [A1], [A2], ['us A by eu']],
    ['another TTL', [A1], [claim('A', values('192.0.2.1', 300))], []],
    ['another type without addresses', [A1], [TXT1], []],
    ['each other type by itself', [A1, TXT1], [A1, TXT2], ['us TXT by eu']],
    ['the other address family', [A1], [AAAA1], ['us AAAA by eu']],
    ['a family more than the first has', [A1], [A1, AAAA1], ['us A by eu', 'us AAAA by eu']],
    ['a family less than the first has', [A1, AAAA1], [A1], []],
    ['addresses go together, TXT does not', [A1], [A2, AAAA1, TXT1], ['us A by eu', 'us AAAA by eu']],
    ['a CNAME beside addresses', [A1], [CNAME], ['us CNAME by eu']],
    ['a CNAME beside TXT', [TXT1], [CNAME], ['us CNAME by eu']],
    ['TXT beside a CNAME', [CNAME], [TXT1], ['us TXT by eu']],
    ['another set identifier of the same policy', [BLUE], [GREEN], []],
    ['the same set identifier with other values', [BLUE], [{ ...GREEN, setIdentifier: 'blue' }], ['us A by eu']],
    ['routed beside simple', [A1], [GREEN], ['us A by eu']],
    ['simple beside routed', [BLUE], [A2], ['us A by eu']],
    ['another set identifier of another namespace', [BLUE], [{ ...GREEN, namespace: 'b' }], ['us A by eu']],
    ['HTTPS without the address', [A1], [claim('HTTPS', values('1 .'))], ['us HTTPS by eu']],
  ])('%s', (_, eu, us, refused) => {
    expect(refusedOf([cluster('eu', eu), cluster('us', us)])).toEqual(refused);
    expect(refusedOf([cluster('us', us), cluster('eu', eu)])).toEqual(refused);
  });

  test('a refused claim is in nobody’s way', () => {
    const three = [cluster('ap', [A1]), cluster('eu', [A2, TXT1]), cluster('us', [A1, TXT2])];
    expect(refusedOf(three)).toEqual(['eu A by ap', 'us TXT by eu']);
  });

  const off = (...all: readonly Claim[]) => all.map((one) => ({ ...one, standby: true }));
  test.each<[string, readonly Claim[], readonly Claim[], readonly string[]]>([
    ['an active claim before one on standby', off(A1), [A2], ['eu A by us']],
    ['both on standby: the first in order', off(A1), off(A2), ['us A by eu']],
    ['equal content on standby', [A1], off(A1), []],
    ['a family less on standby', [A1, AAAA1], off(A1), []],
    ['another set identifier on standby', [BLUE], off(GREEN), ['us A by eu']],
    ['other set identifiers, both on standby', off(BLUE), off(GREEN), []],
    ['addresses are active if one of them is', off(A1), [A2, ...off(AAAA1)], ['eu A by us']],
    ['each other type is on standby by itself', [A1, ...off(TXT1)], [A2, TXT2], ['eu TXT by us', 'us A by eu']],
    ['TXT on standby beside active addresses', [A1], off(TXT1), []],
    ['a CNAME on standby', off(CNAME), [TXT1], ['eu CNAME by us']],
  ])('standby: %s', (_, eu, us, refused) => {
    expect(refusedOf([cluster('eu', eu), cluster('us', us)])).toEqual(refused);
    const owned = [cluster('us', us), cluster('eu', eu, { owned: eu, justLost: new Set(['A', 'TXT']) })];
    expect(refusedOf(owned).toSorted()).toEqual(refused);
  });

  const merged = (...all: readonly Claim[]) => all.map((one) => ({ ...one, merges: true }));
  const ofB = (...all: readonly Claim[]) => all.map((one) => ({ ...one, namespace: 'b' }));
  test.each<[string, readonly Claim[], readonly Claim[], readonly string[]]>([
    ['other values, if both merge', merged(A1), merged(A2), []],
    ['other values, if one merges', [A1], merged(A2), ['us A by eu']],
    ['other values of another namespace', merged(A1), ofB(...merged(A2)), ['us A by eu']],
    ['a family of one cluster alone', merged(A1), merged(AAAA1), []],
    ['a family alone beside one that does not merge', [A1], merged(AAAA1), ['us AAAA by eu']],
    ['on standby, other values are not merged', merged(A1), off(...merged(A2)), ['us A by eu']],
    ['on standby, equal values', merged(A1), off(...merged(A1)), []],
  ])('merging: %s', (_, eu, us, refused) => {
    expect(refusedOf([cluster('eu', eu), cluster('us', us)])).toEqual(refused);
  });

  test('agreedContents() has the TTL of the first, or all values with the lowest TTL of those that merge', () => {
    const later = claim('A', values('192.0.2.1', 300));
    const of = (...all: readonly Claimant[]) => agreedContents(all).get(recordSetId(A1));
    expect(of(cluster('eu', [later]), cluster('us', [A1]))).toEqual(values('192.0.2.1', 300));
    expect(of(cluster('eu', [later]), cluster('us', [A1], { owned: [A1] }))).toEqual(values('192.0.2.1', 60));
    const all = { ...values('192.0.2.1'), values: ['192.0.2.1', '192.0.2.2'] };
    const two = [cluster('eu', merged(later)), cluster('us', merged(A2))];
    expect(of(...two)).toEqual(all);
    expect(of(...two.toReversed())).toEqual(all);
  });

  test('agreedContents() has one TTL for weighted record sets: as they stand, else as the first asks for', () => {
    const blue = { ...BLUE, content: { ...weighted('192.0.2.1'), ttlSeconds: 300 } };
    const of = (...all: readonly Claimant[]) =>
      [...agreedContents(all).values()].map((one) => (one.kind === 'values' ? one.ttlSeconds : null));
    expect(of(cluster('eu', [blue]), cluster('us', [GREEN]))).toEqual([300, 300]);
    expect(of(cluster('eu', [blue]), cluster('us', [GREEN], { owned: [GREEN] }))).toEqual([60, 60]);
    expect(of(cluster('eu', [blue], { owned: [BLUE] }), cluster('us', [GREEN], { owned: [GREEN] }))).toEqual([60, 60]);
    expect(of(cluster('eu', [blue], { owned: [BLUE] }))).toEqual([300]);
  });

  const claims = fc.uniqueArray(
    fc.constantFrom(
      A1,
      A2,
      AAAA1,
      CNAME,
      TXT1,
      TXT2,
      BLUE,
      GREEN,
      { ...GREEN, namespace: 'b' },
      ...off(A1, A2, TXT1, GREEN),
    ),
    { selector: recordSetId, minLength: 1, maxLength: 3 },
  );
  // What one cluster asks for can stand beside itself: its own rules have seen to that.
  const consistent = claims.filter((all) => all.every((a) => all.every((b) => a === b || !areExclusive(a, b))));
  const claimants = fc.uniqueArray(fc.constantFrom('ap', 'eu', 'us'), { minLength: 1 }).chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc.record({
          cluster: fc.constant(id),
          claims: consistent,
          owned: fc.oneof(fc.constant([]), consistent),
          sinceMs: fc.nat(2),
          justLost: fc.subarray(['A', 'TXT']).map((groups) => new Set(groups)),
        }),
      ),
    ),
  );

  test('all that is accepted can stand together, whatever order the claims are given in', () => {
    fc.assert(
      fc.property(claimants, (all) => {
        const refused = judgeClaims(all);
        expect(judgeClaims(all.toReversed())).toEqual(refused);
        const accepted = all.flatMap((one) =>
          one.claims.filter((claimed) => !refused.get(one.cluster)?.has(recordSetId(claimed))),
        );
        for (const a of accepted) for (const b of accepted) expect(areExclusive(a, b)).toBe(false);
        // Without a CNAME, what has the first turn of its type is accepted.
        const claimed = all.flatMap((one) => one.claims);
        if (!claimed.some(({ standby, type }) => standby || type === 'CNAME'))
          for (const { type } of claimed) {
            const asking = all.filter(({ claims }) => claims.some((one) => typeGroup(one.type) === typeGroup(type)));
            const first = inOrder(asking, type)[0] as Claimant;
            const ofType = first.claims.filter((one) => typeGroup(one.type) === typeGroup(type));
            for (const one of ofType) expect(refused.get(first.cluster)?.has(recordSetId(one))).toBe(false);
          }
        const active = all.filter((one) => one.claims.every(({ standby }) => !standby));
        const isMixed = (one: Claimant) => new Set(one.claims.map(({ standby }) => standby)).size > 1;
        const others = all.some(isMixed) ? refused : judgeClaims(active);
        for (const { cluster: id } of active) expect(refused.get(id)).toEqual(others.get(id));
      }),
    );
  });
});
