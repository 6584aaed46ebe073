// A plan where a DNSRecord of Gardener has published what a Record of a Zone wants: it says what an apply does, which
// leaves it, even with the takeover annotation.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import {
  apply,
  plan,
  stand,
  standing,
  TAKEOVER,
  takeoverWorld,
  values,
  want,
  ZONE,
} from '../../test/fakes/takeover-world.ts';
import { openHostedZone } from '../gardener/items/own-record-sets.ts';
import { parseRef } from '../objects/object-ref.ts';
import { dnsRecordsIdOf } from '../record-sets/hosted-zone-item.ts';
import { changeRecordSetItem } from '../record-sets/store.ts';

const ID = dnsRecordsIdOf('Z1');
const THEIRS = values('203.0.113.9');

/** A DNSRecord has published the A of www.e., and a Record of a Zone with the annotation wants the name. */
async function keptWorld() {
  const world = takeoverWorld();
  const { ledger } = world.context;
  const key = { name: 'www.e.', type: 'A', setIdentifier: null };
  await openHostedZone(ledger, 'Z1');
  const publishedObjects = ['DNSRecord shoot--foo--bar/api'];
  await changeRecordSetItem(ledger, ID, key, null, (item) => ({ ...item, published: THEIRS, publishedObjects }));
  stand(world, 'www.e.', 'A', THEIRS);
  world.cluster.put(parseRef('Zone p/e'), ZONE, TAKEOVER);
  return world;
}

const KEEPS = 'It is published for DNSRecord api, which was first: ask its owner.';

test.each<[string, string, string, string, string]>([
  [
    'other content',
    'A',
    '192.0.2.1',
    'create www.e. A foreign',
    `Route 53 already has A www.e. 203.0.113.9 (TTL 300), not created by zone53. ${KEEPS}`,
  ],
  [
    'the same content',
    'A',
    '203.0.113.9',
    'create www.e. A equal',
    `Route 53 already has A www.e. 203.0.113.9 (TTL 300), not created by zone53. The content is identical. ${KEEPS}`,
  ],
  [
    'a CNAME instead',
    'CNAME',
    'x.example.org.',
    'create www.e. CNAME foreign',
    `Route 53 has A www.e. 203.0.113.9 (TTL 300), not created by zone53, and does not allow CNAME www.e. beside it. ${KEEPS}`,
  ],
])('of a Record that wants %s: it is left', async (_, type, rdata, planned, message) => {
  const world = await keptWorld();
  want(world, 'www', rdata, type);
  expect(await plan(world)).toEqual([planned]);
  const [hostedZone] = (await planCluster(world.context, { reads: true })).hostedZones;
  expect([...(hostedZone?.read?.existingById.values() ?? [])].map((one) => one.message)).toEqual([message]);
  expect(await apply(world)).toEqual(['create www.e. foreign']);
  expect(standing(world)).toEqual(['www.e. A']);
});
