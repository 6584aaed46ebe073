// Refused record sets cost almost no Route 53 calls: `zone53 apply` as a process, with our strict Route 53 behind a
// proxy that counts the calls (issue 7, part C).
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LocalRecordSet } from '../../local/route53/records/record-set.ts';
import { type CommandAccount, kubizoneObject, startCommandAccount } from '../support/command-account.ts';
import { appliedOf, zone53 } from '../support/zone53-command.ts';

const MANY = 1_000;
const BATCH = 500;
/** The number of pages of 300 record sets, and some more. */
const LISTS_MAX = 10;

let account: CommandAccount;

beforeEach(async () => {
  account = await startCommandAccount();
  account.createZone('example.org.');
  const delegations = [{ zones: ['*'], records: [{ pattern: '*' }] }];
  account.writeList('zone', [kubizoneObject('Zone', 'platform', 'root', { domainName: 'example.org.', delegations })]);
});

afterEach(() => account.end());

/** A Record, in namespace `team` unless another is given. Its name in DNS begins with its own name. */
function record(name: string, spec: object, namespace = 'team') {
  return kubizoneObject('Record', namespace, name, { domainName: `${name}.example.org.`, ...spec });
}

/**
 * Applies the folder. Returns the number of calls of each operation, and the reasons of the Records in `team` and
 * `good`.
 */
async function apply() {
  const operations = ['ChangeResourceRecordSets', 'ListResourceRecordSets'];
  const before = operations.map((one) => account.proxy.count(one));
  const ran = await zone53(account.place, ['apply', '-f', 'dns', '--yes', '-o', 'json']);
  const [changes = 0, lists = 0] = operations.map((one, index) => account.proxy.count(one) - (before[index] ?? 0));
  const reasons = (appliedOf(ran)?.records ?? []).map(({ namespace, conditions }) => {
    const told = conditions.filter(({ type }) => type === 'Accepted' || type === 'Programmed');
    return `${namespace}: ${told.map(({ reason }) => reason).join(' ')}`;
  });
  return {
    code: ran.code,
    changes,
    lists,
    told: Object.fromEntries(
      Map.groupBy(reasons, (one) => one)
        .entries()
        .map(([reason, all]) => [reason, all.length]),
    ),
  };
}

const good = (address: string) => account.writeList('good', [record('zz', { type: 'A', rdata: address }, 'good')]);
const many = (spec: (index: number) => object) =>
  Array.from({ length: MANY }, (_, index) => record(`r${index}`, spec(index)));

/** The expected reasons: Records that only Route 53 refuses, and the one good Record. */
const refused = (count: number, reason: string) => ({
  'good: Adopted Published': 1,
  [`team: Adopted ${reason}`]: count,
});

it('1,000 TXT Records of 5,000 characters cost no call, however often they are edited', async () => {
  for (let round = 0; round < 2; round += 1) {
    account.writeList(
      'team',
      many(() => ({ type: 'TXT', rdata: String(round).repeat(5_000) })),
    );
    good(`192.0.2.${round}`);
    const { lists, ...rest } = await apply();
    expect(rest).toEqual({ code: 1, changes: 1, told: { 'good: Adopted Published': 1, 'team: InvalidSpec': MANY } });
    expect(lists).toBeLessThanOrEqual(LISTS_MAX);
  }
}, 120_000);

it('150 values of 242 characters cost no call, whether they are of one Record or of 150', async () => {
  const values = Array.from({ length: 150 }, (_, index) => `"${String(index).padEnd(240, 'x')}"`);
  const ofMany = values.map((rdata, index) =>
    kubizoneObject('Record', 'team', `m${index}`, { domainName: 'many.example.org.', type: 'TXT', rdata }),
  );
  account.writeList('team', [record('one', { type: 'TXT', values }), ...ofMany]);
  good('192.0.2.1');
  expect(await apply()).toMatchObject({ code: 1, changes: 1, told: refused(151, 'Rejected') });
}, 60_000);

it('1,000 foreign names cost one read of each page and no change, however often they are edited', async () => {
  standForeign();
  for (let round = 0; round < 2; round += 1) {
    account.writeList(
      'team',
      many((index) => ({ type: 'A', rdata: `198.51.${round}.${index % 250}` })),
    );
    good(`192.0.2.${round}`);
    expect(await apply()).toMatchObject({ code: 1, changes: 1, told: refused(MANY, 'ForeignRecord') });
    const again = await apply();
    expect(again).toMatchObject({ code: 1, changes: 0, told: refused(MANY, 'ForeignRecord') });
    expect(again.lists).toBeLessThanOrEqual(LISTS_MAX);
  }
}, 240_000);

it('1,000 names with a foreign neighbour cost one refused call, and one read of each page in the next apply', async () => {
  standForeign({ type: 'CNAME', values: ['theirs.example.net.'] });
  account.writeList(
    'team',
    many(() => ({ type: 'A', rdata: '198.51.100.1' })),
  );
  good('192.0.2.1');
  expect(await apply()).toMatchObject({ code: 1, changes: 2, told: refused(MANY, 'ForeignRecord') });
  const again = await apply();
  expect(again).toMatchObject({ code: 1, changes: 0, told: refused(MANY, 'ForeignRecord') });
  expect(again.lists).toBeLessThanOrEqual(LISTS_MAX);
}, 240_000);

it('1,000 aliases with missing targets cost one refused call in each apply, though Route 53 names none of them', async () => {
  account.writeList(
    'team',
    many((index) => ({ type: 'A', alias: { target: `gone${index}.example.org.` } })),
  );
  good('192.0.2.1');
  expect(await apply()).toMatchObject({ code: 1, changes: 2, told: refused(MANY, 'Rejected') });
  expect(await apply()).toMatchObject({ code: 1, changes: 1, told: refused(MANY, 'Rejected') });
}, 240_000);

/** Creates a foreign record set at each of the names. */
function standForeign(as: Pick<LocalRecordSet, 'type' | 'values'> = { type: 'A', values: ['203.0.113.1'] }): void {
  const [zone] = account.state.zones();
  const at = { setIdentifier: null, ttl: 60, alias: null, routing: null, ...as };
  for (let from = 0; from < MANY; from += BATCH) {
    const changes = Array.from({ length: BATCH }, (_, index) => {
      return { action: 'CREATE' as const, recordSet: { name: `r${from + index}.example.org.`, ...at } };
    });
    account.state.changeResourceRecordSets(zone?.id ?? '', null, changes);
  }
}
