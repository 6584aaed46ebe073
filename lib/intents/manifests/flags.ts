// Turns the parameters of a record into flags of external-dns 0.21.0. An end-to-end test passes them to the real
// program. https://github.com/kubernetes-sigs/external-dns/blob/v0.21.0/docs/flags.md Last verified 2026-11-22
import { listed, type Parameters } from '../model/parameters.ts';
import { type DnsUpdateRecord, ownerOf } from '../model/record.ts';
import { evaluatesTargetHealth } from './ignored.ts';

/** The label of a DNSEndpoint with the name of its record. */
export const RECORD_LABEL = 'zone53.dev/dns-update-record';

/** Flags that are repeated for each value. */
const LISTS = ['aws-zone-tags', 'domain-filter', 'exclude-domains', 'zone-id-filter', 'rfc2136-host', 'rfc2136-zone'];
const BOOLEANS = [
  'combine-fqdn-annotation',
  'ignore-hostname-annotation',
  'publish-internal-services',
  'aws-prefer-cname',
  'rfc2136-insecure',
  'once',
  'dry-run',
];
const VALUES = [
  'request-timeout',
  'compatibility',
  'aws-zone-type',
  'aws-assume-role',
  'aws-batch-change-size',
  'aws-batch-change-interval',
  'aws-api-retries',
  'azure-config-file',
  'azure-resource-group',
  'azure-subscription-id',
  'azure-user-assigned-identity-client-id',
  'rfc2136-tsig-keyname',
  'tls-ca',
  'tls-client-cert',
  'tls-client-cert-key',
  'txt-prefix',
  'txt-cache-interval',
  'interval',
  'log-format',
  'metrics-address',
  'log-level',
];

/** The arguments of the container. The TSIG secret is not among them; it is in the environment. */
export function flagsOf(project: string, record: DnsUpdateRecord): readonly string[] {
  const { metadata, provider, parameters } = record;
  const values = VALUES.flatMap((name) => valueFlag(name, parameters[name]));
  const lists = LISTS.flatMap((name) => listed(parameters[name]).map((value) => `--${name}=${value}`));
  const booleans = BOOLEANS.flatMap((name) => booleanFlag(name, parameters[name]));
  return [
    '--source=crd',
    `--namespace=${project}`,
    `--label-filter=${RECORD_LABEL}=${metadata.name}`,
    `--provider=${provider}`,
    `--policy=${parameters.policy ?? 'sync'}`,
    `--registry=${registryOf(record)}`,
    `--txt-owner-id=${ownerOf(project, record)}`,
    ...[...values, ...lists, ...booleans, ...special(record)].sort(),
  ];
}

function registryOf({ provider, parameters: { registry } }: DnsUpdateRecord): string {
  if (provider === 'aws-sd') return registry === 'noop' ? 'noop' : 'aws-sd';
  return String(registry ?? 'txt');
}

function valueFlag(name: string, value: Parameters[string]): readonly string[] {
  return value === undefined ? [] : [`--${name}=${String(value)}`];
}

function booleanFlag(name: string, value: Parameters[string]): readonly string[] {
  return value === undefined ? [] : [`--${value === true || value === 'true' ? '' : 'no-'}${name}`];
}

/** Flags whose spelling differs from the parameter. */
function special(record: DnsUpdateRecord): readonly string[] {
  const { provider, parameters } = record;
  const templates = parameters['fqdn-template'];
  const types = listed(parameters['service-type-filter']).filter((type) => type !== 'all');
  return [
    ...booleanFlag('publish-host-ip', parameters['publish-host-ip']),
    ...valueFlag('fqdn-template', Array.isArray(templates) ? templates.join(',') : templates),
    ...(listed(parameters['service-type-filter']).includes('all')
      ? []
      : types.map((type) => `--service-type-filter=${type}`)),
    ...(hasHealthFlag(parameters) ? booleanFlag('aws-evaluate-target-health', evaluatesTargetHealth(record)) : []),
    ...corednsPrefix(parameters['coredns-prefix']),
    ...(provider === 'rfc2136' ? rfc2136(parameters) : []),
  ];
}

function hasHealthFlag(parameters: Parameters): boolean {
  return ['aws-evaluate-target-health', 'no-aws-evaluate-target-health'].some((name) => parameters[name] !== undefined);
}

/** The design writes "skydns"; the keys in etcd are below "/skydns/". */
function corednsPrefix(value: Parameters[string]): readonly string[] {
  if (typeof value !== 'string') return [];
  return [`--coredns-prefix=/${value.replace(/^\/+|\/+$/g, '')}/`];
}

function rfc2136(parameters: Parameters): readonly string[] {
  const axfr = parameters['rfc2136-tsig-axfr'];
  return [
    `--rfc2136-port=${parameters['rfc2136-port'] ?? 53}`,
    ...(axfr === undefined ? [] : booleanFlag('rfc2136-tsig-axfr', axfr === true || axfr === 'axfr')),
    ...(parameters['rfc2136-insecure'] === true
      ? []
      : [`--rfc2136-tsig-secret-alg=${parameters['rfc2136-tsig-secret-alg'] ?? 'hmac-sha256'}`]),
  ];
}
