// The cases in which moto 5.2 is looser than Route 53, by what it does instead. The contract skips them on moto and
// says so in their titles. Measured on 2026-11-22 with moto 5.2. Check this list again when moto is updated.
import { cidrAndHealthCases } from './cases/cidr-and-health.ts';
import { protectionCases } from './cases/protections.ts';
import { routingPolicyCases } from './cases/routing-policies.ts';
import { refusedValueCases } from './cases/values.ts';
import type { ContractCase } from './route53-account.ts';

function namesOf(cases: readonly ContractCase[], start: string): string[] {
  return cases.map(({ name }) => name).filter((name) => name.startsWith(start));
}

const BY_REASON: Readonly<Record<string, readonly string[]>> = {
  'knows no protections': protectionCases.map(({ name }) => name),
  'takes any caller reference': ['CreateHostedZone refuses a caller reference that was used'],
  'takes any zone name': [
    'CreateHostedZone refuses the name bad name.com',
    'CreateHostedZone refuses the name a..example.com',
    'CreateHostedZone refuses the name aaaaaaaaaaaaaaaaaaaa',
  ],
  'keeps names as they were written': [
    'CreateHostedZone keeps the name in lower case',
    'names are kept in lower case',
    'a wildcard comes back as \\052 and is the same written either way',
    'names come back with everything beyond a-z 0-9 - _ as octal escapes',
  ],
  'lists the default SOA in a form of its own': ['a new zone has a SOA with serial 1 and a TTL of 900 seconds'],
  'lists the default NS values without their last dot': [
    'a new zone has four name servers, and an NS set of them with a TTL of two days',
  ],
  'finds zones by exactly the name, in one page': [
    'ListHostedZonesByName starts at the name and goes by reversed labels',
    'ListHostedZonesByName goes on at NextDNSName and NextHostedZoneId',
  ],
  'refuses a CREATE only when that very change was made before, even when it was deleted since': [
    'CREATE of what exists is refused (192.0.2.2)',
    'CREATE after DELETE of the same content is accepted',
    'CREATE of a set identifier that exists is refused and names it',
  ],
  'compares a DELETE with the changes made before, and answers InvalidInput': [
    'DELETE takes the values in any order and the name in any spelling',
    'DELETE of what is not there is refused',
    'DELETE with another TTL is refused',
    'DELETE with other values (1) is refused',
    'DELETE with other values (2) is refused',
    'DELETE twice in one batch is refused',
    'DELETE with another weight, and without the health check, is refused',
    'an alias is deleted by its target in any spelling, and by nothing else',
  ],
  'applies what comes before the bad change, and names only that one': [
    'a batch with one bad change does nothing',
    'all refusals of a batch come as one list',
  ],
  'knows no rules between the record sets of a name': [
    'CNAME beside another type is refused, whichever comes first',
    'from CNAME to A in one batch: CREATE first is refused',
    'CNAME at the apex is refused',
    'a wildcard of type NS is refused',
    'the SOA and the NS set of the apex cannot be deleted',
    'a simple and a weighted record set of one name and type are refused',
    'weighted record sets of type NS are refused',
    ...namesOf(routingPolicyCases, 'refused of one name and type'),
    'from simple to weighted with the CREATE first is refused',
  ],
  'compares names with the zone by their last characters': ['the name notexample.com is outside the zone'],
  'takes any name': [
    'the name a..example.com is refused',
    'the name aaaaaaaaaaaaaaaaaaaa is refused',
    'the name a\\08.example.com is refused',
  ],
  'does not look at alias targets': [
    'an alias to nothing in the zone is refused',
    'an alias to another type of record set is refused',
    'an alias to a name outside its target zone is refused',
    'an alias of type A to lb-1.eu-west-1.elb.amazonaws.com. in zone Z35SXDOTRQ7X7K is refused',
    'an alias of type A to lb-1.elb.eu-west-1.amazonaws.com. in zone Z32O12XQLNTSW2 is refused',
    'an alias of type A to www.example.org. in zone Z2FDTNDATAQYW2 is refused',
    'an alias of type TXT to d1.cloudfront.net. in zone Z2FDTNDATAQYW2 is refused',
    'an alias to CloudFront that evaluates health is refused',
    'an alias to CloudFront in a private zone is refused',
    'an alias to a record set of another hosted zone is refused',
    'in a batch the target of an alias comes before it',
    'an alias of type NS is refused',
  ],
  'does not look at routing': [
    ...namesOf(routingPolicyCases, 'routing is InvalidInput'),
    'a primary that is not an alias needs a health check',
    'DELETE without the routing policy is InvalidInput',
  ],
  'knows no geoproximity': namesOf(routingPolicyCases, 'routing comes back as it was given: geoproximity'),
  'knows no CIDR collections': [
    ...namesOf(cidrAndHealthCases, 'the CIDR block'),
    'a CIDR collection has locations with blocks',
    'a change of a CIDR collection raises its version, and meets the version that it names',
    'a block is in one location of a CIDR collection',
    'a CIDR collection that is not empty cannot be deleted, and one that is not there is 404',
    'the name of a CIDR collection is used once, but for a repeated request',
    'CIDR routing names a location of its collection, or the default',
  ],
  'makes a health check at every call': [
    'a caller reference makes one health check, and none of another configuration',
  ],
  'takes any configuration of a health check': [
    ...namesOf(cidrAndHealthCases, 'a health check is refused'),
    'no update leaves a health check without what it needs',
  ],
  'keeps no regions of a health check': ['a health check is changed, and has the next version'],
  'gives private zones the name servers of public ones': [
    'every private zone has the same four name servers in its NS set',
  ],
  'ignores HostedZoneType': ['ListHostedZones lists the private ones alone where that is asked'],
  'takes any VPC, and says LastVPCAssociation of every other': [
    'a VPC that is not associated cannot go',
    'a VPC sees one private zone of a name',
    'a VPC id that is none is InvalidVPCId',
  ],
  'does not check the elements of a change against each other': [
    'an alias with a TTL is InvalidInput',
    'values without a TTL are InvalidInput',
    'a weight without a set identifier is InvalidInput',
    'a set identifier without a routing policy is InvalidInput',
    'a record set without values is InvalidInput',
    'a batch without changes is InvalidInput',
    'a type that Route 53 has not is InvalidInput',
    'a TTL of -1 is InvalidInput',
    'a TTL of 2147483648 is InvalidInput',
    'a comment of more than 256 characters is InvalidInput',
    'a health check that is not there is NoSuchHealthCheck',
  ],
  'counts elements only, neither characters nor values of a record set': [
    'a batch of 32200 value characters is refused',
    'a batch of 16200 value characters in UPSERTs is refused, each counting twice',
    'a record set of 401 values is refused',
  ],
  'gives every change one id, INSYNC at once, and forgets the comment': [
    'every change has an id of its own and keeps its comment',
    'GetChange of what is not there is NoSuchChange 404',
  ],
  'sorts reversed names without their last dot': [
    'the last dot counts in the order: a hyphen sorts before the end of a label',
  ],
  'ignores StartRecordIdentifier': [
    'pages go on inside one name and type by set identifier',
    'a type without a name, and an identifier without a type, are InvalidInput',
  ],
  'takes any MaxItems': ['a page has at most 300 record sets, however many are asked for'],
  'does not look at values': [
    'CNAME has exactly one value',
    'SOA has exactly one value',
    'a value twice in one record set is refused',
    ...refusedValueCases.map((one) => one.name),
  ],
};

/** The name of a case, and what moto does instead. */
export const MOTO_LOOSER: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(BY_REASON).flatMap(([why, names]) => names.map((name) => [name, why])),
);
