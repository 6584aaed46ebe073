// Which hosted zone each live Zone has as its own: the one configured for it, or the own account's public hosted zone
// of exactly its name. A private one is never found by name. What was found is kept in the ledger, so Route 53 is asked
// only about Zones that have none yet. There may be many of those, so all hosted zones are listed at once, 100 a call.

import { type DirectoryItem, directoryCodec, directoryKey } from '../directory/directory-item.ts';
import { ancestorsOf, reversedKey } from '../dns/names/name.ts';
import { PUBLIC, viewOf, withViewsInWords } from '../dns/names/view.ts';
import { readItem, UnreadableItemError } from '../ledger/item-codec.ts';
import { allItems, eachItem } from '../ledger/pages.ts';
import { accountRefused, isAccountRefusal } from '../objects/account-refusal.ts';
import { shareIdOf } from '../objects/share-id.ts';
import { type Config, hostedZoneName } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import {
  type HostedZone,
  type HostedZones,
  HostedZonesDeniedError,
  type UnreadableHostedZone,
} from '../ports/hosted-zones.ts';
import { once } from '../ports/once.ts';
import {
  HOSTED_ZONES_PARTITION,
  type HostedZoneItem,
  hostedZoneCodec,
  hostedZoneIdOf,
  isLeft,
  isOfDnsRecords,
} from '../record-sets/hosted-zone-item.ts';
import { recordSetCodec, recordSetsPartition } from '../record-sets/record-set-item.ts';
import type { LiveZone } from '../zones/delegation.ts';
import type { Hosting } from '../zones/place-zones.ts';
import { hostingOf, isMade, leads } from './create-hosted-zone.ts';
import { readLookups } from './lookups.ts';

/** What was found. `problems` says, by fqdn, why a Zone has none although there seems to be one. */
export type Hostings = {
  readonly byName: ReadonlyMap<string, Hosting>;
  readonly problems: ReadonlyMap<string, string>;
  readonly known: readonly HostedZoneItem[];
  /** Those of all clusters that are not gone. */
  readonly all: readonly HostedZoneItem[];
  /** Hosted zones of other accounts that the configuration no longer lists: they are forgotten. */
  readonly left: readonly HostedZoneItem[];
  /** Sub-zones that were looked for among all of the account's hosted zones, and have none. */
  readonly absent: readonly string[];
  /** Hosted zones whose item this code cannot read, by id. The Zones that have them in the directory keep them. */
  readonly unread: ReadonlyMap<string, UnreadableItemError>;
  /** Another cluster has hosted zones in the ledger. */
  readonly besideOthers: boolean;
};

type Finding = { readonly hosting: Hosting } | { readonly problem: string } | { readonly unreadable: Hosting };

/** Finds the hosted zones of these live Zones. Reads only. */
export async function findHostedZones(
  { ledger, account: { hostedZones, remembersLookups = false }, config, clock, log }: Context,
  zones: readonly LiveZone[],
): Promise<Hostings> {
  const items: HostedZoneItem[] = [];
  const unread = new Map<string, UnreadableItemError>();
  for (const stored of await allItems(ledger, HOSTED_ZONES_PARTITION)) {
    const item = hostedZoneCodec.read(stored);
    if (item instanceof UnreadableItemError) unread.set(stored.sort, item);
    else items.push(item);
  }
  const ours = items.filter((item) => item.cluster === config.clusterId && !item.gone);
  const notListed = ours.filter((item) => isLeft(config, item));
  const left = notListed.filter(({ retired }) => !retired);
  const known = ours.filter((item) => !notListed.includes(item));
  for (const { id, name, account } of left) {
    const where = account === undefined ? '' : ` of account ${account}`;
    log(
      'warn',
      `hosted zone ${id} (${withViewsInWords(name)})${where} is no longer in hostedZones of the configuration: what is published there stays, and zone53 forgets it`,
    );
  }
  // The item of the cluster that used it first says whether zone53 made it.
  const madeIds = new Set(items.flatMap(({ id, made }) => (made ? [id] : [])));
  const isHeir = (id: string) => {
    const first = items.find((item) => item.id === hostedZoneIdOf(id));
    return first?.retired === true && (first.shares?.[0] ?? id) === id;
  };
  const remembered = (item: HostedZoneItem) =>
    hostingOf(config, { ...item, made: madeIds.has(hostedZoneIdOf(item.id)), isHeir: isHeir(item.id) });
  const taken = new Set(items.filter((item) => item.cluster !== config.clusterId && !item.gone).map(({ id }) => id));
  const byName = new Map<string, Hosting>();
  const problems = new Map<string, string>();
  const absent: string[] = [];
  const asked = once(async () => Map.groupBy(await hostedZones.list(), (zone) => zone.name));
  const none: ReadonlySet<string> = new Set();
  const lookedFor = remembersLookups ? await readLookups(ledger, config.clusterId, clock.nowMs()) : none;
  const nothing = async () => new Map();
  const inDirectory = (fqdn: string) => placedNow({ ledger, config }, fqdn);
  // What is published stays where it is: that another hosted zone cannot be used is no reason to delete it.
  const keepFormer = async (fqdn: string, keptBecause: string) => {
    const used = (await inDirectory(fqdn))?.hosting?.id;
    const former = known.find(({ id }) => id === used) ?? known.find(({ name }) => name === fqdn);
    if (former !== undefined) byName.set(fqdn, { ...remembered(former), keptBecause });
    return former !== undefined;
  };
  const noteProblem = async (fqdn: string, problem: string) => {
    if (!(await keepFormer(fqdn, problem))) problems.set(fqdn, problem);
    else log('error', 'a hosted zone cannot be used, and the former one stays', { zone: fqdn, reason: problem });
  };
  // What is published, here or in the hosted zone of a Zone above, stays. Otherwise the Zone publishes nothing, not
  // even there.
  const keepWhereItIs = async (fqdn: string, hosting: Hosting) => {
    log('warn', 'a hosted zone cannot be read', { zone: fqdn, reason: hosting.unreadable });
    const reason = hosting.unreadable ?? '';
    if (await keepFormer(fqdn, reason)) return;
    if (await staysAbove({ ledger, config }, fqdn)) problems.set(fqdn, reason);
    else byName.set(fqdn, hosting);
  };
  for (const { fqdn, parent } of zones) {
    const former = unread.size === 0 ? null : ((await inDirectory(fqdn))?.hosting ?? null);
    if (former !== null && unread.has(former.id)) {
      byName.set(fqdn, former);
      continue;
    }
    const isRemembered = parent !== null && lookedFor.has(fqdn);
    const finding = await findOne(config, { known, remembered }, hostedZones, isRemembered ? nothing : asked, fqdn);
    if (finding === null) {
      if (parent !== null && !isRemembered) absent.push(fqdn);
      continue;
    }
    const id = 'hosting' in finding ? finding.hosting.id : '';
    const unreadItem = unread.get(id);
    if (unreadItem !== undefined) await noteProblem(fqdn, unreadItem.message);
    else if ('hosting' in finding)
      byName.set(fqdn, taken.has(id) ? shareOf(config, finding.hosting, isHeir) : finding.hosting);
    else if ('problem' in finding) await noteProblem(fqdn, finding.problem);
    else await keepWhereItIs(fqdn, finding.unreadable);
  }
  const besideOthers = items.some(({ id, cluster }) => cluster !== config.clusterId && !isOfDnsRecords(id));
  const used = new Set([...byName.values()].map(({ id }) => id));
  const kept = known.filter(({ id, retired }) => !retired || used.has(id));
  const all = items.filter(({ gone, retired }) => !gone && !retired);
  return { byName, problems, known: kept, all, left, absent, unread, besideOthers };
}

/** The directory's item of the live Zone of this name; null if there is none. */
export async function placedNow(
  { ledger, config }: Pick<Context, 'ledger' | 'config'>,
  fqdn: string,
): Promise<DirectoryItem | null> {
  return (await readItem(ledger, directoryKey(config.clusterId, fqdn), directoryCodec))?.item ?? null;
}

/**
 * True for a Zone that publishes into the hosted zone of a Zone above, and for a new one whose names are published
 * there for any Zone above. Without a hosted zone of its own it stays there, so that no name is withdrawn.
 */
export async function staysAbove(context: Pick<Context, 'ledger' | 'config'>, fqdn: string): Promise<boolean> {
  const placed = await placedNow(context, fqdn);
  if (placed?.target.kind === 'hosted') return placed.hosting === null;
  for (const name of ancestorsOf(fqdn)) {
    const target = (await placedNow(context, name))?.target;
    // Names that move to a hosted zone between may still be in one above that.
    if (target?.kind === 'hosted' && (await hasPublished(context, target.hostedZoneId, fqdn))) return true;
  }
  return false;
}

/** True if something is published at this name or below. An item that this code cannot read may be published. */
async function hasPublished({ ledger }: Pick<Context, 'ledger'>, hostedZoneId: string, name: string): Promise<boolean> {
  for await (const stored of eachItem(ledger, recordSetsPartition(hostedZoneId), reversedKey(name))) {
    const item = recordSetCodec.read(stored);
    if (item instanceof UnreadableItemError || item.published !== null) return true;
  }
  return false;
}

/** What this cluster has of a hosted zone that another one used first. `isHeir`: whether it leads with this share. */
export function shareOf(config: Config, hosting: Hosting, isHeir: (id: string) => boolean = () => false): Hosting {
  const id = shareIdOf(hosting.id, config.clusterId);
  return { ...hosting, id, made: false, soa: hosting.soa && leads(config, { id, isHeir: isHeir(id) }) };
}

async function findOne(
  config: Config,
  {
    known,
    remembered: asHosting,
  }: { readonly known: readonly HostedZoneItem[]; readonly remembered: (item: HostedZoneItem) => Hosting },
  hostedZones: HostedZones,
  listed: () => Promise<ReadonlyMap<string, readonly HostedZone[]>>,
  fqdn: string,
): Promise<Finding | null> {
  const configured = config.hostedZones.find((candidate) => hostedZoneName(candidate) === fqdn);
  // A missing line must not publish the names of another view to the world.
  if (configured === undefined && viewOf(fqdn) !== PUBLIC) return null;
  const remembered = known.find((item) => item.name === fqdn && (configured === undefined || fits(item, configured)));
  if (remembered !== undefined) return { hosting: asHosting(remembered) };
  if (configured !== undefined) return readConfigured(config, hostedZones, fqdn, configured);
  const all = await listed().catch((error: unknown) => {
    if (error instanceof HostedZonesDeniedError) return error;
    throw error;
  });
  if (all instanceof HostedZonesDeniedError) return { unreadable: unlisted(fqdn, all) };
  const candidates = all.get(fqdn) ?? [];
  const [only] = candidates;
  if (only === undefined) return null;
  if (candidates.length > 1) {
    const ids = candidates.map(({ id }) => id).join(', ');
    return {
      problem: `the account has ${candidates.length} public hosted zones named ${fqdn} (${ids}): choose one in the configuration, hostedZones: [{ zone: ${fqdn}, id: ... }]`,
    };
  }
  const read = await hostedZones.get(only.id);
  if (read !== null && 'unreadable' in read) return { unreadable: unreadable(only.id, fqdn, read) };
  return read === null ? null : { hosting: hostingOf(config, { ...read, made: isMade(read) }) };
}

/** True if what is known matches the configuration's hosted zone; otherwise Route 53 is asked again. */
function fits(item: HostedZoneItem, { id, visibility, account }: Config['hostedZones'][number]): boolean {
  return (
    hostedZoneIdOf(item.id) === id &&
    item.account === account &&
    (visibility === undefined || (visibility === 'private') === item.isPrivate)
  );
}

async function readConfigured(
  config: Config,
  hostedZones: HostedZones,
  fqdn: string,
  { id, visibility, account }: Config['hostedZones'][number],
): Promise<Finding> {
  const inAccount = account === undefined ? {} : { account };
  const read = await hostedZones.get(id);
  if (read === null) {
    const where = account === undefined ? 'this account' : `account ${account}`;
    return { problem: `the hosted zone ${id} that the configuration names for ${fqdn} does not exist in ${where}` };
  }
  if ('unreadable' in read) return { unreadable: { ...unreadable(id, fqdn, read, account), ...inAccount } };
  if (read.name !== fqdn)
    return { problem: `the hosted zone ${id} that the configuration names for ${fqdn} is named ${read.name}` };
  const stands = read.isPrivate === true ? 'private' : 'public';
  if (visibility !== undefined && visibility !== stands)
    return { problem: `the hosted zone ${id} is ${stands}, and the configuration says ${visibility} for ${fqdn}` };
  return { hosting: hostingOf(config, { ...read, ...inAccount, made: isMade(read) }) };
}

/** Nothing is published for the Zone, here or into its parent's hosted zone, until it is known what this is. */
function unreadable(id: string, fqdn: string, { unreadable: reason }: UnreadableHostedZone, account?: string): Hosting {
  if (account !== undefined && isAccountRefusal(reason))
    return { ...unusable(accountRefused(account, id, reason)), id };
  const message = `the hosted zone ${id} of ${fqdn} cannot be read, so nothing is published for it: ${reason}. Allow route53:GetHostedZone for it, or name another in the configuration, hostedZones: [{ zone: ${fqdn}, id: Z... }]`;
  return { ...unusable(message), id };
}

/** It is not known whether the Zone has a hosted zone. */
function unlisted(fqdn: string, { message }: HostedZonesDeniedError): Hosting {
  return unusable(
    `nothing is published for ${fqdn}, because its hosted zone cannot be looked for: ${message}. Allow route53:ListHostedZones, or name the hosted zone in the configuration, hostedZones: [{ zone: ${fqdn}, id: Z... }]`,
  );
}

/** No hosted zone, and why none can be used. */
export function unusable(reason: string): Hosting {
  return { id: '', nameServers: [], made: false, soa: false, unreadable: reason };
}
