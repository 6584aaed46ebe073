// Builds the record sets that a DNSRecord asks for. A CNAME to a name of an AWS service becomes an alias: A, AAAA or
// both, by the annotation of the IP stack.
import { buildRecordSet } from '../../dns/build-record-set.ts';
import type { RecordSet } from '../../dns/record-set.ts';
import { type AliasTargetRow, aliasTargetOf } from '../../route53/alias-targets.ts';
import type { DnsRecordType } from './values.ts';

const IP_STACK_ANNOTATION = 'dns.gardener.cloud/ip-stack';

/** Any other value counts as `ipv4`, as for Gardener. */
const TYPES_OF_STACK: ReadonlyMap<string, readonly string[]> = new Map([
  ['ipv4', ['A']],
  ['ipv6', ['AAAA']],
  ['dual-stack', ['A', 'AAAA']],
]);

/** The parts of a valid spec; `name` and the values are canonical. */
type Asked = {
  readonly name: string;
  readonly recordType: DnsRecordType;
  readonly values: readonly string[];
  readonly ttlSeconds: number;
};

/** One record set, or two for an alias of both families. */
export function recordSetsOf(asked: Asked, annotations: Readonly<Record<string, string>>): readonly RecordSet[] {
  const { name, recordType, values, ttlSeconds } = asked;
  const [target = ''] = values;
  const row = recordType === 'CNAME' ? aliasTargetOf(target) : null;
  const types = row === null ? [] : aliasTypes(row, target, annotations);
  if (row === null || types.length === 0) {
    return [
      buildRecordSet(
        name,
        recordType,
        values.map((rdata) => ({ ttl: ttlSeconds, rdata })),
      ),
    ];
  }
  const alias = { hostedZoneId: row.hostedZoneId, dnsName: target, evaluateTargetHealth: row.takesHealth };
  return types.map((type) => ({ name, type, setIdentifier: null, content: { kind: 'alias', alias } }));
}

/** Names of GovCloud. The contract's table leaves them out, because Route 53 has no aliases to them. */
const GOV_CLOUD = /(?:^|\.)us-gov-/;

/**
 * The types of the alias. None if the target is the domain of the service itself, is in GovCloud, or has no addresses
 * of that family: then it stays a CNAME.
 */
function aliasTypes(
  row: AliasTargetRow,
  target: string,
  annotations: Readonly<Record<string, string>>,
): readonly string[] {
  if (target === row.suffix || GOV_CLOUD.test(row.suffix)) return [];
  const stack = Object.hasOwn(annotations, IP_STACK_ANNOTATION) ? annotations[IP_STACK_ANNOTATION] : undefined;
  const wanted = TYPES_OF_STACK.get(stack ?? '') ?? ['A'];
  return wanted.filter((type) => row.types.includes(type));
}
