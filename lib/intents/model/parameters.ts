// The parameters of a DNS Update Record: those of each provider, and the general ones. They are flags of external-dns
// without the dashes (docs/flags.md at v0.21.0. Last verified 2026-11-22). A parameter of another provider is an error.
import * as z from 'zod';
import { text } from './names.ts';

/** A duration as Go writes it. */
const DURATION = /^(?:0|(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+)$/;
const duration = z
  .string('write a duration such as "30s"')
  .regex(DURATION, 'write a duration such as "30s"')
  .optional();
const flag = z.boolean('write true or false').optional();
const whole = (min: number, max: number) => {
  const wanted = `write a whole number from ${min} to ${max}`;
  return z.int(wanted).min(min, wanted).max(max, wanted).optional();
};
const one = (what: string) => text(what).optional();
/** A list, as one string with commas or as an array. `entry`: what each entry must look like. */
const list = (what: string, entry = /\S/) => {
  const wanted = `write ${what}, or a list of them`;
  const areEntries = (value: string | readonly string[]) => {
    const parts = listed(value);
    return parts.every((part) => entry.test(part)) && (parts.length > 0 || Array.isArray(value));
  };
  return z
    .union([text(what), z.array(text(what)).max(1_000)], wanted)
    .refine(areEntries, wanted)
    .optional();
};
const DOMAIN = /^[^\s/:@]+$/;
const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `write one of ${values.join(', ')}`).optional();

const SERVICE_TYPES = ['all', 'ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'] as const;
const serviceTypes = z.enum(SERVICE_TYPES, `write one of ${SERVICE_TYPES.join(', ')}`);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The parameters that every provider has. */
const GENERAL = {
  'request-timeout': duration.describe('Time for a call of the Kubernetes API by external-dns.'),
  'contour-load-balancer': one('namespace/name').describe('Known to old versions of external-dns only.'),
  'fqdn-template': list('a template').describe('No effect: the source is always DNSEndpoints.'),
  'combine-fqdn-annotation': flag.describe('No effect: the source is always DNSEndpoints.'),
  'ignore-hostname-annotation': flag.describe('Needs fqdn-template. No effect: the source is always DNSEndpoints.'),
  compatibility: oneOf(['mate', 'molecule', 'kops-dns-controller']).describe(
    'No effect: DNSEndpoints have no annotations.',
  ),
  'publish-internal-services': flag.describe('No effect: the source is always DNSEndpoints.'),
  'publish-host-ip': z
    .union([z.boolean(), z.enum(['true', 'false'])], 'write true or false')
    .optional()
    .describe('No effect: the source is always DNSEndpoints. The text "true" is taken for true.'),
  'service-type-filter': z
    .union(
      [
        serviceTypes,
        z.array(serviceTypes).max(5),
        z
          .string()
          .regex(
            /^(?:all|ClusterIP|NodePort|LoadBalancer|ExternalName)(?:, *(?:all|ClusterIP|NodePort|LoadBalancer|ExternalName))+$/,
          ),
      ],
      `write one of ${SERVICE_TYPES.join(', ')}, or a list of them`,
    )
    .optional()
    .describe('No effect: the source is always DNSEndpoints.'),
  'domain-filter': list('a domain', DOMAIN).describe(
    'Only these names: `example.com` and what is below it; `.example.com` only what is below.',
  ),
  'exclude-domains': list('a domain', DOMAIN).describe('Not these names; comes before domain-filter.'),
  'zone-id-filter': list('an id').describe('Only hosted zones whose id ends so.'),
  'tls-ca': one('a path'),
  'tls-client-cert': one('a path'),
  'tls-client-cert-key': one('a path'),
  policy: oneOf(['sync', 'upsert-only', 'create-only']).describe(
    'Which changes are made: all, all but deletes, or only creates. Default sync.',
  ),
  registry: oneOf(['txt', 'noop', 'aws-sd']).describe(
    'Where ownership is stored; txt where it is absent. aws-sd is only for provider aws-sd.',
  ),
  'txt-owner-id': text('a text without quotes, commas and spaces', 128)
    .regex(/^[^\s",=\\]+$/, 'write a text without quotes, commas, "=" and spaces')
    .optional()
    .describe('The owner of the names. Default: <project>/<record>.'),
  'txt-prefix': one('a prefix').describe('In front of the names of the TXT records of ownership.'),
  'txt-cache-interval': duration,
  interval: duration.describe('Between two synchronizations of external-dns.'),
  once: flag.describe('The first publication, then nothing until the record is put again.'),
  'dry-run': flag.describe('Nothing is written.'),
  'log-format': oneOf(['text', 'json']),
  'metrics-address': one('an address such as ":7979"'),
  'log-level': oneOf(['panic', 'debug', 'info', 'warning', 'error', 'fatal']),
};

const AWS = {
  'aws-zone-type': oneOf(['public', 'private']).describe('Only hosted zones of this type.'),
  'aws-zone-tags': list('"key=value" or "key"').describe('Only hosted zones with all of these tags.'),
  'aws-assume-role': one('the ARN of a role').describe(
    'The role to write with; it must be on the list of the configuration.',
  ),
  'aws-batch-change-size': whole(1, 2_147_483_647).describe('Changes in a batch; Route 53 allows at most 1,000.'),
  'aws-batch-change-interval': duration.describe('Between two batches.'),
  'aws-evaluate-target-health': flag.describe('Of aliases. Default true.'),
  'no-aws-evaluate-target-health': flag.describe('The opposite; it wins.'),
  'aws-api-retries': whole(0, 100).describe('How often a call is tried.'),
  'aws-prefer-cname': flag.describe('CNAME in place of an alias.'),
};

const AZURE = {
  'azure-config-file': one('a path'),
  'azure-resource-group': one('a name'),
  'azure-subscription-id': one('an id'),
  'azure-user-assigned-identity-client-id': one('an id'),
};

const COREDNS = { 'coredns-prefix': one('a prefix such as /skydns/').describe('Of the keys in etcd.') };

const RFC2136 = {
  'rfc2136-host': list('a host').describe('The DNS servers.'),
  'rfc2136-port': whole(1, 65_535).describe('Default 53; external-dns has no default.'),
  'rfc2136-zone': z.union([z.string(), z.array(z.string()).max(1_000)], 'write a zone, or a list of them').optional(),
  'rfc2136-insecure': flag.describe('Without TSIG. Default false.'),
  'rfc2136-tsig-keyname': one('the name of the key'),
  'rfc2136-tsig-secret': text('the secret in base64')
    .regex(BASE64, 'write the secret in base64')
    .optional()
    .meta({ writeOnly: true })
    .describe('Written and never given back.'),
  'rfc2136-tsig-secret-alg': oneOf(['hmac-sha1', 'hmac-sha224', 'hmac-sha256', 'hmac-sha384', 'hmac-sha512']).describe(
    'Default hmac-sha256.',
  ),
  'rfc2136-tsig-axfr': z
    .union([z.boolean(), z.literal('axfr')], 'write true, false or "axfr"')
    .optional()
    .describe('Whether zones may be read by AXFR.'),
};

/** The block of parameters of each provider. */
export const BLOCK_OF = {
  aws: 'aws',
  'aws-sd': 'aws',
  azure: 'azure',
  'azure-dns': 'azure',
  'azure-private-dns': 'azure',
  coredns: 'coredns',
  rfc2136: 'rfc2136',
} as const;

export type Provider = keyof typeof BLOCK_OF;
const PROVIDERS = Object.keys(BLOCK_OF) as [Provider, ...Provider[]];

/** Parameters that answers never show. */
export const SECRETS = ['rfc2136-tsig-secret'] as const;

const closed = <S extends z.ZodRawShape>(shape: S) =>
  z.strictObject({ ...shape, ...GENERAL }, 'write a mapping of parameters').optional();

/** The `spec` of a record: the provider, and one mapping with its own and the general parameters. */
export const recordSpec = z.discriminatedUnion(
  'provider',
  [
    z.strictObject({ provider: z.enum(['aws', 'aws-sd']), 'external-dns-parameters': closed(AWS) }),
    z.strictObject({
      provider: z.enum(['azure', 'azure-dns', 'azure-private-dns']),
      'external-dns-parameters': closed(AZURE),
    }),
    z.strictObject({ provider: z.enum(['coredns']), 'external-dns-parameters': closed(COREDNS) }),
    z.strictObject({ provider: z.enum(['rfc2136']), 'external-dns-parameters': closed(RFC2136) }),
  ],
  `write a mapping with provider: one of ${PROVIDERS.join(', ')}`,
);

/** Parameters by name. */
export type Parameters = Readonly<Record<string, boolean | number | string | readonly string[] | undefined>>;

/** The entries of a list that was written as one string or as an array. */
export function listed(value: Parameters[string]): readonly string[] {
  const parts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return parts.map((part) => String(part).trim()).filter((part) => part !== '');
}
