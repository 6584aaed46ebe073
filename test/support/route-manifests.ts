// Gateways and routes as manifests have them, for the tests of the source.
import type { Source } from '../../lib/objects/source.ts';
import { ROUTES } from '../../lib/sources/external-dns/gateway-route.ts';
import { linesOf } from './source-lines.ts';

type Around = Parameters<typeof linesOf>[2];

export const NOTHING = { endpoints: [], invalid: [], problems: [], waits: [] };

/** A Gateway infra/gw at 192.0.2.1 with these listeners. */
export function gateway(
  listeners: readonly object[],
  more: { metadata?: object; status?: object; spec?: object } = {},
) {
  return {
    kind: 'Gateway',
    metadata: { name: 'gw', namespace: 'infra', ...more.metadata },
    spec: { listeners: listeners.map((listener) => ({ ...ALL, ...listener })), ...more.spec },
    status: more.status ?? { addresses: [{ type: 'IPAddress', value: '192.0.2.1' }] },
  };
}

export const ALL = { name: 'http', port: 80, protocol: 'HTTP', allowedRoutes: { namespaces: { from: 'All' } } };
export const TO_GW = { name: 'gw', namespace: 'infra' };
export const ACCEPTED = [{ type: 'Accepted', status: 'True' }];

export type Route = {
  readonly kind?: string;
  readonly hostnames?: readonly string[];
  readonly parentRefs?: readonly unknown[];
  readonly parents?: readonly unknown[];
  /** Those of external-dns without their prefix, others with it. */
  readonly annotations?: Readonly<Record<string, string>>;
};

/** The lines of a route shop/web, which its Gateway has accepted unless `parents` say otherwise. */
export function routeLines(route: Route, related: readonly object[], around: Around = {}) {
  const { kind = 'HTTPRoute', hostnames, parentRefs = [TO_GW], annotations = {} } = route;
  const parents =
    route.parents ?? parentRefs.map((parentRef) => ({ parentRef, controllerName: 'a/b', conditions: ACCEPTED }));
  const keys = Object.entries(annotations).map(([key, value]) => [
    key.includes('/') ? key : `external-dns.kubernetes.io/${key}`,
    value,
  ]);
  const object = {
    metadata: { name: 'web', namespace: 'shop', annotations: Object.fromEntries(keys) },
    spec: { parentRefs, ...(hostnames === undefined ? {} : { hostnames }) },
    status: { parents },
  };
  const source = ROUTES.find((one) => one.kind === kind) as Source;
  return linesOf(source, object, { ...around, related: related as never });
}

export const WWW = ['www.example.org'];
export const PUBLISHED = { ...NOTHING, endpoints: ['www.example.org. A 192.0.2.1'] };
