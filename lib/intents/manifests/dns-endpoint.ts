// The DNSEndpoint of one service and one record.
import { fqdnOf } from '../model/app.ts';
import { type Binding, isEmpty } from './bindings.ts';
import { RECORD_LABEL } from './flags.ts';

/** A Kubernetes object that should exist. */
export type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
};

/** The label of the objects that intents made. */
export const MANAGED = { 'app.kubernetes.io/managed-by': 'zone53' };

/** The app that a DNSEndpoint is for. */
export const APP_ANNOTATION = 'zone53.dev/app';

export function endpointName(service: string, record: string): string {
  return `${service}-${record}`;
}

/** The DNSEndpoint of a binding; null if it has nothing to publish. */
export function dnsEndpointOf(project: string, { app, service, record, targets }: Binding): Manifest | null {
  if (isEmpty(targets)) return null;
  const dnsName = fqdnOf(service.dnsName).slice(0, -1);
  const ttl = service.ttl === undefined ? {} : { recordTTL: service.ttl };
  const of = (recordType: string, values: readonly string[]) =>
    values.length === 0 ? [] : [{ dnsName, recordType, ...ttl, targets: values }];
  return {
    apiVersion: 'externaldns.k8s.io/v1alpha1',
    kind: 'DNSEndpoint',
    metadata: {
      name: endpointName(service.name, record),
      namespace: project,
      labels: { ...MANAGED, [RECORD_LABEL]: record },
      annotations: { [APP_ANNOTATION]: app.name },
    },
    spec: {
      endpoints: [
        ...of('A', targets.ipv4),
        ...of('AAAA', targets.ipv6),
        ...of('CNAME', targets.host === null ? [] : [targets.host]),
      ],
    },
  };
}
