// The VPCs of private hosted zones. A private zone is created with one VPC and may get more. A VPC sees only one
// private zone of a name, so it cannot be associated with two of the same name. Source: API reference
// AssociateVPCWithHostedZone, DisassociateVPCFromHostedZone, ListHostedZonesByVPC; messages from reports in the wild
// where there are any. Last verified 2026-11-22.
import { HOSTED_ZONES_PAGE_MAX, ZONE_VPCS_MAX } from '../values/limits.ts';
import { invalidInput, Route53Error } from '../values/route53-error.ts';
import { type Account, type ChangeInfo, findZone, submitChange, tellListeners } from './account.ts';
import type { Vpc } from './snapshot.ts';

export type VpcZonesStart = {
  readonly vpc: Vpc;
  readonly token: string | null;
  readonly maxItems: number | null;
};

export type VpcZonesPage = {
  readonly items: readonly { readonly id: string; readonly name: string }[];
  readonly nextToken: string | null;
  readonly maxItems: number;
};

/** Associates a VPC with a private zone. */
export function associateVpc(account: Account, zoneId: string, vpc: Vpc, comment: string | null): ChangeInfo {
  const found = findZone(account, zoneId);
  const { zone } = found;
  if (zone.vpcs === null) {
    const message = `Attempting to associate public zone: ${zoneId} with vpc: ${vpc.id}`;
    throw new Route53Error('PublicZoneVPCAssociation', 400, message);
  }
  checkVpcIsFree(account, vpc, zone.name);
  if (zone.vpcs.length >= ZONE_VPCS_MAX) {
    const message = `A private hosted zone can be associated with at most ${ZONE_VPCS_MAX} VPCs.`;
    throw new Route53Error('LimitsExceeded', 400, message);
  }
  found.zone = { ...zone, vpcs: [...zone.vpcs, vpc] };
  return associationChange(account, zoneId, comment);
}

/** Disassociates a VPC from a private zone. Refuses for the last VPC. */
export function disassociateVpc(account: Account, zoneId: string, vpc: Vpc, comment: string | null): ChangeInfo {
  const found = findZone(account, zoneId);
  const { zone } = found;
  const rest = (zone.vpcs ?? []).filter((one) => !isSame(one, vpc));
  if (rest.length === (zone.vpcs ?? []).length) {
    const message = `The VPC: ${vpc.id} and hosted zone: ${zoneId} are not currently associated.`;
    throw new Route53Error('VPCAssociationNotFound', 404, message);
  }
  if (rest.length === 0) {
    const message = `The VPC: ${vpc.id} is the last one that is associated with the hosted zone: ${zoneId}`;
    throw new Route53Error('LastVPCAssociation', 400, message);
  }
  found.zone = { ...zone, vpcs: rest };
  return associationChange(account, zoneId, comment);
}

/** Refuses a VPC that sees another private zone of that name. */
export function checkVpcIsFree({ zones }: Account, vpc: Vpc, zoneName: string): void {
  for (const { zone } of zones.values()) {
    if (zone.name !== zoneName || zone.vpcs?.some((one) => isSame(one, vpc)) !== true) continue;
    const head = `The VPC that you chose, ${vpc.id} in region ${vpc.region}, is already associated with another private`;
    throw new Route53Error(
      'ConflictingDomainExists',
      400,
      `${head} hosted zone that has an overlapping name space, ${zoneName}.`,
    );
  }
}

/** A page of the private zones that a VPC sees, in the order of their creation. */
export function zonesOfVpc({ zones }: Account, { vpc, token, maxItems }: VpcZonesStart): VpcZonesPage {
  const all = [...zones.values()]
    .filter(({ zone }) => zone.vpcs?.some((one) => isSame(one, vpc)) === true)
    .map(({ zone: { id, name } }) => ({ id, name }));
  const at = token === null ? 0 : all.findIndex(({ id }) => id === token);
  if (at < 0) throw new Route53Error('InvalidPaginationToken', 400, `The pagination token is not valid: ${token}`);
  const most = Math.min(maxItems ?? HOSTED_ZONES_PAGE_MAX, HOSTED_ZONES_PAGE_MAX);
  return { items: all.slice(at, at + most), nextToken: all[at + most]?.id ?? null, maxItems: most };
}

/** A VPC id as EC2 makes them. */
export function checkVpc(vpc: Vpc): Vpc {
  if (!/^vpc-[0-9a-f]{8,17}$/.test(vpc.id))
    throw new Route53Error('InvalidVPCId', 400, `The VPC id is not valid: ${vpc.id}`);
  if (vpc.region === '') throw invalidInput('The VPC region is missing');
  return vpc;
}

function associationChange(account: Account, zoneId: string, comment: string | null): ChangeInfo {
  const change = submitChange(account, comment);
  tellListeners(account, { zoneId, names: [], gone: false });
  return change;
}

function isSame(a: Vpc, b: Vpc): boolean {
  return a.id === b.id && a.region === b.region;
}
