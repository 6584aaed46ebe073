import { expect, test } from 'vitest';
import type { Provider } from '../model/parameters.ts';
import { externalDnsOf } from './external-dns.ts';

type Pod = {
  readonly volumes?: readonly object[];
  readonly containers: readonly { readonly envFrom?: readonly object[]; readonly volumeMounts?: readonly object[] }[];
};

function podOf(provider: Provider, parameters: Readonly<Record<string, string>> = {}): Pod {
  const record = { metadata: { name: 'dns' }, provider, parameters, secrets: {} };
  const apps = [{ name: 'web', version: 'v1', profile: 'p' }];
  const deployment = externalDnsOf('shop', record, apps, { secrets: true }).find(({ kind }) => kind === 'Deployment');
  if (deployment === undefined) throw new Error('there is no Deployment');
  return (deployment.spec as { readonly template: { readonly spec: Pod } }).template.spec;
}

test.each<[Provider, object, string]>([
  ['azure', {}, '/etc/kubernetes'],
  ['azure-dns', { 'azure-config-file': '/azure/config/dns.json' }, '/azure/config'],
  ['azure-private-dns', {}, '/etc/kubernetes'],
])('the configuration file of %s comes from a Secret', (provider, parameters, mountPath) => {
  const { volumes, containers } = podOf(provider, parameters as Readonly<Record<string, string>>);
  const path = provider === 'azure-dns' ? 'dns.json' : 'azure.json';
  const secret = { secretName: 'external-dns-dns-azure', items: [{ key: 'azure.json', path }], optional: true };
  expect(volumes).toEqual([{ name: 'azure', secret }]);
  expect(containers[0]?.volumeMounts).toEqual([{ name: 'azure', mountPath, readOnly: true }]);
});

test.each(['/azure.json', 'azure.json'])('nothing is mounted for %s', (file) => {
  const { volumes, containers } = podOf('azure', { 'azure-config-file': file });
  expect([volumes, containers[0]?.volumeMounts]).toEqual([undefined, undefined]);
});

test.each<[Provider, string | null]>([
  ['coredns', 'external-dns-dns-etcd'],
  ['aws-sd', 'external-dns-dns-aws'],
  ['rfc2136', null],
])('the environment of %s comes from %s', (provider, name) => {
  const { volumes, containers } = podOf(provider);
  expect(volumes).toBeUndefined();
  expect(containers[0]?.envFrom).toEqual(name === null ? undefined : [{ secretRef: { name, optional: true } }]);
});
