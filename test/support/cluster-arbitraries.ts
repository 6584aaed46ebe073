// Arbitrary tiny clusters, and arbitrary edits of them. There are only a few Zones, Records and labels, so that names
// collide, sub-zones take names from each other, name servers need glue, and CNAMEs meet other types.
import fc from 'fast-check';
import { SHARING_ANNOTATION, STANDBY_ANNOTATION, TAKEOVER_ANNOTATION } from '../../lib/objects/annotations.ts';
import type { ObjectRef } from '../../lib/objects/object-ref.ts';
import type { MemoryCluster } from '../fakes/memory-cluster.ts';

/** One edit of the cluster. `ageMs` is the creation time, when the edit creates. */
export type Edit =
  | {
      readonly kind: 'put' | 'recreate';
      readonly ref: ObjectRef;
      readonly spec: unknown;
      readonly takeover: boolean;
      readonly standby?: boolean;
      readonly sharing?: string | null;
      readonly ageMs: number;
    }
  | { readonly kind: 'remove'; readonly ref: ObjectRef };

const ZONES = ['a/z1', 'a/z2', 'b/z3', 'b/z4'];
const RECORDS = ['a/r1', 'a/r2', 'a/r3', 'b/r4', 'b/r5', 'b/r6'];
/** Where the addresses 192.0.2.1 and .2 have their PTRs. */
const REVERSE = '2.0.192.in-addr.arpa.';
const ZONE_NAMES = ['e.', 's.e.', 't.s.e.', 'f.', REVERSE];
const PARTIAL_ZONES = ['s', 't', 't.s'];
const NAMES = ['e.', 's.e.', 'ns.e.', 'w.e.', 'w.s.e.', 'ns.s.e.', 't.s.e.', 'ns.t.s.e.', 'w.t.s.e.', '*.s.e.'].concat([
  '_acme-challenge.w.e.',
  '_acme-challenge.s.e.',
  `1.${REVERSE}`,
]);
const PARTIALS = ['@', 'w', 'ns', 's', 't', 'ns.s', 'w.s', 'w.t.s', 'ns.t', 't.s'];
/** Labels that are short enough below e. but too long below s.e., and labels that are too long below both. */
const LONG = [250, 252].map((octets) => `${`${'l'.repeat(60)}.`.repeat(4)}${'m'.repeat(octets - 244)}`);
const HOSTS = ['ns.e.', 'ns.s.e.', 'ns.t.s.e.', 'ns.other.'];

function refOf(kind: 'Zone' | 'Record', key: string): ObjectRef {
  const [namespace, name] = key.split('/') as [string, string];
  return { kind, namespace, name };
}

function reference(key: string) {
  const { namespace, name } = refOf('Zone', key);
  return { namespace, name };
}

const rule = fc.record(
  {
    namespaces: fc.constantFrom(['a'], ['b'], ['a', 'b']),
    zones: fc.constantFrom(['*'], ['s', 't'], ['*.@'], []),
    records: fc.constantFrom(
      [{ pattern: '*' }, { pattern: '@' }],
      [{ pattern: '*' }],
      [{ pattern: '@', types: ['NS', 'A'] }, { pattern: 'ns' }],
      [{ pattern: '*', types: ['A', 'CNAME', 'DS'] }],
    ),
  },
  { requiredKeys: ['zones', 'records'] },
);
const everything = fc.constant([{ zones: ['*'], records: [{ pattern: '*' }, { pattern: '@' }] }]);
const delegations = fc.oneof(
  { weight: 3, arbitrary: everything },
  { weight: 2, arbitrary: fc.array(rule, { maxLength: 2 }) },
);

const zoneName = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ZONE_NAMES).map((domainName) => ({ domainName })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...PARTIAL_ZONES), fc.constantFrom(...ZONES))
      .map(([domainName, key]) => ({ domainName, zoneRef: reference(key) })),
  },
);
/** Whether the Zone delegates ACME challenges. */
const acme = fc.constantFrom({}, {}, { acme: { delegateTo: 'acme.f.' } });
/** Whether its addresses have PTRs. */
const ptr = fc.constantFrom({}, { ptr: true });
const zoneSpec = fc
  .tuple(zoneName, delegations, fc.constantFrom({}, {}, { ttl: 60 }), acme, ptr)
  .map(([name, rules, ttl, challenges, pointing]) => ({
    ...{ ...name, delegations: rules },
    ...{ ...ttl, ...challenges, ...pointing },
  }));

const rdata = fc.oneof(
  fc.constantFrom('192.0.2.1', '192.0.2.2').map((value) => ({ type: 'A', rdata: value })),
  fc.constant({ type: 'AAAA', rdata: '2001:db8::1' }),
  fc.constantFrom(...HOSTS).map((value) => ({ type: 'NS', rdata: value })),
  fc.constantFrom('w.e.', 'c.other.').map((value) => ({ type: 'CNAME', rdata: value })),
  fc.constant({ type: 'DS', rdata: `1 13 2 ${'ab'.repeat(32)}` }),
  fc.constant({ type: 'TXT', rdata: '"x"' }),
  fc.constant({ type: 'LOC', rdata: '52 22 23.000 N 4 53 32.000 E -2.00m' }),
);
/** These are valid or not, depending on the hosted zones that the Zones publish to. */
const aliases = fc.constantFrom('w.e.', 'w.s.e.', 't.s.e.').map((target) => ({ type: 'A', alias: { target } }));
const recordName = fc.oneof(
  fc.constantFrom(...NAMES).map((domainName) => ({ domainName })),
  fc
    .tuple(fc.constantFrom(...PARTIALS), fc.constantFrom(...ZONES))
    .map(([domainName, key]) => ({ domainName, zoneRef: reference(key) })),
);
const recordSpec = fc
  .tuple(recordName, rdata, fc.constantFrom({}, {}, { ttl: 120 }))
  // A DS at a Zone's own apex is an invalid spec. Invalid specs are drawn elsewhere.
  .filter(([name, data]) => data.type !== 'DS' || name.domainName !== '@')
  .map(([name, data, ttl]) => ({ ...name, ...data, ...ttl }));
const aliasSpec = fc.tuple(recordName, aliases).map(([name, data]) => ({ ...name, ...data }));
const invalidSpec = fc.constantFrom<unknown>({ domainName: 'w' }, { domainName: '..', type: 'A', rdata: '1' }, null);

/** Sometimes with a long name in place of a partial one. It is valid or not, depending on the name of its Zone. */
function longAtTimes(spec: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return fc
    .tuple(spec, fc.oneof({ weight: 7, arbitrary: fc.constant(null) }, fc.constantFrom(...LONG)))
    .map(([said, long]) => (long !== null && 'zoneRef' in said ? { ...said, domainName: long } : said));
}

function putOf(kind: 'Zone' | 'Record', key: fc.Arbitrary<string>, spec: fc.Arbitrary<unknown>): fc.Arbitrary<Edit> {
  return fc.record({
    kind: fc.oneof(
      { weight: 8, arbitrary: fc.constant<'put'>('put') },
      { weight: 1, arbitrary: fc.constant<'recreate'>('recreate') },
    ),
    ref: key.map((one) => refOf(kind, one)),
    spec,
    takeover:
      kind === 'Zone' ? fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.boolean()) : fc.constant(false),
    standby: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.boolean()),
    sharing: fc.oneof(
      { weight: 12, arbitrary: fc.constant(null) },
      fc.constantFrom('weighted', 'latency', 'merge', 'exclusive'),
    ),
    ageMs: fc.constantFrom(0, 1000, 2000),
  });
}

const anyKey = fc.oneof(
  fc.constantFrom(...ZONES).map((key) => refOf('Zone', key)),
  fc.constantFrom(...RECORDS).map((key) => refOf('Record', key)),
);

/**
 * What may be drawn. `invalid`: edits that leave an object invalid. `aliases`: aliases of names that may not exist,
 * which Route 53 refuses. `views`: Zones and Records of several views, one of which has no hosted zone.
 */
export type EditOptions = { readonly invalid: boolean; readonly aliases?: boolean; readonly views?: boolean };

const zoneView = fc.constantFrom({}, {}, { view: 'internal' }, { view: 'internal' }, { view: 'other' });
const recordViews = fc.constantFrom(
  {},
  { views: ['internal'] },
  { views: ['public', 'internal'] },
  { views: ['internal', 'other'] },
  { views: ['*'] },
);

/** One edit. */
export function anyEdit(options: EditOptions): fc.Arbitrary<Edit> {
  const records =
    options.aliases === true
      ? fc.oneof({ weight: 3, arbitrary: recordSpec }, { weight: 1, arbitrary: aliasSpec })
      : recordSpec;
  const viewed = (spec: fc.Arbitrary<object>, views: fc.Arbitrary<object>) =>
    options.views === true ? fc.tuple(spec, views).map(([said, view]) => ({ ...said, ...view })) : spec;
  const either = (valid: fc.Arbitrary<object>) =>
    options.invalid
      ? fc.oneof({ weight: 7, arbitrary: longAtTimes(valid) }, { weight: 1, arbitrary: invalidSpec })
      : valid;
  return fc.oneof(
    { weight: 4, arbitrary: putOf('Zone', fc.constantFrom(...ZONES), either(viewed(zoneSpec, zoneView))) },
    { weight: 7, arbitrary: putOf('Record', fc.constantFrom(...RECORDS), either(viewed(records, recordViews))) },
    { weight: 2, arbitrary: anyKey.map((ref) => ({ kind: 'remove', ref }) as const) },
  );
}

/** A first cluster: a root, two levels of sub-zones, and Records in all of them. */
export function anyStart(): fc.Arbitrary<readonly Edit[]> {
  const zone = (key: string, name: object): fc.Arbitrary<Edit> =>
    delegations.map((rules) => ({
      kind: 'put',
      ref: refOf('Zone', key),
      spec: { ...name, delegations: rules },
      takeover: false,
      ageMs: 0,
    }));
  const first = [
    zone('a/z1', { domainName: 'e.' }),
    zone('a/z2', { domainName: 's', zoneRef: reference('a/z1') }),
    zone('b/z3', { domainName: 't.s.e.' }),
  ];
  const records = fc.uniqueArray(putOf('Record', fc.constantFrom(...RECORDS), recordSpec), {
    selector: (edit) => edit.ref.name,
    maxLength: 6,
  });
  return fc
    .tuple(fc.tuple(...first), fc.integer({ min: 0, max: 3 }), records)
    .map(([zones, count, others]) => [...zones.slice(0, count), ...others]);
}

/** The account's hosted zones. */
export function anyHostedZones(): fc.Arbitrary<readonly { readonly id: string; readonly name: string }[]> {
  return fc
    .subarray(['e.', 's.e.', 't.s.e.', REVERSE], { minLength: 0 })
    .map((names) => names.map((name) => ({ id: `Z${name.length}`, name })));
}

/** Carries out an edit. */
export function applyEdit(cluster: MemoryCluster, edit: Edit): void {
  if (edit.kind !== 'put') cluster.remove(edit.ref);
  if (edit.kind !== 'remove') {
    const annotations = {
      ...(edit.takeover && { [TAKEOVER_ANNOTATION]: 'true' }),
      ...(edit.standby === true && { [STANDBY_ANNOTATION]: 'true' }),
      ...(edit.sharing != null && { [SHARING_ANNOTATION]: edit.sharing }),
    };
    cluster.put(edit.ref, edit.spec, annotations, edit.ageMs);
  }
}
