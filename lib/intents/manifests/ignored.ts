// The parameters of a record that have no effect, with the reason. Answers list them, so that nobody waits for their
// effect.
import { BATCH_ELEMENTS_MAX } from '../../route53/batch-changes.ts';
import type { DnsUpdateRecord } from '../model/record.ts';
import { textNameOf } from './text-name.ts';

export type Ignored = { readonly parameter: string; readonly reason: string };

const SOURCE_ONLY = 'it concerns Services and Ingresses, and the source is always DNSEndpoints';
const NOT_A_PROCESS = 'it concerns the process of external-dns, and zone53 serves provider aws itself';
const NO_PATHS = 'it is a path in the container of external-dns, and zone53 serves provider aws itself';

/** Without effect for every provider. */
const BY_SOURCE: Readonly<Record<string, string>> = {
  'fqdn-template': SOURCE_ONLY,
  'combine-fqdn-annotation': SOURCE_ONLY,
  'ignore-hostname-annotation': SOURCE_ONLY,
  compatibility: SOURCE_ONLY,
  'publish-internal-services': SOURCE_ONLY,
  'publish-host-ip': SOURCE_ONLY,
  'service-type-filter': SOURCE_ONLY,
  'contour-load-balancer':
    'external-dns has had no such flag since it reads HTTPProxy objects, and the source is always DNSEndpoints',
};

/** Without effect for provider aws, where zone53 publishes. */
const BY_AWS: Readonly<Record<string, string>> = {
  'request-timeout': NOT_A_PROCESS,
  'tls-ca': NO_PATHS,
  'tls-client-cert': NO_PATHS,
  'tls-client-cert-key': NO_PATHS,
  'txt-cache-interval': 'zone53 knows what it published, and caches no TXT records',
  interval: 'zone53 publishes a change when it happens, and compares everything on a schedule of its own',
  'aws-batch-change-interval':
    'zone53 sends a batch when the budget of the account allows it (budget in the configuration)',
  'aws-api-retries': 'zone53 tries a call again until it is answered',
  'log-format': NOT_A_PROCESS,
  'log-level': NOT_A_PROCESS,
  'metrics-address': NOT_A_PROCESS,
};

/** The parameters of this record that are accepted without effect, in alphabetical order. */
export function ignoredOf({ provider, parameters }: DnsUpdateRecord): readonly Ignored[] {
  const reasons: Record<string, string> = { ...BY_SOURCE, ...(provider === 'aws' ? BY_AWS : {}) };
  const given = (name: string) => parameters[name] !== undefined;
  if (given('aws-evaluate-target-health') && given('no-aws-evaluate-target-health'))
    reasons['aws-evaluate-target-health'] = 'no-aws-evaluate-target-health is given too, and wins';
  if (parameters.registry === 'noop') {
    reasons['txt-prefix'] = 'no TXT records are written with registry noop';
  } else if (provider === 'aws' && textNameOf(parameters, 'a', 'www.example.org') === null) {
    reasons['txt-prefix'] = 'no valid name begins so, and no TXT records are written';
  }
  if (provider === 'aws' && Number(parameters['aws-batch-change-size']) > BATCH_ELEMENTS_MAX)
    reasons['aws-batch-change-size'] = `Route 53 takes ${BATCH_ELEMENTS_MAX} changes in a batch, and no more are sent`;
  if (provider === 'aws-sd') {
    const reason = 'AWS Cloud Map has its own ownership: external-dns uses aws-sd in its place';
    if (parameters.registry === 'txt') reasons.registry = reason;
    reasons['txt-prefix'] = reason;
  }
  if (provider === 'rfc2136' && parameters['rfc2136-insecure'] === true) {
    for (const name of ['rfc2136-tsig-keyname', 'rfc2136-tsig-secret-alg'])
      reasons[name] = 'rfc2136-insecure is true, so nothing is signed';
  }
  return Object.keys(parameters)
    .filter((name) => given(name) && reasons[name] !== undefined)
    .sort()
    .map((parameter) => ({ parameter, reason: reasons[parameter] ?? '' }));
}

/** Whether aliases evaluate the health of their targets: `no-` wins. */
export function evaluatesTargetHealth({ parameters }: DnsUpdateRecord): boolean {
  const no = parameters['no-aws-evaluate-target-health'];
  return typeof no === 'boolean' ? !no : parameters['aws-evaluate-target-health'] !== false;
}
