// Items of other versions: unknown fields of a newer item are kept, and an item of an unknown version or a damaged one
// is an error.
import { describe, expect, it } from 'vitest';
import { directoryCodec } from '../directory/directory-item.ts';
import { subtreeCodec } from '../directory/subtree-task-item.ts';
import type { Endpoint } from '../objects/endpoint.ts';
import { namedCodec } from '../observe/name-index.ts';
import { objectCodec } from '../observe/object-item.ts';
import { statusCodec } from '../observe/status-item.ts';
import type { JsonObject, LedgerItem } from '../ports/ledger.ts';
import { dirtyCodec } from '../record-sets/dirty-mark.ts';
import { heldCodec } from '../record-sets/held-name.ts';
import { hostedZoneCodec, newHostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { newRecordSetItem, recordSetCodec } from '../record-sets/record-set-item.ts';
import { UnreadableItemError } from './item-codec.ts';

const RECORD_SET = recordSetCodec.encode(newRecordSetItem({ name: 'a.e.', type: 'A', setIdentifier: null }));
const HOSTED_ZONE = hostedZoneCodec.encode(newHostedZoneItem({ id: 'Z1', name: 'e.', zone: 'a/e', nameServers: [] }));
const DIRTY = dirtyCodec.encode({ name: 'a.e.', sinceMs: 1, retry: false });
const HELD = heldCodec.encode({ name: 'a.e.', digest: 'ab', released: false });

const AGE = { creationTimestamp: null, uid: null, order: 'a/b' };
const REF = { kind: 'Record', namespace: 'a', name: 'b' } as const;
const ENDPOINT: Endpoint = {
  domainName: { kind: 'full', fqdn: 'a.e.' },
  zoneRef: null,
  type: 'A',
  class: 'IN',
  ttl: null,
  values: ['192.0.2.1'],
};
const OBJECT = objectCodec.encode({
  ref: REF,
  uid: null,
  version: '1',
  generation: null,
  age: AGE,
  file: null,
  spec: { type: 'A' },
  problems: [],
  takeover: false,
  acknowledged: null,
  digest: 'ab',
  unsettled: false,
  deleted: false,
  endpoints: [ENDPOINT],
  leaving: [{ partition: 'p', sort: 's' }],
  names: ['a.e.'],
});
const NAMED = namedCodec.encode({ ref: REF, age: AGE, endpoints: [ENDPOINT], problems: [] });
const STATUS = statusCodec.encode({
  uid: null,
  fqdn: 'a.e.',
  parent: null,
  conditions: [{ type: 'Accepted', status: 'True', reason: 'Root', message: 'a root' }],
  hash: null,
  serial: null,
  entries: null,
});
const DIRECTORY = directoryCodec.encode({
  key: 'a/e',
  fqdn: 'e.',
  parent: null,
  spec: { domainName: 'e.' },
  declared: [],
  nameServers: [{ rdata: 'ns.e.', ttl: 60, objects: [] }],
  hosting: { id: 'Z1', nameServers: [], made: false, soa: false },
  cut: true,
  group: 'a/e',
  target: { kind: 'hosted', hostedZoneId: 'Z1', zone: 'a/e', fqdn: 'e.' },
  takeover: false,
});
const SUBTREE = subtreeCodec.encode({ fqdn: 'e.', members: ['a/e'], alsoIn: [], cursor: null });

const stored = (body: JsonObject): LedgerItem => ({ partition: 'p', sort: 's', revision: '1', body });

const without = (body: JsonObject, ...fields: string[]): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)));

type Decode = (item: LedgerItem) => JsonObject;
const KINDS: readonly [string, JsonObject, Decode][] = [
  ['a record set', RECORD_SET, recordSetCodec.decode as Decode],
  ['a hosted zone', HOSTED_ZONE, hostedZoneCodec.decode as Decode],
  ['a dirty mark', DIRTY, dirtyCodec.decode as Decode],
  ['a held mark', HELD, heldCodec.decode as Decode],
  ['an object', OBJECT, objectCodec.decode as unknown as Decode],
  ['endpoints by name', NAMED, namedCodec.decode as unknown as Decode],
  ['a status', STATUS, statusCodec.decode as unknown as Decode],
  ['a live Zone', DIRECTORY, directoryCodec.decode as unknown as Decode],
  ['a subtree to be settled', SUBTREE, subtreeCodec.decode as unknown as Decode],
];

describe.each(KINDS)('%s', (_, body, decode) => {
  it('keeps what a later version added', () => {
    expect(decode(stored({ ...body, colour: 'red' }))).toEqual({ ...without(body, 'v'), colour: 'red' });
  });

  it.each<[string, JsonObject]>([
    ['a newer version', { ...body, v: 2 }],
    ['an older version', { ...body, v: 0 }],
    ['no version', without(body, 'v')],
    ['a version that is a text', { ...body, v: '1' }],
    ['a field of another type', { ...body, [Object.keys(without(body, 'v'))[0] as string]: 7 }],
    ['half an item', { v: 1 }],
  ])('with %s is an Error that names it, and affects only that item', (_title, bad) => {
    expect(() => decode(stored(bad))).toThrow(UnreadableItemError);
    expect(() => decode(stored(bad))).toThrow('Cannot read ledger item "p" / "s"');
  });
});
