// A full hosted zone: `zone53 apply` and `zone53 local` as processes, with our strict Route 53 with a small quota of
// record sets, behind a proxy that counts the calls.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Condition } from '../../lib/objects/conditions.ts';
import { type CommandAccount, kubizoneObject, startCommandAccount } from '../support/command-account.ts';
import { appliedOf, startZone53, zone53 } from '../support/zone53-command.ts';

const APEX_SETS = 2;
const STANDING = 10;
const MORE = 50;
/** The machine may be busy. */
const WAIT = { timeout: 60_000, interval: 50 };

let account: CommandAccount;

beforeEach(async () => {
  account = await startCommandAccount({ recordSetsMax: APEX_SETS + STANDING });
  for (const name of ['example.org.', 'example.net.']) account.createZone(name);
  const delegations = [{ zones: ['*'], records: [{ pattern: '*' }] }];
  account.writeList('zones', [
    kubizoneObject('Zone', 'team', 'org', { domainName: 'example.org.', delegations }),
    kubizoneObject('Zone', 'team', 'net', { domainName: 'example.net.', delegations }),
  ]);
});

afterEach(() => account.end());

const record = (label: string, address: string, zone = 'org') =>
  kubizoneObject('Record', 'team', `${label}-${zone}`, {
    domainName: `${label}.example.${zone}.`,
    type: 'A',
    rdata: address,
  });

const records = (count: number, letter: string) =>
  Array.from({ length: count }, (_, index) => record(`${letter}${index}`, '192.0.2.1'));

/** The record sets of a hosted zone, except NS and SOA of its apex. */
const standing = (zone: string) =>
  (account.state.zones().find(({ name }) => name === zone)?.recordSets ?? [])
    .slice(APEX_SETS)
    .map(({ name, values }) => `${name.split('.')[0]} ${values}`);

const changeCalls = () => account.proxy.count('ChangeResourceRecordSets');

/**
 * Applies the folder. Returns the exit code, the calls that wrote, the Zones' messages, and the number of Records for
 * each reason.
 */
async function apply() {
  const before = changeCalls();
  const ran = await zone53(account.place, ['apply', '-f', 'dns', '--yes', '-o', 'json']);
  const applied = appliedOf(ran);
  const programmed = (object: { readonly conditions: readonly Condition[] }) =>
    object.conditions.find(({ type }) => type === 'Programmed');
  const counts = Map.groupBy(applied?.records ?? [], (one) => programmed(one)?.reason);
  return {
    code: ran.code,
    changes: changeCalls() - before,
    zones: Object.fromEntries((applied?.zones ?? []).map((one) => [one.name, programmed(one)?.reason])),
    records: Object.fromEntries([...counts].map(([reason, all]) => [reason, all.length])),
    said: (applied?.zones ?? [])
      .flatMap((one) => programmed(one)?.message ?? [])
      .filter((text) => /is full/.test(text)),
  };
}

const FULL =
  /^Hosted zone Z\w+ is full: .*Service Quotas.* Route 53: Exceeded limit on number of RRSets in this zone\.$/;

it('apply splits no batch, reports it on the Zone, still publishes elsewhere and what adds nothing, and recovers', async () => {
  account.writeList('team', records(STANDING, 'a'));
  expect(await apply()).toMatchObject({ code: 0, changes: 1, records: { Published: STANDING } });
  const rest = records(STANDING, 'a').slice(1);
  account.writeList('team', [
    record('a0', '192.0.2.9'),
    ...rest,
    ...records(MORE, 'n'),
    record('www', '192.0.2.1', 'net'),
  ]);
  const full = await apply();
  // The calls: one that is refused, one without the additions, and one for the other hosted zone.
  expect(full).toMatchObject({ code: 1, changes: 3, zones: { org: 'Rejected', net: 'Published' } });
  expect(full.records).toEqual({ Published: STANDING + 1, Pending: MORE });
  expect(full.said).toEqual([expect.stringMatching(FULL)]);
  expect(standing('example.net.')).toEqual(['www 192.0.2.1']);
  expect(standing('example.org.')).toContain('a0 192.0.2.9');
  // A person may have raised the quota since: each apply tries again, and searches for what fits.
  expect(await apply()).toMatchObject({ ...full, changes: expect.toSatisfy((calls: number) => calls > 0) });
  account.writeList('team', [...rest.slice(2), ...records(2, 'n'), record('www', '192.0.2.1', 'net')]);
  expect(await apply()).toMatchObject({ code: 0, zones: { org: 'Published' }, records: { Published: 10 } });
  expect(standing('example.org.').toSorted()).toEqual(
    [...[3, 4, 5, 6, 7, 8, 9].map((at) => `a${at} 192.0.2.1`), 'n0 192.0.2.1', 'n1 192.0.2.1'].toSorted(),
  );
}, 120_000);

it('local reports it once, whatever comes after it, and reports once that it is over', async () => {
  account.writeList('team', records(STANDING, 'a'));
  const local = startZone53(account.place, ['local', '-f', 'dns', '--route53', 'aws', '--state', 'state']);
  let said = '';
  local.child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const until = (isTrue: () => boolean) => vi.waitFor(() => expect(isTrue(), said).toBe(true), WAIT);
  const lines = (about: RegExp) => said.split('\n').filter((line) => about.test(line));
  try {
    await until(() => /Watching/.test(said) && standing('example.org.').length === STANDING);
    account.writeList('more', records(MORE, 'n'));
    await until(
      () =>
        lines(/^dns\/zones\.json:1: Zone team\/org: Programmed is False, Rejected: Hosted zone Z\w+ is full/).length >
        0,
    );
    const before = changeCalls();
    for (const [index, address] of ['192.0.2.7', '192.0.2.8'].entries()) {
      account.writeList('more', [...records(MORE + index, 'n'), record('www', address, 'net')]);
      await until(() => standing('example.net.').includes(`www ${address}`));
    }
    expect(changeCalls() - before).toBe(2);
    account.writeList('team', records(STANDING, 'a').slice(2));
    await until(() => !standing('example.org.').includes('a0 192.0.2.1'));
    account.writeList('more', records(1, 'n'));
    await until(() => standing('example.org.').includes('n0 192.0.2.1'));
    await until(() => lines(/^Zone team\/org: Programmed is True again/).length > 0);
    expect(lines(/: Zone team\/org: .* is full/)).toHaveLength(1);
    const waiting = lines(/^create n.*: failed /);
    expect(waiting).toHaveLength(new Set(waiting.map((line) => line.split(' ', 2)[1])).size);
    expect(lines(/(^|: )Record /)).toEqual([]);
  } finally {
    local.child.kill('SIGINT');
    await local.ended;
  }
}, 120_000);
