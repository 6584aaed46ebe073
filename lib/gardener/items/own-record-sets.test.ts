// What DNSRecords want changes in another run, between the look at a name and the write.
import { describe, expect, it } from 'vitest';
import { memoryLedger } from '../../adapters/ledger/memory-ledger.ts';
import { buildRecordSet } from '../../dns/build-record-set.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { dnsRecordsIdOf } from '../../record-sets/hosted-zone-item.ts';
import type { RecordSetItem } from '../../record-sets/record-set-item.ts';
import { changeRecordSetItem, readName } from '../../record-sets/store.ts';
import { forgetItems } from './forget-items.ts';
import { touchWish, type Wish } from './own-record-sets.ts';

const NAME = 'api.example.org.';
const ID = dnsRecordsIdOf('Z1');
const SENT = buildRecordSet(NAME, 'CNAME', [{ ttl: 120, rdata: 'c.example.net.' }]);
const SENT_LATER = buildRecordSet(NAME, 'CNAME', [{ ttl: 60, rdata: 'c.example.net.' }]);

function wish(owner: string, type: string, rdata: string): Wish {
  const recordSets = [buildRecordSet(NAME, type, [{ ttl: 120, rdata }])];
  return { owner: `DNSRecord seed/shoot/${owner}`, name: NAME, types: [], recordSets, takeover: false, doubts: false };
}

const FIRST = wish('first', 'CNAME', 'c.example.net.');
const OTHER = wish('other', 'TXT', '"text"');
const lateOf = (sets: readonly (typeof SENT)[]) =>
  sets.map(({ content }) => ({ content, atMs: 1 })) as RecordSetItem['late'];

function sendUnanswered(ledger: Ledger, sets: readonly (typeof SENT)[]) {
  return changeRecordSetItem(ledger, ID, SENT, null, (item) => ({ ...item, late: lateOf(sets) }));
}

/** The ledger, with an action of another run after the name was first read. */
function meanwhile(ledger: Ledger, act: () => Promise<unknown>): Ledger {
  let hasActed = false;
  return {
    ...ledger,
    query: async (...asked) => {
      const page = await ledger.query(...asked);
      if (!hasActed) await act();
      hasActed = true;
      return page;
    },
  };
}

async function ofFirst(ledger: Ledger) {
  const stored = await readName(ledger, ID, NAME);
  return stored.find(({ item }) => item.type === 'CNAME')?.item;
}

it.each([
  ['not sent', []],
  ['sent, and looked for in vain', [SENT]],
])('touchWish() withdraws a rival CNAME: %s', async (_, sent) => {
  const ledger = memoryLedger();
  await touchWish(ledger, 'Z1', FIRST, async () => []);
  await sendUnanswered(ledger, sent);
  expect(await touchWish(ledger, 'Z1', OTHER, async () => [])).toMatchObject({ kind: 'touched' });
  expect(await ofFirst(ledger)).toMatchObject({ desired: null });
});

it.each([
  ['sent without an answer', [], [SENT]],
  ['sent anew without an answer', [SENT], [SENT, SENT_LATER]],
])('touchWish() keeps a rival CNAME that was, after Route 53 was read, %s', async (_, before, since) => {
  const ledger = memoryLedger();
  await touchWish(ledger, 'Z1', FIRST, async () => []);
  await sendUnanswered(ledger, before);
  const moving = meanwhile(ledger, () => sendUnanswered(ledger, since));
  await touchWish(moving, 'Z1', OTHER, async () => []);
  expect(await ofFirst(ledger)).toMatchObject({ desired: SENT.content, objects: [FIRST.owner] });
});

describe('touchWish() of a type that another DNSRecord gave up after it was sent', () => {
  const MINE = wish('other', 'CNAME', 'd.example.net.');
  /** The first DNSRecord has sent its CNAME without an answer, and no longer wants it. */
  async function givenUp() {
    const ledger = memoryLedger();
    await touchWish(ledger, 'Z1', FIRST, async () => []);
    await sendUnanswered(ledger, [SENT]);
    await touchWish(ledger, 'Z1', { ...FIRST, types: ['CNAME'], recordSets: [] }, async () => []);
    expect(await ofFirst(ledger)).toMatchObject({ desired: null, publishedObjects: [FIRST.owner] });
    return ledger;
  }

  it('takes the name when Route 53 does not have the CNAME', async () => {
    const ledger = await givenUp();
    expect(await touchWish(ledger, 'Z1', MINE, async () => [])).toMatchObject({ kind: 'touched' });
    expect(await ofFirst(ledger)).toMatchObject({ objects: [MINE.owner], late: lateOf([SENT]) });
  });

  it('leaves the name when Route 53 has the CNAME', async () => {
    const ledger = await givenUp();
    expect(await touchWish(ledger, 'Z1', MINE, async () => [SENT])).toMatchObject({
      kind: 'taken',
      rival: FIRST.owner,
    });
    expect(await ofFirst(ledger)).toMatchObject({ objects: [] });
  });

  it('leaves the name when something was sent after Route 53 was read', async () => {
    const ledger = await givenUp();
    const moving = meanwhile(ledger, () => sendUnanswered(ledger, [SENT, SENT_LATER]));
    expect(await touchWish(moving, 'Z1', MINE, async () => [])).toMatchObject({ kind: 'taken', rival: FIRST.owner });
  });
});

it('forgetItems() throws while others write the items all the time, so that the work is done again', async () => {
  const ledger = memoryLedger();
  await touchWish(ledger, 'Z1', FIRST, async () => []);
  const asked = { ...FIRST, types: ['CNAME'] };
  await expect(forgetItems({ ...ledger, remove: async () => false }, 'Z1', asked)).rejects.toThrow(NAME);
  await forgetItems(ledger, 'Z1', asked);
  expect(await ofFirst(ledger)).toBe(undefined);
});
