// Takeovers of DNSRecords that end before or while they write: what a stranger wrote stays once `takeover` is off, and
// what zone53 wrote is deleted with its DNSRecord.
import { expect, it } from 'vitest';
import { A, lastOf, RECONCILE, type SeedWorld, seedWorld } from '../../test/fakes/seed-world.ts';
import type { ObjectRef } from '../objects/object-ref.ts';
import { agreedIn } from '../publish/plan/agreed.ts';
import type { DnsRecordDeps } from './deps.ts';
import { planDnsRecords } from './rehearse/plan-dns-records.ts';

const KEY = { name: 'api.example.org.', type: 'A', setIdentifier: null };
const THEIRS = { kind: 'values', ttlSeconds: 60, values: ['203.0.113.9'] } as const;

const contentOf = ({ account }: SeedWorld) =>
  account.recordSets('Z1').find(({ name, type }) => name === KEY.name && type === 'A')?.content ?? null;

/** The same process with other settings, or over another account. */
function withSettings(world: SeedWorld, takeover: boolean, change?: SeedWorld['account']['port']['change']) {
  const { deps, account } = world;
  const hostedZones = { ...account.port, ...(change && { change }) };
  const server = { ...deps.server, settings: { ...deps.server.settings, takeover } };
  return { ...deps, server, accounts: { open: () => ({ id: 'sha', hostedZones }) } } satisfies DnsRecordDeps;
}

const dies = async () => {
  throw new Error('crash');
};

/** A record set of a stranger, and a DNSRecord whose run died as it called Route 53 to replace it. */
async function diedBeforeWrite(): Promise<{ world: SeedWorld; ref: ObjectRef }> {
  const world = seedWorld({ settings: { takeover: true } });
  world.account.edit('Z1', KEY, THEIRS);
  const ref = world.create('api', A);
  await expect(world.serve([ref], withSettings(world, true, dies))).rejects.toThrow('crash');
  world.clock.ms += 600_000;
  return { world, ref };
}

it('if a run died before it wrote, and takeover is switched off, the record set of the stranger stays', async () => {
  const { world, ref } = await diedBeforeWrite();
  await world.serve([ref], withSettings(world, false));
  expect(contentOf(world)).toEqual(THEIRS);
  expect(lastOf(world, ref)).toBe('Error ERR_CONFIGURATION_PROBLEM');
});

it('the same if the DNSRecord is deleted', async () => {
  const { world, ref } = await diedBeforeWrite();
  world.remove(ref);
  await world.serve([ref], withSettings(world, false));
  expect(contentOf(world)).toEqual(THEIRS);
  expect(world.read(ref)).toBeNull();
});

it('if takeover is still on, the deletion removes it whatever it says', async () => {
  const { world, ref } = await diedBeforeWrite();
  world.remove(ref);
  await world.serve([ref]);
  expect(contentOf(world)).toBeNull();
  expect(world.read(ref)).toBeNull();
});

it('if Route 53 refused to replace it, the deletion removes it whatever it says', async () => {
  const world = seedWorld({ settings: { takeover: true } });
  const ref = world.create('api', A);
  await world.serve([ref]);
  world.account.edit('Z1', KEY, THEIRS);
  world.edit(ref, { values: ['192.0.2.2'] }, RECONCILE);
  const refuses = async () => ({ kind: 'refused', messages: ['RRSet with DNS name api.example.org. is bad'] }) as const;
  await world.serve([ref], withSettings(world, true, refuses));
  world.clock.ms += 600_000;
  world.remove(ref);
  await world.serve([ref]);
  expect(contentOf(world)).toBeNull();
  expect(world.read(ref)).toBeNull();
});

it('if a deletion died before it removed the record set of a stranger, it stays once takeover is off', async () => {
  const world = seedWorld({ settings: { takeover: true } });
  const ref = world.create('api', A);
  await world.serve([ref]);
  world.account.edit('Z1', KEY, THEIRS);
  world.remove(ref);
  await expect(world.serve([ref], withSettings(world, true, dies))).rejects.toThrow('crash');
  world.clock.ms += 600_000;
  await world.serve([ref], withSettings(world, false));
  expect(contentOf(world)).toEqual(THEIRS);
  expect(world.read(ref)).toBeNull();
});

it.each([true, false])(
  'a write that took over unseen is deleted with its DNSRecord (takeover then: %s)',
  async (later) => {
    const world = seedWorld({ settings: { takeover: true } });
    world.account.edit('Z1', KEY, THEIRS);
    const ref = world.create('api', A);
    const { port } = world.account;
    const sent: Parameters<typeof port.change>[] = [];
    const unanswered: typeof port.change = async (...asked) => {
      sent.push(asked);
      return { kind: 'unknown', message: 'no answer' };
    };
    await world.serve([ref], withSettings(world, true, unanswered));
    for (const asked of sent) await port.change(...asked);
    expect(contentOf(world)).toMatchObject({ values: ['192.0.2.1'] });
    world.clock.ms += 600_000;
    world.remove(ref);
    await world.serve([ref], withSettings(world, later));
    expect(contentOf(world)).toBeNull();
    expect(world.read(ref)).toBeNull();
  },
);

it('after takeover is switched off, a check leaves what somebody changed since, and says so', async () => {
  const world = seedWorld({ settings: { takeover: true } });
  const [ref, beside] = [world.create('api', A), world.create('text', { ...A, recordType: 'TXT', values: ['a'] })];
  await world.serve([ref, beside]);
  world.account.edit('Z1', KEY, THEIRS);
  world.clock.ms += 600_000;
  await world.serve([beside], withSettings(world, false), { checks: true });
  await world.serve([ref, beside], withSettings(world, false), { checks: true });
  expect(contentOf(world)).toEqual(THEIRS);
  expect(lastOf(world, ref)).toBe('Error ERR_CONFIGURATION_PROBLEM');
});

it('after takeover is switched off, a reconcile of another DNSRecord of the name leaves it, too', async () => {
  const world = seedWorld({ settings: { takeover: true } });
  const [ref, beside] = [world.create('api', A), world.create('text', { ...A, recordType: 'TXT', values: ['a'] })];
  await world.serve([ref, beside]);
  world.account.edit('Z1', KEY, THEIRS);
  world.edit(beside, { values: ['b'] }, RECONCILE);
  await world.serve([beside], withSettings(world, false));
  expect(lastOf(world, beside)).toBe('Succeeded');
  expect(contentOf(world)).toEqual(THEIRS);
});

it('the same where the name is read again, because the last try of the other DNSRecord was refused', async () => {
  const world = seedWorld({ settings: { takeover: true } });
  const [ref, beside] = [world.create('api', A), world.create('text', { ...A, recordType: 'TXT', values: ['a'] })];
  await world.serve([ref, beside]);
  world.account.edit('Z1', KEY, THEIRS);
  world.edit(beside, { values: ['b'] }, RECONCILE);
  const refuses = async () => ({ kind: 'refused', messages: ['RRSet with DNS name api.example.org. is bad'] }) as const;
  await world.serve([beside], withSettings(world, false, refuses));
  world.clock.ms += 600_000;
  await world.serve([beside], withSettings(world, false));
  expect(lastOf(world, beside)).toBe('Succeeded');
  expect(contentOf(world)).toEqual(THEIRS);
});

it('a deletion with takeover does not wait for a CNAME of the name that Route 53 refuses', async () => {
  const world = seedWorld({ settings: { takeover: true } });
  const text = world.create('text', { ...A, recordType: 'TXT', values: ['a'] });
  await world.serve([text], withSettings(world, true));
  world.account.edit('Z1', { ...KEY, type: 'TXT' }, { ...THEIRS, values: ['"b"'] });
  const cname = world.create('cname', { ...A, recordType: 'CNAME', values: ['c.example.net'] });
  const { port } = world.account;
  const refuses: typeof port.change = async (id, changes, ...rest) =>
    changes.some(({ action }) => action === 'CREATE')
      ? { kind: 'refused', messages: ['RRSet of type CNAME with DNS name api.example.org. is not permitted'] }
      : port.change(id, changes, ...rest);
  world.remove(text);
  await world.serve([text, cname], withSettings(world, true, refuses));
  expect(world.read(text)).toBeNull();
  expect(world.account.recordSets('Z1').map(({ type }) => type)).not.toContain('TXT');
});

it('nothing is replaced that a reviewed plan did not show', async () => {
  const world = seedWorld({ settings: { takeover: true } });
  const ref = world.create('api', A);
  const deps = withSettings(world, true);
  const review = async () => {
    const [planned] = await planDnsRecords(deps, { reads: true, checks: false });
    return planned?.changes ?? [];
  };
  const before = await review();
  expect(before.map(({ action }) => action)).toEqual(['create']);
  world.account.edit('Z1', KEY, THEIRS);
  await world.serve([ref], { ...deps, agreed: () => agreedIn(before, []) });
  expect(contentOf(world)).toEqual(THEIRS);
  expect(lastOf(world, ref)).toContain('Error');
  const shown = await review();
  expect(shown.map((change) => [change.action, change.before])).toEqual([['update', THEIRS]]);
  world.clock.ms += 600_000;
  await world.serve([ref], { ...deps, agreed: () => agreedIn(shown, []) });
  expect(contentOf(world)).toMatchObject({ values: ['192.0.2.1'] });
});
