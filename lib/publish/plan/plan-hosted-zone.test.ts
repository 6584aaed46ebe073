// planHostedZone(): which changes may be sent, which are withheld and why, and a digest that people can compare.
import { describe, expect, test } from 'vitest';
import { values } from '../../../test/fakes/publish-world.ts';
import { digestChanges } from '../../dns/plan-changes.ts';
import type { RecordSetContent } from '../../dns/record-set.ts';
import { newHostedZoneItem } from '../../record-sets/hosted-zone-item.ts';
import { newRecordSetItem, type RecordSetItem, storedContent } from '../../record-sets/record-set-item.ts';
import { unitsOf } from '../../route53/tied-changes.ts';
import { type PlanGuard, type PlanInput, type PlannedNames, planHostedZone } from './plan-hosted-zone.ts';
import { digestUnit } from './withheld.ts';

const APEX = 'example.org.';
const WWW = `www.${APEX}`;
const ONE = values(300, '192.0.2.1');
const TWO = values(300, '192.0.2.2');

function item(
  type: string,
  published: RecordSetContent | null,
  desired: RecordSetContent | null,
  more: Partial<RecordSetItem> = {},
): RecordSetItem {
  const base = newRecordSetItem({ name: WWW, type, setIdentifier: null });
  const objects = desired === null ? [] : ['Record default/new'];
  const publishedObjects = published === null ? [] : ['Record default/old'];
  return {
    ...base,
    zone: 'default/zone',
    published: storedContent(published),
    desired: storedContent(desired),
    objects,
    publishedObjects,
    ...more,
  };
}

const HOSTED_ZONE = {
  ...newHostedZoneItem({ id: 'Z1', name: APEX, zone: 'default/zone', nameServers: [] }),
  publishedCount: 2,
};

type More = Partial<Omit<PlannedNames, 'items'>> &
  Partial<Pick<PlanInput, 'existingSoa' | 'hostedZone'>> &
  Partial<PlanGuard>;

function plan(
  items: RecordSetItem[],
  { hostedZone = HOSTED_ZONE, existingSoa = null, heldMarks = [], retryNames = new Set(), ...more }: More = {},
) {
  const limits = { deletesMax: 100, deletesShareMax: 0.3 };
  return planHostedZone({
    hostedZone,
    names: { items, heldMarks, retryNames },
    existingSoa,
    guard: { limits, services: null, namespaces: new Map(), acknowledged: [], isLeft: false, ...more },
    nowMs: Date.parse('2026-01-01T00:00:00Z'),
  });
}

const refusal = (reason: 'ForeignRecord' | 'Drifted' | 'Rejected', content: RecordSetContent | null) => ({
  refusal: { reason, message: reason, content: storedContent(content), atMs: 0 },
});

describe('planHostedZone()', () => {
  test("counts a routed record set's delete for the guard only if what is wanted beside it was refused", () => {
    const routed = (content: RecordSetContent) => ({
      ...content,
      routing: { policy: { kind: 'weight' as const, weight: 1 }, healthCheckId: null },
    });
    const leaving = item('A', routed(ONE), null, { setIdentifier: 'x' });
    const comes = item('A', null, routed(TWO), { setIdentifier: 'y' });
    const limits = { deletesMax: 0, deletesShareMax: 1 };
    expect(plan([leaving, comes], { limits }).guard.held).toEqual([]);
    const refused = { ...comes, ...refusal('Rejected', routed(TWO)) };
    expect(plan([leaving, refused], { limits }).guard.held.map(({ setIdentifier }) => setIdentifier)).toEqual(['x']);
  });

  test('names the objects that want a change; for a delete, those that wanted it before', () => {
    const { go } = plan([item('A', null, ONE), item('TXT', ONE, null)]);
    expect(go.map((change) => [change.action, change.objects])).toEqual([
      ['delete', ['Record default/old']],
      ['create', ['Record default/new']],
    ]);
  });

  test.each([
    { name: 'holds while the content is the same', more: refusal('ForeignRecord', ONE), goes: false },
    { name: 'is over when the content changes', more: refusal('ForeignRecord', TWO), goes: true },
    { name: 'ends with a takeover', more: { ...refusal('ForeignRecord', ONE), takeover: true }, goes: true },
    {
      name: 'does not end with a takeover when Route 53 rejects it',
      more: { ...refusal('Rejected', ONE), takeover: true },
      goes: false,
    },
  ])('a refusal $name', ({ more, goes }) => {
    const { go, refused } = plan([item('A', null, ONE, more)]);
    expect(go).toHaveLength(goes ? 1 : 0);
    expect(refused).toHaveLength(goes ? 0 : 1);
  });

  test('tries a rejected record set again when somebody asks', () => {
    const items = [item('A', null, ONE, refusal('Rejected', ONE))];
    expect(plan(items, { retryNames: new Set([WWW]) }).go).toHaveLength(1);
  });

  test("uses the takeover of a hosted zone only for what that hosted zone's Zone wants", () => {
    const hostedZone = {
      ...newHostedZoneItem({ id: 'Z1', name: APEX, zone: 'default/zone', nameServers: [] }),
      takeover: true,
    };
    const own = item('A', null, ONE, refusal('Drifted', ONE));
    expect(plan([own], { hostedZone }).go).toHaveLength(1);
    expect(plan([{ ...own, zone: 'team/sub' }], { hostedZone }).go).toHaveLength(0);
  });

  test('holds back a change from CNAME as a whole, or not at all', () => {
    const target = values(300, 'x.example.net.');
    const refusedAs = (after: RecordSetContent): RecordSetItem[] => {
      const { changes } = plan([item('CNAME', target, null), item('A', null, after)]);
      const unit = digestUnit(changes, changes[0] as (typeof changes)[number]);
      const { refusal: ofCname } = refusal('Rejected', null);
      const { refusal: ofA } = refusal('Rejected', after);
      return [
        item('CNAME', target, null, { refusal: { ...ofCname, ...(unit === undefined ? {} : { unit }) } }),
        item('A', null, after, { refusal: { ...ofA, ...(unit === undefined ? {} : { unit }) } }),
      ];
    };
    const [cname, a] = refusedAs(ONE) as [RecordSetItem, RecordSetItem];
    expect(plan([cname, a]).go).toEqual([]);
    expect(plan([cname, refusedAs(TWO)[1] as RecordSetItem]).go).toHaveLength(2);
    // What it was refused with may no longer be wanted, and its item gone. Then the delete is tried alone.
    expect(plan([cname]).go).toHaveLength(1);
  });

  test('leaves the apex NS set out, and leaves the SOA to its own change', () => {
    const soa = (names: string, serial: number, refresh: number) =>
      values(300, `${names} ${serial} ${refresh} 7200 3600000 360`);
    const ours = soa('ns.example.org. noc.example.org.', 7, 86400);
    const items = [
      { ...item('NS', null, values(300, 'ns.example.net.')), name: APEX },
      { ...item('SOA', null, ours), name: APEX },
    ];
    const existingSoa = {
      name: APEX,
      type: 'SOA',
      setIdentifier: null,
      content: soa('ns-1.awsdns.org. aws.example.', 1, 7200),
    };
    const read = plan(items, { existingSoa });
    expect(read.go).toEqual([]);
    expect(read.soa?.after).toEqual(soa('ns-1.awsdns.org. aws.example.', 2026010100, 86400));
    expect(plan(items).digest).toBe(read.digest);
    expect(
      plan(items, { existingSoa: { ...existingSoa, content: soa('ns-1.awsdns.org. aws.example.', 1, 86400) } }).soa,
    ).toBe(null);
  });

  test('releases an acknowledged delete only while it is exactly the same', () => {
    const items = [item('A', ONE, null), item('TXT', ONE, null)];
    const deletes = plan(items).changes;
    const mark = { name: WWW, digest: digestChanges(deletes), released: true };
    expect(plan(items, { heldMarks: [mark] }).go).toHaveLength(2);
    expect(plan(items.slice(1), { heldMarks: [mark] }).go).toHaveLength(0);
    expect(plan(items, { heldMarks: [{ ...mark, released: false }] }).go).toHaveLength(0);
  });

  test('takes the digest of its held deletes as an acknowledgement, and not that of the whole plan', () => {
    const items = [item('A', ONE, null), item('AAAA', null, ONE)];
    const heldMarks = [{ name: WWW, digest: '', released: false }];
    const held = plan(items, { heldMarks });
    expect(held.guard.held).toHaveLength(1);
    expect(plan(items, { heldMarks, acknowledged: [held.digest] }).guard.held).toHaveLength(1);
    expect(plan(items, { heldMarks, acknowledged: [held.guard.digest ?? ''] }).guard.held).toEqual([]);
  });
});

test('unitsOf() keeps together what a CNAME ties, and nothing else', () => {
  const { changes } = plan([item('A', ONE, TWO), item('TXT', null, ONE)]);
  expect(unitsOf(changes)).toHaveLength(2);
  const tied = plan([item('CNAME', values(300, 'x.example.net.'), null), item('A', null, ONE), item('TXT', null, ONE)]);
  expect(unitsOf(tied.changes)).toHaveLength(1);
});

test('unitsOf() keeps together addresses of which one came from another cluster and is not asked for here', () => {
  const given = (published: string) => ({ ...item(published, ONE, null), publishedObjects: [], objects: [] });
  const beside = [item('AAAA', null, ONE), item('TXT', null, ONE)];
  expect(unitsOf(plan([given('A'), ...beside]).changes).map((unit) => unit.map(({ type }) => type))).toEqual([
    ['A', 'AAAA'],
    ['TXT'],
  ]);
  expect(unitsOf(plan([given('TXT'), item('A', null, ONE)]).changes)).toHaveLength(2);
});
