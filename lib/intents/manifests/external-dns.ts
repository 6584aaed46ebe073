// The objects that run external-dns for one record: a Deployment, its RBAC, and the secret that it signs with.
import { hash } from 'node:crypto';
import { posix } from 'node:path';
import { compareText } from '../../dns/names/compare-text.ts';
import type { DnsUpdateRecord } from '../model/record.ts';
import { MANAGED, type Manifest } from './dns-endpoint.ts';
import { flagsOf, RECORD_LABEL } from './flags.ts';

const IMAGE = 'registry.k8s.io/external-dns/external-dns:v0.21.0';
/** An annotation key has at most 63 characters after the slash. */
const KEY_CHARACTERS_MAX = 63;
/** The annotations of an object have at most 256 KiB; the rest is left to others. */
const ANNOTATIONS_OCTETS_MAX = 200_000;

export type UsingApp = { readonly name: string; readonly version: string; readonly profile: string };

/** The name of all of these objects. */
export function externalDnsName(record: string): string {
  return `external-dns-${record}`;
}

/** The prefix of the annotation keys of apps. */
export const APPS_PREFIX = 'zone53.dev/app.';
/** The annotation with the number of apps for which there is no room. */
export const APPS_OMITTED = 'zone53.dev/apps-omitted';

/** The key of an app's annotation; a long name is cut and gets a digest. */
export function appAnnotation(app: string): string {
  const key = `app.${app}`;
  if (key.length <= KEY_CHARACTERS_MAX) return `zone53.dev/${key}`;
  const digest = hash('sha256', app, 'hex').slice(0, 8);
  return `zone53.dev/${key.slice(0, KEY_CHARACTERS_MAX - 9)}-${digest}`;
}

/** One annotation for each app, as far as there is room. */
function annotationsOf(apps: readonly UsingApp[]): Readonly<Record<string, string>> {
  const annotations: Record<string, string> = {};
  let octets = 0;
  for (const [index, { name, version, profile }] of apps.toSorted((a, b) => compareText(a.name, b.name)).entries()) {
    const [key, value] = [appAnnotation(name), `${version}/${profile}`];
    octets += Buffer.byteLength(key) + Buffer.byteLength(value);
    if (octets > ANNOTATIONS_OCTETS_MAX) {
      annotations[APPS_OMITTED] = String(apps.length - index);
      break;
    }
    annotations[key] = value;
  }
  return annotations;
}

/** The objects of a record that external-dns serves for `apps`. `secrets`: with their values, never for an answer. */
export function externalDnsOf(
  project: string,
  record: DnsUpdateRecord,
  apps: readonly UsingApp[],
  { secrets }: { readonly secrets: boolean },
): readonly Manifest[] {
  const name = externalDnsName(record.metadata.name);
  const labels = { ...MANAGED, 'app.kubernetes.io/name': 'external-dns', [RECORD_LABEL]: record.metadata.name };
  const metadata = { name, namespace: project, labels };
  const rbac = 'rbac.authorization.k8s.io';
  const azure = azureConfigOf(record, name);
  const secret = record.secrets['rfc2136-tsig-secret'];
  const secretManifest: readonly Manifest[] =
    secret === undefined
      ? []
      : [
          {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata,
            type: 'Opaque',
            ...(secrets ? { data: { 'rfc2136-tsig-secret': Buffer.from(secret).toString('base64') } } : {}),
          },
        ];
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata,
      rules: [
        { apiGroups: ['externaldns.k8s.io'], resources: ['dnsendpoints'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: ['externaldns.k8s.io'], resources: ['dnsendpoints/status'], verbs: ['get', 'patch', 'update'] },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace: project }],
    },
    ...secretManifest,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...metadata, annotations: annotationsOf(apps) },
      spec: {
        replicas: 1,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: { 'app.kubernetes.io/name': 'external-dns', [RECORD_LABEL]: record.metadata.name } },
        template: {
          metadata: { labels, ...(secret === undefined ? {} : { annotations: secretMark(project, record, secret) }) },
          spec: {
            serviceAccountName: name,
            containers: [
              {
                name: 'external-dns',
                image: IMAGE,
                args: flagsOf(project, record),
                ...environmentOf(record, name),
                ...azure.container,
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  runAsNonRoot: true,
                  capabilities: { drop: ['ALL'] },
                },
              },
            ],
            ...azure.pod,
          },
        },
      },
    },
  ];
}

/** A pod annotation that changes with the secret, so that pods are replaced. */
function secretMark(project: string, { metadata: { name } }: DnsUpdateRecord, secret: string) {
  const digest = hash('sha256', JSON.stringify([project, name, secret]), 'hex').slice(0, 8);
  return { 'zone53.dev/secret': digest };
}

/**
 * The TSIG secret, as the environment variable of external-dns. CoreDNS needs the address of etcd and credentials,
 * Cloud Map those of AWS. The design has no parameters for these, so they come from a Secret that the operator makes.
 */
function environmentOf({ provider, secrets }: DnsUpdateRecord, name: string): object {
  const own = { coredns: 'etcd', 'aws-sd': 'aws' }[provider as string];
  if (own !== undefined) return { envFrom: [{ secretRef: { name: `${name}-${own}`, optional: true } }] };
  if (secrets['rfc2136-tsig-secret'] === undefined) return {};
  const secretKeyRef = { name, key: 'rfc2136-tsig-secret' };
  return { env: [{ name: 'EXTERNAL_DNS_RFC2136_TSIG_SECRET', valueFrom: { secretKeyRef } }] };
}

/** The default file of external-dns for the configuration of Azure. */
const AZURE_CONFIG = '/etc/kubernetes/azure.json';

/** Mounts Azure's configuration with its credentials: key `azure.json` of a Secret that the operator makes. */
function azureConfigOf({ provider, parameters }: DnsUpdateRecord, name: string) {
  const file = String(parameters['azure-config-file'] ?? AZURE_CONFIG);
  const mountPath = posix.dirname(file);
  // The root of the container must not be mounted over.
  if (!provider.startsWith('azure') || !posix.isAbsolute(file) || mountPath === '/') return { container: {}, pod: {} };
  const items = [{ key: 'azure.json', path: posix.basename(file) }];
  return {
    container: { volumeMounts: [{ name: 'azure', mountPath, readOnly: true }] },
    pod: { volumes: [{ name: 'azure', secret: { secretName: `${name}-azure`, items, optional: true } }] },
  };
}
