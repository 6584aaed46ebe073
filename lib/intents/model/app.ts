// What an orchestrator says about an app when it instantiates it: its services, and the addresses of each.
import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { parseName } from '../../dns/names/name.ts';
import { label, text } from './names.ts';

const WRITE_A_NAME = 'write a domain name such as www.example.org';
const WRITE_AN_ADDRESS = 'write an IPv4 or IPv6 address, or a host name';

const domainName = z
  .string(WRITE_A_NAME)
  .max(255, WRITE_A_NAME)
  .refine((name) => isHost(name.replace(/^\*\./, 'x.')) && parseName(name, { wildcard: true }).ok, WRITE_A_NAME);

const address = z
  .string(WRITE_AN_ADDRESS)
  .max(255, WRITE_AN_ADDRESS)
  .refine((written) => isIp(written) || isHost(written), WRITE_AN_ADDRESS);
const addresses = z.array(address, 'write a list of addresses').max(1_000, 'write at most 1,000 addresses').optional();

const cluster = z.strictObject(
  {
    provider: label.describe('The cluster provider.'),
    cluster: label,
    publicAddresses: addresses.describe('Where the service is reached from anywhere.'),
    clusterAddresses: addresses.describe('Where the service is reached in the network of the cluster.'),
  },
  'write a mapping with provider, cluster and addresses',
);

/** A service must fit into one item of the ledger. */
const SERVICE_OCTETS_MAX = 200_000;

const service = z
  .strictObject(
    {
      name: label,
      dnsName: domainName.describe('The fully qualified name of the service.'),
      ttl: z
        .int('write seconds, a whole number from 1 to 2147483647')
        .min(1, 'write seconds, a whole number from 1 to 2147483647')
        .max(2_147_483_647, 'write seconds, a whole number from 1 to 2147483647')
        .optional()
        .describe('Seconds. Without it, that of the Zone.'),
      clusters: z.array(cluster, 'write a list of clusters').max(1_000, 'write at most 1,000 clusters'),
    },
    'write a mapping with name, dnsName and clusters',
  )
  .refine(
    (written) => Buffer.byteLength(JSON.stringify(written)) <= SERVICE_OCTETS_MAX,
    'write at most 200,000 octets of one service',
  );

/** The body of `instantiate`. */
export const appBody = z.strictObject(
  {
    version: text('a version', 128),
    profile: text('a profile', 128),
    logicalCloud: label.describe('Its list of DNS Update Records gets public addresses.'),
    services: z.array(service, 'write a list of services').max(20_000, 'write at most 20,000 services'),
  },
  'write a mapping with version, profile, logicalCloud and services',
);

export type Service = Readonly<z.output<typeof service>>;
export type App = Readonly<Omit<z.output<typeof appBody>, 'services'>> & { readonly services: readonly Service[] };

/** An app that was instantiated. */
export type LiveApp = App & { readonly name: string };

/** True for an IPv4 address in four parts, or an IPv6 address without an interface (`%eth0`). */
export function isIp(written: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(written)) return true;
  return /^[^%]*:[^%]*$/.test(written) && ipaddr.IPv6.isValid(written);
}

/** A name of at least two labels that cannot be an address: its last label is not a number. */
function isHost(written: string): boolean {
  return /\.(?!\d+\.?$|0x[^.]*\.?$)[^.]+\.?$/i.test(written) && !/[*/]/.test(written) && parseName(written).ok;
}

/** The name of a service or host in lower case, with the final dot. */
export function fqdnOf(written: string): string {
  const parsed = parseName(written, { wildcard: true });
  return parsed.ok ? parsed.name : `${written.toLowerCase().replace(/\.$/, '')}.`;
}

/** An address in canonical spelling, or a host name without the final dot. */
export function canonicalAddress(written: string): string {
  return isIp(written) ? ipaddr.parse(written).toString() : fqdnOf(written).slice(0, -1);
}

/** True for RFC 1918, unique local, loopback and link-local addresses; false for a host name. */
export function isPrivate(written: string): boolean {
  if (!isIp(written)) return false;
  const range = ipaddr.process(written).range();
  return ['private', 'uniqueLocal', 'loopback', 'linkLocal'].includes(range);
}
