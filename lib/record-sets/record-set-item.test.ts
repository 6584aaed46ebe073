// Items of other versions of this code: what an earlier one wrote is read with what came later at its default, what a later one
// added is kept, and what is of another version, or damaged, is never guessed at.
import { describe, expect, it } from 'vitest';
import { encodeBody, LedgerVersionError } from '../ledger/versioned-item.ts';
import type { JsonObject, LedgerItem } from '../ports/ledger.ts';
import { decodeDirtyItem } from './dirty-mark.ts';
import { decodeHeldItem } from './held-name.ts';
import { decodeHostedZoneItem, newHostedZoneItem } from './hosted-zone-item.ts';
import { decodeRecordSetItem, newRecordSetItem } from './record-set-item.ts';

const RECORD_SET = encodeBody(newRecordSetItem({ name: 'a.e.', type: 'A', setIdentifier: null }));
const HOSTED_ZONE = encodeBody(newHostedZoneItem({ id: 'Z1', name: 'e.', zone: 'a/e', nameServers: [] }));
const DIRTY = encodeBody({ name: 'a.e.', sinceMs: 1, retry: false });
const HELD = encodeBody({ name: 'a.e.', digest: 'ab', released: false });

const stored = (body: JsonObject): LedgerItem => ({ partition: 'p', sort: 's', revision: '1', body });

const without = (body: JsonObject, ...fields: string[]): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)));

type Decode = (item: LedgerItem) => JsonObject;
const KINDS: readonly [string, JsonObject, Decode, readonly string[]][] = [
  ['a record set', RECORD_SET, decodeRecordSetItem as Decode, ['takeover', 'late', 'flips', 'deleted']],
  ['a hosted zone', HOSTED_ZONE, decodeHostedZoneItem as Decode, ['cluster', 'used', 'recount']],
  ['a dirty mark', DIRTY, decodeDirtyItem as Decode, ['retry']],
  ['a held mark', HELD, decodeHeldItem as Decode, []],
];

describe.each(KINDS)('%s', (_, body, decode, later) => {
  it('of an earlier version is read, with what it did not know at its default', () => {
    expect(decode(stored(without(body, ...later)))).toEqual(without(body, 'v'));
  });

  it('keeps what a later version added', () => {
    expect(decode(stored({ ...body, colour: 'red' }))).toEqual({ ...without(body, 'v'), colour: 'red' });
  });

  it.each<[string, JsonObject]>([
    ['a newer version', { ...body, v: 2 }],
    ['an older version', { ...body, v: 0 }],
    ['no version', without(body, 'v')],
    ['a version that is a text', { ...body, v: '1' }],
    ['a field of another type', { ...body, [body.name === undefined ? 'id' : 'name']: 7 }],
    ['half an item', { v: 1 }],
  ])('of %s is an Error that names it, and costs that item alone', (_title, bad) => {
    expect(() => decode(stored(bad))).toThrow(LedgerVersionError);
    expect(() => decode(stored(bad))).toThrow('Cannot read ledger item "p" / "s"');
  });
});
