// Elements of the operations' answers: hosted zones, changes, record sets, tags and pages. A null value leaves its
// element out. Identifiers get the prefixes that Route 53 gives them.
// Source: API reference 2013-04-01, data types. Last verified 2026-11-21.
import type { ChangeInfo, CountedZone } from '../model/account.ts';
import type { Page } from '../model/pages.ts';
import type { LocalRecordSet } from '../records/record-set.ts';
import type { XmlContent } from './xml.ts';

/** The elements of a page: IsTruncated and MaxItems. */
export function pageContent(page: Page<unknown>): { [element: string]: XmlContent } {
  return { IsTruncated: page.next !== null, MaxItems: page.maxItems };
}

/** The tags of a hosted zone. */
export function tagContent(id: string, tagged: Readonly<Record<string, string>>, type: string): XmlContent {
  const tags = Object.entries(tagged).map(([key, value]) => ({ Key: key, Value: value }));
  return { ResourceType: type, ResourceId: id, Tags: { Tag: tags } };
}

/** A HostedZone. */
export function zoneContent(zone: CountedZone): XmlContent {
  return {
    Id: `/hostedzone/${zone.id}`,
    Name: zone.name,
    CallerReference: zone.callerReference,
    Config: { Comment: zone.comment, PrivateZone: zone.vpcs !== null },
    ResourceRecordSetCount: zone.recordSetCount,
  };
}

/** The DelegationSet of a public zone, the VPCs of a private one. */
export function delegationContent({ vpcs, nameServers }: CountedZone): { [element: string]: XmlContent } {
  if (vpcs === null) return { DelegationSet: { NameServers: { NameServer: nameServers } } };
  return { VPCs: { VPC: vpcs.map(({ id, region }) => ({ VPCRegion: region, VPCId: id })) } };
}

/** A ChangeInfo. */
export function changeContent(change: ChangeInfo): XmlContent {
  return {
    Id: `/change/${change.id}`,
    Status: change.status,
    SubmittedAt: new Date(change.submittedAtMs).toISOString(),
    Comment: change.comment,
  };
}

/** A ResourceRecordSet. */
export function recordSetContent({
  name,
  type,
  setIdentifier,
  ttl,
  values,
  alias,
  routing,
  healthCheckId = null,
}: LocalRecordSet): XmlContent {
  const records = values.map((value) => ({ Value: value }));
  return {
    Name: name,
    Type: type,
    SetIdentifier: setIdentifier,
    ...(routing === null ? {} : { [routing.policy]: routing.value }),
    TTL: ttl,
    ResourceRecords: alias === null ? { ResourceRecord: records } : null,
    AliasTarget:
      alias === null
        ? null
        : {
            HostedZoneId: alias.hostedZoneId,
            DNSName: alias.dnsName,
            EvaluateTargetHealth: alias.evaluateTargetHealth,
          },
    HealthCheckId: healthCheckId,
  };
}
