// `zone53 apply` as a process, against accounts that take 1, 50 and 500 record changes at once: of 3,000 new names all
// are published, in the calls that the limits allow; and what is tied goes through, too, though one by one.
import { expect, it } from 'vitest';
import { type CommandAccount, kubizoneObject, startCommandAccount } from '../support/command-account.ts';
import { appliedOf, zone53 } from '../support/zone53-command.ts';

const NAMES = 3_000;

function wantNames(account: CommandAccount, count: number): void {
  const delegations = [{ records: [{ pattern: '*' }] }];
  account.writeList('dns', [
    kubizoneObject('Zone', 'p', 'root', { domainName: 'example.org.', delegations }),
    ...Array.from({ length: count }, (_, index) =>
      kubizoneObject('Record', 'p', `r${index}`, {
        domainName: `r${index}.example.org.`,
        type: 'A',
        rdata: '192.0.2.1',
      }),
    ),
  ]);
}

it.each([
  { size: 500, perSecond: 500, names: NAMES },
  { size: 50, perSecond: 200, names: NAMES },
  // The requests of an account, ten a second, are what a bucket of a single change takes longest: 100 names do.
  { size: 1, perSecond: 100, names: 100 },
])(
  '$names names through a bucket of $size that refills at $perSecond a second',
  async ({ size, perSecond, names }) => {
    const limits = { requests: { perSecond: 10, size: 50 }, changes: { perSecond, size } };
    const account = await startCommandAccount({ limits });
    try {
      account.createZone('example.org.');
      wantNames(account, names);
      const ran = await zone53(account.place, ['apply', '-f', 'dns', '--yes', '-o', 'json']);
      expect(ran.code).toBe(0);
      expect(
        appliedOf(ran)?.records.every(({ conditions }) => conditions.some(({ reason }) => reason === 'Published')),
      ).toBe(true);
      const calls = account.proxy.count('ChangeResourceRecordSets');
      expect(appliedOf(ran)?.hostedZones).toMatchObject([{ calls: { sent: calls, throttled: expect.any(Number) } }]);
      expect(calls).toBeLessThanOrEqual((2 * names) / Math.min(size, perSecond) + 10);
      const [zone] = account.state.zones();
      expect([...(zone?.recordSets.values() ?? [])].filter(({ type }) => type === 'A')).toHaveLength(names);
    } finally {
      await account.end();
    }
  },
  300_000,
);

const record = (name: string, domainName: string, type: string, rdata: string) =>
  kubizoneObject('Record', 'p', name, { domainName: `${domainName}.example.org.`, type, rdata });

it.each([1, 2])(
  'changes that are tied through a bucket of %i, which refills at one a second',
  async (size) => {
    const limits = { requests: { perSecond: 10, size: 50 }, changes: { perSecond: 1, size } };
    const account = await startCommandAccount({ limits });
    const apply = async (...records: readonly ReturnType<typeof record>[]) => {
      const delegations = [{ records: [{ pattern: '*' }] }];
      account.writeList('dns', [
        kubizoneObject('Zone', 'p', 'root', { domainName: 'example.org.', delegations }),
        ...records,
      ]);
      const ran = await zone53(account.place, ['apply', '-f', 'dns', '--yes', '-o', 'json']);
      expect(ran.code).toBe(0);
    };
    const standing = () => {
      const sets = account.state.zones().flatMap((zone) => [...zone.recordSets.values()]);
      return sets.flatMap(({ name, type }) => (name === 'example.org.' ? [] : [`${name} ${type}`])).toSorted();
    };
    try {
      account.createZone('example.org.');
      const others = [1, 2, 3].map((index) => record(`e${index}`, `e${index}`, 'A', '192.0.2.3'));
      await apply(
        ...others,
        record('a', 'to', 'CNAME', 'there.example.net.'),
        record('b', 'from', 'A', '192.0.2.1'),
        record('c', 'from', 'AAAA', '2001:db8::1'),
        record('d', 'same', 'A', '192.0.2.1'),
      );
      await apply(
        ...others,
        record('a', 'to', 'A', '192.0.2.1'),
        record('b', 'from', 'CNAME', 'there.example.net.'),
        record('c', 'to', 'AAAA', '2001:db8::1'),
        record('d', 'same', 'A', '192.0.2.2'),
      );
      expect(standing()).toEqual([
        ...others.map(({ metadata: { name } }) => `${name}.example.org. A`),
        'from.example.org. CNAME',
        'same.example.org. A',
        'to.example.org. A',
        'to.example.org. AAAA',
      ]);
    } finally {
      await account.end();
    }
  },
  300_000,
);
