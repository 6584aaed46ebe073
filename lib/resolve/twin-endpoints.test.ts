// A DNSEndpoint may have several endpoints of one name, type and set identifier, which merge. If one of them becomes
// invalid, the others count as they are now, and of the invalid one what it last validly said.
import { describe, expect, test } from 'vitest';
import { BOTH_WAYS, type Way } from '../../test/fakes/both-ways.ts';
import { zone } from '../../test/fakes/reconcile-steps.ts';
import {
  desiredFromScratch,
  desiredInLedger,
  type ReconcileWorld,
  reconcileWorld,
  standingInRoute53,
} from '../../test/fakes/reconcile-world.ts';
import { DNS_ENDPOINT } from '../sources/external-dns/dns-endpoint.ts';
import { RECORD } from '../sources/kubizone/parse-record.ts';

const ENDS = 'DNSEndpoint a/ends';

/** An endpoint at www.e. with one address; `bias` makes it routed. */
function end(address: string, bias?: string) {
  const plain = { dnsName: 'www.e', recordType: 'A', targets: [address] };
  if (bias === undefined) return plain;
  const properties = { 'aws/geoproximity-region': 'eu-west-1', 'aws/geoproximity-bias': bias };
  const providerSpecific = Object.entries(properties).map(([name, value]) => ({ name, value }));
  return { ...plain, setIdentifier: 'near', providerSpecific };
}

async function after(way: Way, ...states: readonly (readonly object[])[]): Promise<ReconcileWorld> {
  const world = reconcileWorld({
    hostedZones: [{ id: 'Z1', name: 'e.' }],
    config: { soa: 'never' },
    sources: [RECORD, DNS_ENDPOINT],
  });
  await way(world, { 'Zone a/e': zone('e.') });
  for (const endpoints of states) await way(world, { [ENDS]: { endpoints } });
  expect(await desiredInLedger(world)).toEqual(await desiredFromScratch(world));
  return world;
}

/** The addresses at www.e. */
const addresses = (world: ReconcileWorld) =>
  standingInRoute53(world).flatMap((line) => line.match(/192\.0\.2\.[0-9]+/g) ?? []);

describe.each(BOTH_WAYS)('%s with two endpoints of one name', (_, way) => {
  test.each<[string, readonly (readonly object[])[], readonly string[]]>([
    ['both valid', [[end('192.0.2.1'), end('192.0.2.2')]], ['192.0.2.1', '192.0.2.2']],
    [
      'a typo in one',
      [
        [end('192.0.2.1'), end('192.0.2.2')],
        [end('192.0.2.1'), end('x x')],
      ],
      ['192.0.2.1', '192.0.2.2'],
    ],
    [
      'a typo in one that is mended later',
      [
        [end('192.0.2.1'), end('192.0.2.2')],
        [end('192.0.2.1'), end('x x')],
        [end('192.0.2.1'), end('192.0.2.3')],
      ],
      ['192.0.2.1', '192.0.2.3'],
    ],
    [
      'a typo in one that is taken away later',
      [[end('192.0.2.1'), end('192.0.2.2')], [end('192.0.2.1'), end('x x')], [end('192.0.2.1')]],
      ['192.0.2.1'],
    ],
    [
      'a bias of 100 in one',
      [
        [end('192.0.2.1', '1'), end('192.0.2.2', '1')],
        [end('192.0.2.1', '1'), end('192.0.2.2', '100')],
      ],
      ['192.0.2.1', '192.0.2.2'],
    ],
    [
      'another bias in one and a bias of 100 in the other',
      [
        [end('192.0.2.1', '1'), end('192.0.2.2', '1')],
        [end('192.0.2.1', '2'), end('192.0.2.2', '100')],
      ],
      ['192.0.2.1'],
    ],
    [
      'one changed and a second that was never valid',
      [[end('192.0.2.1')], [end('192.0.2.3'), end('x x')]],
      ['192.0.2.3'],
    ],
  ])('publishes after %s', async (__, states, expected) => {
    expect(addresses(await after(way, ...states)).toSorted()).toEqual(expected);
  });
});
