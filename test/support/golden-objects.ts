// Golden cases side by side in one cluster. Each has namespaces and a Zone of its own, with the number of the case in
// their names. Fields that an API server requires are added to the objects.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';

const CASES = path.join(import.meta.dirname, '..', 'cases');

export type CaseObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
};

export type PlacedCase = {
  readonly name: string;
  readonly objects: readonly CaseObject[];
  /** What `render -o json` has under `sources` for its namespaces. */
  readonly sources: readonly unknown[];
  /** True when an object belongs to this case. */
  readonly owns: (object: { readonly namespace: string }) => boolean;
};

/** The sources that cases may turn on, with defaults, so that one configuration serves all. */
const PLAIN = /^(?:dnsEndpoints|services|ingresses|gatewayRoutes)$/;

/**
 * The cases of `render` over sources with their defaults. Three sorts are left out: cases with Nodes, which have no
 * namespace; with objects that are being deleted; and in which the older object gets a name, because here all objects
 * are created in the same second.
 */
export function placedCases(): readonly PlacedCase[] {
  return readdirSync(CASES)
    .filter((name) => /^\d+-/.test(name))
    .flatMap((name) => placedCase(name) ?? []);
}

function placedCase(name: string): PlacedCase | null {
  const file = (rest: string) => path.join(CASES, name, rest);
  if (!existsSync(file('zone53.yaml'))) return null;
  const config = parseAllDocuments(readFileSync(file('zone53.yaml'), 'utf8'))[0]?.toJS() as Record<string, object>;
  const on = Object.entries(config.sources ?? {});
  const isPlain = on.every(([key, own]) => PLAIN.test(key) && Object.keys(own ?? {}).length === 0);
  if (Object.keys(config).join() !== 'sources' || on.length === 0 || !isPlain) return null;
  const { render } = JSON.parse(readFileSync(file('expected.json'), 'utf8')) as { render?: { sources?: unknown[] } };
  const text = readdirSync(file('manifests')).map((one) => readFileSync(file(`manifests/${one}`), 'utf8'));
  const read = text.flatMap((one) => parseAllDocuments(one).map((document) => document.toJS() as CaseObject));
  const objects = read.filter((object) => object !== null);
  const unfit = objects.some(
    ({ kind, metadata }) => kind === 'Node' || 'creationTimestamp' in metadata || 'deletionTimestamp' in metadata,
  );
  if (render?.sources === undefined || unfit || /"Conflict"/.test(JSON.stringify(render.sources))) return null;
  const number = Number(name.slice(0, 3));
  return {
    name,
    objects: inPlace(objects, number).map(asServed),
    sources: inPlace(render.sources, number),
    owns: ({ namespace }) => namespace.endsWith(`-${number}`),
  };
}

/** All namespaces end in the number, and all names of example.org are below a label with it. */
function inPlace<T>(values: readonly T[], number: number): readonly T[] {
  const text = JSON.stringify(values)
    .replaceAll(/(example|Example|EXAMPLE)\.(org|Org|ORG)/g, `c${number}.$1.$2`)
    .replaceAll(/"namespace":"([a-z-]+)"/g, `"namespace":"$1-${number}"`)
    .replaceAll(
      /"namespaces":\[([^\]]*)\]/g,
      (_, names: string) => `"namespaces":[${names.replaceAll(/"$|"(?=,)/g, `-${number}"`)}]`,
    )
    .replaceAll(/"parent":"([a-z-]+)\//g, `"parent":"$1-${number}/`)
    .replaceAll(/Zone ([a-z-]+)\//g, `Zone $1-${number}/`);
  const placed = JSON.parse(text) as readonly T[];
  return placed.map((value) => {
    const { kind, metadata } = value as CaseObject;
    return kind === 'Namespace' ? { ...value, metadata: { ...metadata, name: `${metadata.name}-${number}` } } : value;
  });
}

const BACKEND = { service: { name: 'web', port: { number: 80 } } };
const RULES = [{ backendRefs: [{ name: 'web', port: 80 }] }];
const NOTED = { reason: 'Accepted', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };

type ParentStatus = { readonly controllerName?: string; readonly conditions?: readonly object[] };

/** The object with the further fields that the API server requires. */
function asServed(object: CaseObject): CaseObject {
  const { kind, spec = {}, status } = object;
  switch (kind) {
    case 'Service':
      if (spec.ports !== undefined || spec.type === 'ExternalName' || spec.clusterIP === 'None') return object;
      return { ...object, spec: { ...spec, ports: [{ port: 80 }] } };
    case 'Ingress': {
      const paths = [{ path: '/', pathType: 'Prefix', backend: BACKEND }];
      const rules = (spec.rules as readonly object[] | undefined)?.map((rule) => ({ ...rule, http: { paths } }));
      return { ...object, spec: { ...spec, defaultBackend: BACKEND, ...(rules && { rules }) } };
    }
    case 'Gateway': {
      const listeners = (spec.listeners as readonly { readonly protocol?: string }[] | undefined)?.map((listener) => ({
        ...(listener.protocol === 'TLS' && { tls: { mode: 'Passthrough' } }),
        ...listener,
      }));
      return { ...object, spec: { gatewayClassName: 'any', ...spec, ...(listeners && { listeners }) } };
    }
    case 'Pod':
      return { ...object, spec: { containers: [{ name: 'c', image: 'none' }] } };
    case 'HTTPRoute':
    case 'GRPCRoute':
    case 'TLSRoute':
    case 'TCPRoute':
    case 'UDPRoute': {
      const parents = (status?.parents as readonly ParentStatus[] | undefined)?.map((parent) => ({
        ...parent,
        controllerName: parent.controllerName?.includes('/') ? parent.controllerName : 'example.com/gateway',
        conditions: (parent.conditions ?? []).map((condition) => ({ ...NOTED, ...condition })),
      }));
      const rules = kind === 'HTTPRoute' || kind === 'GRPCRoute' ? {} : { rules: RULES };
      return { ...object, spec: { ...rules, ...spec }, ...(parents && { status: { ...status, parents } }) };
    }
    default:
      return object;
  }
}
