// Hosted zones of other accounts: an account that refuses us stops its own hosted zones and no others; what the
// configuration no longer lists stays in Route 53, and is forgotten.
import { expect, test } from 'vitest';
import { planCluster } from '../../test/fakes/plan-cluster.ts';
import {
  deliverAll,
  deliverHints,
  deliverReports,
  hintFor,
  type ReconcileWorld,
  reconcileWorld,
  sweepAll,
} from '../../test/fakes/reconcile-world.ts';
import { hostedZonesByAccount } from '../adapters/route53/hosted-zones-of-accounts.ts';
import { parseRef } from '../objects/object-ref.ts';
import type { Config } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import { type HostedZones, HostedZonesDeniedError } from '../ports/hosted-zones.ts';
import { isLeft } from '../record-sets/hosted-zone-item.ts';
import { readHostedZone } from '../record-sets/lease.ts';
import { accountInLedger } from '../record-sets/list-hosted-zones.ts';
import { recordSetsPartition } from '../record-sets/record-set-item.ts';
import { reconcile } from '../resolve/reconcile-hints.ts';

const EVERYTHING = [{ records: [{ pattern: '*' }], zones: ['*'] }];
const OBJECTS = {
  'Zone p/e': { domainName: 'e.', delegations: EVERYTHING },
  'Zone p/f': { domainName: 'f.', delegations: EVERYTHING },
  'Record p/www': { domainName: 'www.e.', type: 'A', rdata: '192.0.2.1' },
  'Record p/other': { domainName: 'www.f.', type: 'A', rdata: '192.0.2.1' },
};
const ROLE = 'arn:aws:iam::111122223333:role/dns';
const REFUSAL = `Cannot assume role ${ROLE}: AccessDenied: not authorized`;
const dns = { role: ROLE, externalId: null, intents: false };
const LISTED: Pick<Config, 'accounts' | 'hostedZones'> = {
  accounts: { dns },
  hostedZones: [
    { zone: 'e.', id: 'Z1' },
    { zone: 'f.', id: 'Z2', account: 'dns' },
  ],
};

type Options = { readonly config?: Partial<Config>; readonly objects?: Readonly<Record<string, object>> };

/** A world with Z1 in the own account, and Z2 in account dns, whose role STS gives while `refuses.now` is false. */
function worldOf({ config = {}, objects = OBJECTS }: Options = {}) {
  const hostedZones = [
    { id: 'Z1', name: 'e.' },
    { id: 'Z2', name: 'f.' },
  ];
  const world = reconcileWorld({ hostedZones, config: { ...LISTED, soa: 'never', ...config } });
  for (const [id, spec] of Object.entries(objects)) world.cluster.put(parseRef(id), spec);
  const refuses = { now: false };
  const calls: string[] = [];
  const warnings: string[] = [];
  const delays: number[] = [];
  const hint: Context['queues']['hint'] = async (hints, delaySeconds = 0) => {
    delays.push(delaySeconds);
    await world.context.queues.hint(hints);
  };
  // What is to be repeated later is not delivered.
  const publish: Context['queues']['publish'] = async (id, delaySeconds = 0) => {
    if (delaySeconds < 300) await world.context.queues.publish(id);
    else delays.push(delaySeconds);
  };
  const rebuilt = (now: Partial<Config>, base: ReconcileWorld = world): ReconcileWorld => {
    const context = { ...base.context, config: { ...base.context.config, ...now } };
    const { port } = world.route53;
    const knowing = { config: context.config, accountInLedger: accountInLedger(base.ledger) };
    const accounts = new Map(
      Object.keys(context.config.accounts).map((id) => [id, noting(refusing(port, refuses), id, calls)]),
    );
    const own = {
      ...noting(port, 'own', calls),
      list: async () => (await port.list()).filter(({ id }) => id !== 'Z2'),
    };
    const all = hostedZonesByAccount(own, accounts, knowing);
    return {
      ...base,
      context: {
        ...context,
        account: { hostedZones: all },
        queues: { ...base.context.queues, hint, publish },
        log: (level, message) => {
          if (level === 'warn') warnings.push(message);
        },
      },
      deps: {
        ...base.deps,
        queues: { ...base.deps.queues, publish },
        hostedZones: all,
        leaves: (item) => isLeft(context.config, item),
      },
    };
  };
  return { world: rebuilt({}), rebuilt, refuses, calls, warnings, delays };
}

/** The same port, which notes who is asked for which hosted zone. */
function noting(port: HostedZones, who: string, calls: string[]): HostedZones {
  const noted = <T>(id: string, answer: () => T): T => {
    calls.push(`${who} ${id}`);
    return answer();
  };
  return {
    ...port,
    get: (id) => noted(id, () => port.get(id)),
    create: async (name, reference) => {
      const created = await port.create(name, reference);
      return noted(created.id, () => created);
    },
    change: (id, ...asked) => noted(id, () => port.change(id, ...asked)),
    readName: (id, name) => noted(id, () => port.readName(id, name)),
    readPage: (id, from) => noted(id, () => port.readPage(id, from)),
  };
}

/** The same port while STS refuses the role. */
function refusing(port: HostedZones, refuses: { readonly now: boolean }): HostedZones {
  const orDeny = <T>(answer: () => Promise<T>): Promise<T> =>
    refuses.now ? Promise.reject(new HostedZonesDeniedError(REFUSAL)) : answer();
  return {
    ...port,
    get: async (id) => (refuses.now ? { unreadable: REFUSAL } : port.get(id)),
    change: async (...asked) => (refuses.now ? { kind: 'denied', message: REFUSAL } : port.change(...asked)),
    readName: (id, name) => orDeny(() => port.readName(id, name)),
    readPage: (id, from) => orDeny(() => port.readPage(id, from)),
  };
}

async function settle(world: ReconcileWorld, objects = Object.keys(OBJECTS)): Promise<void> {
  await reconcile(world.context, objects.map(parseRef).map(hintFor));
  await deliverAll(world);
}

function published({ route53 }: ReconcileWorld, id: string): readonly string[] {
  return route53.recordSets(id).flatMap(({ name, type }) => (['NS', 'SOA'].includes(type) ? [] : [`${name} ${type}`]));
}

function programmed({ cluster }: ReconcileWorld, id: string): string {
  const said = cluster.statuses.get(id)?.conditions.find(({ type }) => type === 'Programmed');
  return `${said?.status} ${said?.reason}: ${said?.message}`;
}

test('hosted zones of two accounts are published, each by calls of its account alone', async () => {
  const { world, calls } = worldOf();
  await settle(world);
  expect([published(world, 'Z1'), published(world, 'Z2')]).toEqual([['www.e. A'], ['www.f. A']]);
  expect([...new Set(calls)].toSorted()).toEqual(['dns Z2', 'own Z1']);
  expect((await readHostedZone(world.ledger, 'Z2'))?.item.account).toBe('dns');
  expect(programmed(world, 'Zone p/f')).toMatch(/^True Published/);
});

test('an account that refuses us from the beginning stops its own hosted zones, which say so, and no others', async () => {
  const { world, refuses } = worldOf();
  refuses.now = true;
  await settle(world);
  expect([published(world, 'Z1'), published(world, 'Z2')]).toEqual([['www.e. A'], []]);
  for (const id of ['Zone p/f', 'Record p/other'])
    expect(programmed(world, id)).toBe(
      `False AccountRefused: hosted zone Z2 is in account dns, which cannot be used: ${REFUSAL}. It is tried again every five minutes; "zone53 manifests-for-account dns" prints the role that it needs`,
    );
  expect(programmed(world, 'Zone p/e')).toMatch(/^True Published/);
  refuses.now = false;
  world.clock.ms += 300_000;
  await deliverHints(world);
  await deliverAll(world);
  expect(published(world, 'Z2')).toEqual(['www.f. A']);
  expect(programmed(world, 'Zone p/f')).toMatch(/^True Published/);
});

test('a change of a Record in an account that refused us is a reason to try again', async () => {
  const { world, refuses } = worldOf();
  refuses.now = true;
  await settle(world);
  refuses.now = false;
  world.cluster.put(parseRef('Record p/other'), { ...OBJECTS['Record p/other'], rdata: '192.0.2.2' });
  await settle(world, ['Record p/other']);
  expect(published(world, 'Z2')).toEqual(['www.f. A']);
  expect(programmed(world, 'Record p/other')).toMatch(/^True Published/);
});

test('a look that is refused again is followed by another after five minutes, and by one only', async () => {
  const { world, refuses, delays } = worldOf();
  refuses.now = true;
  const zones = ['Zone p/e', 'Zone p/f'].map(parseRef).map(hintFor);
  await reconcile(world.context, zones);
  for (let look = 0; look < 3; look += 1) {
    // Others look at the Zones meanwhile.
    await reconcile(world.context, zones);
    world.clock.ms += 300_000;
    await reconcile(world.context, world.queued.hints.splice(0));
  }
  expect(delays).toEqual([300, 300, 300, 300]);
});

test('an account that begins to refuse us stops changes, and its Zone quotes STS until a later run succeeds', async () => {
  const { world, refuses } = worldOf();
  await settle(world);
  refuses.now = true;
  for (const id of ['Record p/www', 'Record p/other'])
    world.cluster.put(parseRef(id), { ...OBJECTS[id as keyof typeof OBJECTS], rdata: '192.0.2.2' });
  await settle(world);
  expect(programmed(world, 'Zone p/f')).toContain('False AccountRefused: hosted zone Z2 is in account dns');
  expect(programmed(world, 'Zone p/f')).toContain(REFUSAL);
  expect(programmed(world, 'Record p/other')).toMatch(/^False Pending: .*Cannot assume role/);
  expect(programmed(world, 'Record p/www')).toMatch(/^True Published/);
  refuses.now = false;
  world.queued.publish.add('Z2');
  await deliverAll(world);
  expect(programmed(world, 'Zone p/f')).toMatch(/^True Published/);
});

test('a sweep finds an account that begins to refuse us, says so on its Zone, and compares all others', async () => {
  const { world, refuses, calls } = worldOf();
  await settle(world);
  refuses.now = true;
  calls.splice(0);
  await sweepAll(world).catch(() => {});
  await deliverReports(world);
  expect(calls).toContain('own Z1');
  expect(programmed(world, 'Zone p/f')).toContain(`account dns, which cannot be used: ${REFUSAL}.`);
  expect(programmed(world, 'Zone p/e')).toMatch(/^True Published/);
  expect(programmed(world, 'Record p/other')).toMatch(/^True Published/);
  refuses.now = false;
  await sweepAll(world);
  await deliverReports(world);
  expect(programmed(world, 'Zone p/f')).toMatch(/^True Published/);
});

test('a plan shows an account that refuses us on its Zones, and plans all others', async () => {
  const { world, refuses } = worldOf();
  refuses.now = true;
  const { hostedZones, resolved } = await planCluster(world.context);
  expect(hostedZones.map(({ hostedZone }) => hostedZone.id)).toEqual(['Z1']);
  expect(resolved.zones.get('p/f')?.placed?.target).toMatchObject({
    kind: 'none',
    reason: expect.stringContaining(REFUSAL),
  });
});

test('what is published in a hosted zone that the configuration no longer lists stays, and is forgotten', async () => {
  const { world, rebuilt, calls, warnings } = worldOf();
  await settle(world);
  const without = rebuilt({ hostedZones: [{ zone: 'e.', id: 'Z1' }] });
  calls.splice(0);
  const planned = await planCluster(without.context);
  expect(planned.hostedZones.map(({ hostedZone }) => hostedZone.id)).toEqual(['Z1']);
  // Something was dirty there: no run changes it any more.
  without.cluster.put(parseRef('Record p/other'), null);
  await settle(without);
  expect(published(world, 'Z2')).toEqual(['www.f. A']);
  expect(calls.filter((call) => call.endsWith('Z2'))).toEqual([]);
  expect(await readHostedZone(world.ledger, 'Z2')).toBeNull();
  expect((await world.ledger.query(recordSetsPartition('Z2'))).items).toEqual([]);
  expect(warnings).toContain(
    'hosted zone Z2 (f.) of account dns is no longer in hostedZones of the configuration: what is published there stays, and zone53 forgets it',
  );
});

test('a run that is asked for before it is forgotten changes nothing there', async () => {
  const { world, rebuilt, calls } = worldOf();
  await settle(world);
  world.cluster.put(parseRef('Record p/other'), null);
  await reconcile(world.context, [hintFor(parseRef('Record p/other'))]);
  calls.splice(0);
  await deliverAll(rebuilt({ hostedZones: [{ zone: 'e.', id: 'Z1' }] }));
  expect(calls).toEqual([]);
  expect(published(world, 'Z2')).toEqual(['www.f. A']);
});

test('a hosted zone that is listed with another account is used by that one, with what is published there', async () => {
  const { world, rebuilt, calls } = worldOf();
  await settle(world);
  const now = rebuilt({
    accounts: { dns, shop: { ...dns, role: `${ROLE}-2` } },
    hostedZones: [
      { zone: 'e.', id: 'Z1' },
      { zone: 'f.', id: 'Z2', account: 'shop' },
    ],
  });
  calls.splice(0);
  now.cluster.put(parseRef('Record p/other'), { ...OBJECTS['Record p/other'], rdata: '192.0.2.2' });
  await settle(now);
  expect([...new Set(calls)]).toEqual(['shop Z2']);
  expect(published(now, 'Z2')).toEqual(['www.f. A']);
  expect((await readHostedZone(now.ledger, 'Z2'))?.item.account).toBe('shop');
});

test('a hosted zone is created in the account of the nearest hosted zone above, and stays in use there', async () => {
  const objects = {
    ...OBJECTS,
    'Zone p/sub': { domainName: 'sub.f.', delegations: EVERYTHING },
    'Zone p/low': { domainName: 'low.sub.f.', delegations: EVERYTHING },
    'Zone p/here': { domainName: 'here.e.', delegations: EVERYTHING },
  };
  const { world, rebuilt, calls } = worldOf({ objects, config: { createHostedZones: 'all' } });
  await settle(world, Object.keys(objects));
  const hostings = new Map((await world.route53.port.list()).map(({ id, name }) => [name, id]));
  for (const [name, account] of [
    ['sub.f.', 'dns'],
    ['low.sub.f.', 'dns'],
    ['here.e.', 'own'],
  ] as const) {
    const id = hostings.get(name) ?? '';
    const asked = calls.filter((call) => call.endsWith(` ${id}`));
    expect(new Set(asked)).toEqual(new Set([`${account} ${id}`]));
    expect((await readHostedZone(world.ledger, id))?.item.account ?? 'own').toBe(account);
  }
  calls.splice(0);
  // Another process knows of them by the ledger.
  const later = rebuilt({});
  later.cluster.put(parseRef('Record p/low'), { domainName: 'a.low.sub.f.', type: 'A', rdata: '192.0.2.1' });
  await settle(later, ['Record p/low']);
  expect(new Set(calls)).toEqual(new Set([`dns ${hostings.get('low.sub.f.')}`]));
});
