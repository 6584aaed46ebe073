// The actors in a simulated seed: gardenlet, somebody who edits by hand, a stranger in the accounts, and a Zone that
// publishes to the same hosted zone.

import type { RecordSet } from '../../../lib/dns/record-set.ts';
import type { JsonObject } from '../../../lib/ports/ledger.ts';
import { NO_QUEUES } from '../../../lib/ports/queues.ts';
import { DEFAULT_PUBLISH_CONFIG, publish } from '../../../lib/publish/run/publish-hosted-zone.ts';
import { touchDesired } from '../../../lib/record-sets/desired-name.ts';
import { newHostedZoneItem } from '../../../lib/record-sets/hosted-zone-item.ts';
import { changeHostedZone } from '../../../lib/record-sets/lease.ts';
import type { DnsRecord } from '../../../lib/sources/gardener/dns-record.ts';
import { parseDnsRecord } from '../../../lib/sources/gardener/spec.ts';
import { standingKey } from '../record-set-texts.ts';
import { othersWrote, seeksAnew, wroteItem } from './shadow.ts';
import {
  ACCOUNTS,
  type AccountName,
  APEX,
  HOSTED_ZONES,
  type Mood,
  NAMESPACE,
  type SeedWorld,
  saw,
  tell,
} from './world.ts';

const OBJECTS = ['d1', 'd2', 'd3', 'd4'];
const NAMES = ['api.example.org', 'www.example.org', 'x.sub.example.org'];
const OPERATION = 'gardener.cloud/operation';
const IP_STACK = 'dns.gardener.cloud/ip-stack';
const BALANCER = 'lb.elb.eu-west-1.amazonaws.com';
const STRANGER_VALUE = '198.51.100.9';

/** Secrets as they are at the beginning, and rotated. */
export function writeSecrets(world: SeedWorld): void {
  for (const account of ACCOUNTS) writeSecret(world, account, 'GOOD');
}

function writeSecret({ api, shadow, time }: SeedWorld, account: AccountName, key: string): void {
  if (shadow.closedUntilMs.has(account))
    shadow.closedUntilMs.set(account, Math.min(shadow.closedUntilMs.get(account) ?? 0, time.ms));
  const data = { accessKeyID: `AKIA${key}${account.toUpperCase()}`, secretAccessKey: 'never-told' };
  api.secrets.set(`${NAMESPACE}/creds-${account}`, data);
}

function valuesOf(world: SeedWorld, recordType: string): readonly string[] {
  const { random } = world;
  if (recordType === 'CNAME') return [random.pick([BALANCER, BALANCER, 'c.example.net'])];
  if (recordType === 'TXT') return [random.pick(['one', 'two'])];
  return [random.pick(['192.0.2.1', '192.0.2.2'])];
}

/** Which account, and which of its hosted zones, if any is named. */
function placeOf({ random }: SeedWorld): JsonObject {
  const account = random.chance(0.75) ? 'a' : 'b';
  const zone = random.chance(0.6) ? null : random.pick(HOSTED_ZONES[account]).id;
  return { secretRef: { name: `creds-${account}` }, zone };
}

/** A client of the seed writes or deletes a DNSRecord. A hint is sent, unless the event is lost. */
export function clientActs(world: SeedWorld): void {
  const { random, api, time } = world;
  const name = random.pick(OBJECTS);
  const record = api.read(name);
  if (record === null) create(world, name);
  else if (record.deletionTimestamp === null) change(world, record);
  tell(world, () => `client: ${name} ${JSON.stringify(api.read(name))}`);
  if (random.chance(0.9)) {
    const hint = { kind: 'DNSRecord', namespace: NAMESPACE, name };
    world.queues.send({ kind: 'hint', hint }, time.ms + random.pick([0, 0, 5_000]), null);
  }
}

function create(world: SeedWorld, name: string): void {
  const { random, api, shadow } = world;
  shadow.migrated.delete(name);
  seeksAnew(world, name);
  const recordType = random.pick(['A', 'A', 'CNAME', 'TXT']);
  const operation = random.pick(['reconcile', 'reconcile', 'reconcile', 'restore', 'wait-for-state', null]);
  const { zone, ...place } = placeOf(world);
  const spec = {
    ...{ type: 'aws-route53', name: random.pick(NAMES), recordType, values: valuesOf(world, recordType), ...place },
    ...(zone === null ? {} : { zone: zone as string }),
  };
  api.create(NAMESPACE, name, spec, {
    ...(operation === null ? {} : { [OPERATION]: operation }),
    ...(random.chance(0.3) ? { [IP_STACK]: random.pick(['ipv6', 'dual-stack']) } : {}),
  });
}

function change(world: SeedWorld, record: DnsRecord): void {
  const { random, api, shadow } = world;
  const { name } = record.ref;
  const edit = editOf(world, record);
  if (edit !== null) {
    api.edit(name, edit.spec, edit.annotations);
    return;
  }
  if (random.chance(0.05)) {
    shadow.forced.add(name);
    api.force(name);
  }
  api.remove(name);
}

type Edit = { readonly spec: JsonObject | null; readonly annotations: Readonly<Record<string, string>> };

/** What a client writes into an object; null: it is deleted. */
function editOf(world: SeedWorld, { spec, annotations }: DnsRecord): Edit | null {
  const { random } = world;
  const { recordType } = spec as { readonly recordType: string };
  const dice = random.next();
  const reconcile = { [OPERATION]: 'reconcile' };
  const values = { values: valuesOf(world, recordType), ttl: random.pick([60, 120]) };
  if (annotations[OPERATION] === 'wait-for-state') return { spec: null, annotations: { [OPERATION]: 'restore' } };
  if (dice < 0.3) return { spec: values, annotations: reconcile };
  if (dice < 0.4) return { spec: null, annotations: reconcile };
  if (dice < 0.5) return { spec: values, annotations: {} };
  if (dice < 0.6) return { spec: { ...placeOf(world), ...values }, annotations: reconcile };
  const stack = { [IP_STACK]: random.pick(['ipv4', 'ipv6', 'dual-stack']) };
  if (dice < 0.7) return { spec: null, annotations: { ...stack, ...reconcile } };
  if (dice < 0.76) return { spec: null, annotations: { [OPERATION]: 'migrate' } };
  return dice < 0.8 ? { spec: null, annotations: { [OPERATION]: 'restore' } } : null;
}

/** A Secret is rotated, goes, or comes back. */
export function secretMoves(world: SeedWorld): void {
  const { random, api, shadow } = world;
  const account = random.pick(ACCOUNTS);
  const goes = random.chance(0.4);
  if (goes) shadow.closedUntilMs.set(account, Number.POSITIVE_INFINITY);
  if (goes) api.secrets.delete(`${NAMESPACE}/creds-${account}`);
  else writeSecret(world, account, random.pick(['GOOD', 'ROTATED']));
}

export function moodMoves({ random, moods }: SeedWorld): void {
  moods[random.pick(ACCOUNTS)] = random.pick<Mood>(['fine', 'fine', 'throttled', 'denied', 'silent']);
}

/**
 * A stranger writes or deletes a record set at a name that a DNSRecord has or may get; sometimes exactly what it wants.
 */
export function strangerActs(world: SeedWorld): void {
  const { random, api, accounts } = world;
  const account = random.pick(ACCOUNTS);
  const { id, name: apex } = random.pick(HOSTED_ZONES[account]);
  const names = NAMES.map((name) => `${name}.`).filter((name) => name.endsWith(`.${apex}`));
  const key = { name: random.pick(names), type: random.pick(['A', 'A', 'AAAA', 'TXT']), setIdentifier: null };
  const wanted = api.all().flatMap((record) => {
    const parsed = parseDnsRecord(record);
    return parsed.ok ? parsed.spec.recordSets.filter(({ name }) => names.includes(name)) : [];
  });
  const value = key.type === 'TXT' ? '"stranger"' : key.type === 'A' ? STRANGER_VALUE : '2001:db8::9';
  const own: RecordSet = { ...key, content: { kind: 'values', ttlSeconds: 60, values: [value] } };
  const set = wanted.length > 0 && random.chance(0.3) ? random.pick(wanted) : own;
  // A CNAME cannot exist with other types at its name, whoever writes them.
  const beside = accounts[account].recordSets(id).filter((one) => one.name === set.name && one.type !== set.type);
  if (set.type === 'CNAME' ? beside.length > 0 : beside.some(({ type }) => type === 'CNAME')) return;
  const content = random.chance(0.3) ? null : set.content;
  accounts[account].edit(id, set, content);
  othersWrote(world, id, set, content, 'stranger');
  saw(world, 'a stranger wrote beside DNSRecords');
  tell(world, () => `stranger: ${standingKey(id, set)} ${JSON.stringify(content)}`);
}

/** A Zone with takeover asks for a name of the same hosted zone, or gives it up, and publishes at once. */
export async function zoneActs(world: SeedWorld): Promise<void> {
  const { random, ledger, time, accounts } = world;
  const name = `${random.pick(NAMES.slice(0, 2))}.`;
  const item = newHostedZoneItem({ id: 'Z1', name: APEX, zone: 'team/zone', nameServers: [], cluster: 'other' });
  await changeHostedZone(ledger, 'Z1', (known) => known ?? item);
  const content = { kind: 'values' as const, ttlSeconds: 300, values: ['203.0.113.9'] };
  const set = {
    name,
    type: 'A',
    setIdentifier: null,
    content,
    objects: ['Record team/api'],
    zone: 'team/zone',
    takeover: true,
  };
  const recordSets = random.chance(0.7) ? [set] : [];
  await touchDesired(ledger, { hostedZoneId: 'Z1', apex: APEX, name, recordSets, heir: null }, time.ms);
  const hostedZones: typeof accounts.a.port = {
    ...accounts.a.port,
    change: async (id, changes, ...rest) => {
      const outcome = await accounts.a.port.change(id, changes, ...rest);
      if (outcome.kind !== 'accepted') return outcome;
      for (const { action, recordSet } of changes)
        if (
          action !== 'DELETE' ||
          !changes.some((one) => one.action === 'CREATE' && one.recordSet.name === recordSet.name)
        )
          othersWrote(world, id, recordSet, action === 'DELETE' ? null : recordSet.content, 'zone');
      return outcome;
    },
  };
  await publish(
    {
      ...{ ledger: shown(world), hostedZones },
      clock: {
        nowMs: () => time.ms,
        sleep: async (ms) => {
          time.ms += ms;
        },
      },
      queues: NO_QUEUES,
      config: { ...DEFAULT_PUBLISH_CONFIG, guard: { deletesMax: 1_000, deletesShareMax: 1, isOff: true } },
      newHolder: () => 'zone',
      log: () => {},
    },
    'Z1',
  );
  saw(world, 'a Zone published into the hosted zone of DNSRecords');
  tell(world, () => `zone: ${name} ${recordSets.length}`);
}

/** The ledger, whose writes the shadow sees. */
function shown(world: SeedWorld): SeedWorld['ledger'] {
  const { ledger } = world;
  return {
    ...ledger,
    put: async (key, body, expected, options) => {
      const revision = await ledger.put(key, body, expected, options);
      if (revision !== null) wroteItem(world, key, body);
      return revision;
    },
  };
}
