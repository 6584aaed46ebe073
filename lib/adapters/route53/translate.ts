// Translates our canonical record sets and hosted zones to the shapes of Route 53 and back. There, names and values
// have octal escapes (lib/route53/escapes.ts), ids have a prefix, and values are in the order in which somebody wrote
// them.
import type { Change, ResourceRecordSet, HostedZone as Route53HostedZone, RRType } from '@aws-sdk/client-route-53';
import { sortRdata } from '../../dns/rdata/rdata.ts';
import type { RecordSet, RecordSetChange, RecordSetContent } from '../../dns/record-set.ts';
import type { HostedZone } from '../../ports/hosted-zones.ts';
import { formatRoute53Name, formatRoute53Rdata, parseRoute53Name, parseRoute53Rdata } from '../../route53/escapes.ts';
import { fromRoutingAttributes, toRoutingAttributes } from './translate-routing.ts';

/** One change in the shape of Route 53. */
export function toChange({ action, recordSet }: RecordSetChange): Change {
  return { Action: action, ResourceRecordSet: toResourceRecordSet(recordSet) };
}

export function toResourceRecordSet(recordSet: RecordSet): ResourceRecordSet {
  const { name, type, setIdentifier, content } = recordSet;
  const key = {
    Name: formatRoute53Name(name),
    // Route 53 refuses an unknown type, for this record set alone.
    Type: type as RRType,
    ...(setIdentifier === null ? {} : { SetIdentifier: setIdentifier }),
    ...(content.routing === undefined ? {} : toRoutingAttributes(content.routing)),
  };
  if (content.kind === 'values') {
    const records = content.values.map((rdata) => ({ Value: formatRoute53Rdata(type, rdata) }));
    return { ...key, TTL: content.ttlSeconds, ResourceRecords: records };
  }
  const { hostedZoneId, dnsName, evaluateTargetHealth } = content.alias;
  const alias = {
    HostedZoneId: hostedZoneId,
    DNSName: formatRoute53Name(dnsName),
    EvaluateTargetHealth: evaluateTargetHealth,
  };
  return { ...key, AliasTarget: alias };
}

/** A record set from the shape of Route 53. */
export function fromResourceRecordSet(found: ResourceRecordSet): RecordSet {
  const type: string = found.Type ?? '';
  return {
    name: parseRoute53Name(found.Name ?? ''),
    type,
    setIdentifier: found.SetIdentifier ?? null,
    content: { ...contentOf(found, type), ...routingOf(found) },
  };
}

function routingOf(found: ResourceRecordSet): Pick<RecordSetContent, 'routing'> {
  const routing = fromRoutingAttributes(found);
  return routing === null ? {} : { routing };
}

function contentOf(found: ResourceRecordSet, type: string): RecordSetContent {
  const alias = found.AliasTarget;
  if (alias !== undefined) {
    return {
      kind: 'alias',
      alias: {
        hostedZoneId: alias.HostedZoneId ?? '',
        dnsName: parseRoute53Name(alias.DNSName ?? ''),
        evaluateTargetHealth: alias.EvaluateTargetHealth ?? false,
      },
    };
  }
  const values = (found.ResourceRecords ?? []).map(({ Value }) => parseRoute53Rdata(type, Value ?? ''));
  const unique = sortRdata(type, new Set(values));
  return { kind: 'values', ttlSeconds: found.TTL ?? 0, values: unique };
}

export function fromHostedZone(found: Route53HostedZone, nameServers: readonly string[]): HostedZone {
  return {
    id: bareId(found.Id ?? ''),
    name: parseRoute53Name(found.Name ?? ''),
    nameServers: nameServers.map(parseRoute53Name).sort(),
    callerReference: found.CallerReference ?? '',
    ...(found.Config?.PrivateZone === true ? { isPrivate: true } : {}),
  };
}

/** An id without its `/hostedzone/` or `/change/`. */
export function bareId(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}
