// Creates the hosted zone of a live Zone that has none, at most one for each name. Two runs may see different Zones of
// that name as the live one, and neither may see the other's hosted zone in its list. So both use the caller reference
// that the ledger keeps for the name. It is saved before the call, and Route 53 creates one hosted zone for each
// reference.
import { hash } from 'node:crypto';
import * as z from 'zod';
import { reversedKey } from '../dns/names/name.ts';
import { swap } from '../ledger/compare-and-swap.ts';
import { itemCodec } from '../ledger/item-codec.ts';
import { isShare, withoutShare } from '../objects/share-id.ts';
import type { Config } from '../ports/config.ts';
import type { Context } from '../ports/context.ts';
import type { HostedZone } from '../ports/hosted-zones.ts';
import type { Hosting } from '../zones/place-zones.ts';

/** A reference without a hosted zone is replaced after this time. No run lasts that long, so none still uses it. */
const REFERENCE_MS_MAX = 86_400_000;
/** Route 53's limit. */
const REFERENCE_CHARACTERS_MAX = 128;
const REFERENCE_PREFIX = 'zone53:';

const creationBody = z.object({
  reference: z.string(),
  atMs: z.number(),
  /** The id of the created hosted zone; null: not known yet. */
  id: z.string().nullable(),
  /** The account of the configuration where it is created. Absent: the stack's own. */
  account: z.string().exactOptional(),
});

type Creation = z.infer<typeof creationBody>;
export const creationCodec = itemCodec(creationBody);

/**
 * Creates the hosted zone of this name in an account, or returns what another run created. `forZone` ("ns/name"): for
 * the log. An account that is another by now begins anew.
 */
export async function createHostedZone(
  context: Context,
  fqdn: string,
  forZone: string,
  account?: string,
): Promise<Hosting> {
  const { ledger, clock, log } = context;
  const { hostedZones } = context.account;
  const key = { partition: `creations#${context.config.clusterId}`, sort: reversedKey(fqdn) };
  const inAccount = account === undefined ? {} : { account };
  let made: HostedZone | null = null;
  let reference = '';
  await swap(ledger, key, creationCodec, async (known) => {
    const isHere = known?.account === account;
    const read = known?.id == null || !isHere ? null : await hostedZones.get(known.id, account);
    if (read !== null && 'unreadable' in read)
      throw new Error(`Cannot read hosted zone ${known?.id}, which was made for ${fqdn}: ${read.unreadable}`);
    made = read;
    if (made !== null) return null;
    const nowMs = clock.nowMs();
    const isUsable = known !== null && isHere && known.id === null && nowMs - known.atMs <= REFERENCE_MS_MAX;
    reference = isUsable ? known.reference : callerReference(context.config.clusterId, fqdn, nowMs);
    return isUsable ? null : { reference, atMs: nowMs, id: null, ...inAccount };
  });
  if (made !== null) return hostingOf(context.config, { ...(made as HostedZone), ...inAccount, made: true });
  const created = await hostedZones.create(fqdn, reference, account);
  const withId = (creation: Creation | null) =>
    creation?.reference === reference && creation.id === null ? { ...creation, id: created.id } : null;
  await swap(ledger, key, creationCodec, withId);
  log('info', 'hosted zone created', { id: created.id, name: created.name, zone: forZone });
  return hostingOf(context.config, { ...created, ...inAccount, made: true });
}

/** The parts of the configuration that decide about the settings of a hosted zone. */
type Settings = Pick<Config, 'soa' | 'clusterId' | 'hostedZones'>;

/**
 * True if this cluster decides about the settings of a hosted zone: its lead, or the one that used it first. `isHeir`:
 * those that used it before are retired.
 */
export function leads(
  { clusterId, hostedZones }: Omit<Settings, 'soa'>,
  { id: ledgerId, isHeir = false }: { readonly id: string; readonly isHeir?: boolean },
): boolean {
  const lead = hostedZones.find(({ id }) => id === withoutShare(ledgerId))?.lead;
  return lead === undefined ? isHeir || !isShare(ledgerId) : lead === clusterId;
}

/** A hosted zone as a Zone's own, with what the configuration says of its SOA. */
export function hostingOf(
  config: Settings,
  {
    id,
    nameServers,
    made,
    isPrivate,
    account,
    isHeir = false,
  }: Pick<HostedZone, 'id' | 'nameServers' | 'isPrivate'> &
    Pick<Hosting, 'account'> & { readonly made: boolean; readonly isHeir?: boolean },
): Hosting {
  const { soa } = config;
  const placed = { id, nameServers, made: made && !isShare(id), ...(account === undefined ? {} : { account }) };
  const hosting = {
    ...placed,
    soa: leads(config, { id, isHeir }) && (soa === 'always' || (soa === 'created' && made)),
  };
  return isPrivate === true ? { ...hosting, isPrivate } : hosting;
}

/** True for a hosted zone that zone53 created, for any cluster. */
export function isMade({ callerReference }: Pick<HostedZone, 'callerReference'>): boolean {
  return callerReference.startsWith(REFERENCE_PREFIX);
}

/** A new reference each time. With the reference of a deleted hosted zone, Route 53 would refuse to create another. */
function callerReference(clusterId: string, fqdn: string, nowMs: number): string {
  const reference = `${REFERENCE_PREFIX}${clusterId}:${fqdn}:${nowMs}`;
  if (reference.length <= REFERENCE_CHARACTERS_MAX) return reference;
  return `${REFERENCE_PREFIX}${hash('sha256', `${clusterId}:${fqdn}`, 'hex')}:${nowMs}`;
}
