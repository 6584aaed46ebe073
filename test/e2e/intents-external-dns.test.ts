// The real external-dns accepts the flags that are made of a DNS Update Record, for every provider and parameter.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { flagsOf } from '../../lib/intents/manifests/flags.ts';
import { BLOCK_OF, type Provider } from '../../lib/intents/model/parameters.ts';
import { buildRecord, recordBody as schema } from '../../lib/intents/model/record.ts';
import { describeWithEngine, engine } from '../engines/engines.ts';
import { recordBody } from '../support/intent-client.ts';

const GENERAL = {
  'request-timeout': '30s',
  'contour-load-balancer': 'heptio-contour/contour',
  'fqdn-template': '{{.Name}}.example.org',
  'combine-fqdn-annotation': true,
  'ignore-hostname-annotation': true,
  compatibility: 'mate',
  'publish-internal-services': true,
  'publish-host-ip': 'true',
  'service-type-filter': ['ClusterIP', 'NodePort'],
  'domain-filter': 'example.org, example.net',
  'exclude-domains': ['x.example.org'],
  'zone-id-filter': 'Z1',
  'tls-ca': '/ca',
  'tls-client-cert': '/cert',
  'tls-client-cert-key': '/key',
  policy: 'upsert-only',
  registry: 'txt',
  'txt-owner-id': 'me',
  'txt-prefix': 'own.',
  'txt-cache-interval': '30s',
  interval: '1m30s',
  once: true,
  'dry-run': true,
  'log-format': 'json',
  'metrics-address': '127.0.0.1:0',
  'log-level': 'warning',
};

const BLOCKS = {
  aws: {
    'aws-zone-type': 'public',
    'aws-zone-tags': 'a=b, c',
    'aws-assume-role': 'arn:aws:iam::123456789012:role/dns',
    'aws-batch-change-size': 100,
    'aws-batch-change-interval': '1s',
    'aws-evaluate-target-health': true,
    'no-aws-evaluate-target-health': true,
    'aws-api-retries': 3,
    'aws-prefer-cname': true,
  },
  azure: {
    'azure-config-file': '/etc/kubernetes/azure.json',
    'azure-resource-group': 'group',
    'azure-subscription-id': 'subscription',
    'azure-user-assigned-identity-client-id': 'client',
  },
  coredns: { 'coredns-prefix': 'skydns' },
  rfc2136: {
    'rfc2136-host': 'ns.example.org',
    'rfc2136-port': 53,
    'rfc2136-zone': 'example.org',
    'rfc2136-insecure': false,
    'rfc2136-tsig-keyname': 'key',
    'rfc2136-tsig-secret': 'c2VjcmV0',
    'rfc2136-tsig-secret-alg': 'hmac-sha512',
    'rfc2136-tsig-axfr': 'axfr',
  },
};

describeWithEngine('external-dns', 'external-dns 0.21.0', () => {
  const program = engine('external-dns') ?? '';

  test.each(Object.keys(BLOCK_OF) as Provider[])('takes every parameter of provider %s', (provider) => {
    const body = recordBody('dns', provider, { ...GENERAL, ...BLOCKS[BLOCK_OF[provider]] });
    const flags = flagsOf('shop', buildRecord(schema.parse(body), null));
    // There is no cluster: external-dns accepts its flags, and then fails to find one.
    const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' };
    const ran = spawnSync(program, flags, { env, encoding: 'utf8', timeout: 60_000 });
    const said = `${ran.stdout}${ran.stderr}`;
    expect(said).not.toMatch(
      /flag parsing error|unknown (long|short) flag|config validation failed|enum value must be/,
    );
    expect(said).toMatch(/kubeconfig|cluster configuration|KUBERNETES_SERVICE_HOST|azure|aws|etcd/i);
  });

  test('refuses a flag that it does not know', () => {
    const ran = spawnSync(program, ['--source=crd', '--provider=aws', '--colour=red'], { encoding: 'utf8' });
    expect(`${ran.stdout}${ran.stderr}`).toMatch(/flag parsing error.*unknown long flag/);
  });
});
