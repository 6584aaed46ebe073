// Finds the version in which an API server serves a kind: the preferred version of its group, or else the next that has
// the kind. zone53's own kinds and the core group have fixed versions. The result is cached for some time, because a
// CRD may come, go or change.
import { apiVersionOf, type Kind } from '../../objects/kind.ts';
import { type Mapping, mapping } from '../../objects/plain.ts';
import type { Clock } from '../../ports/clock.ts';
import { KIND_NOT_SERVED } from '../../ports/cluster.ts';
import type { Config } from '../../ports/config.ts';
import { hasStatus, KubernetesError } from './http/kubernetes-error.ts';
import type { KubernetesTransport } from './http/transport.ts';

/** The kind in the served version; null if the API server does not know it. */
export type ServedKinds = {
  find(kind: Kind): Promise<Kind | null>;
  /** Drops what is cached for the kind. */
  forget(kind: Kind): void;
  /**
   * True for a kind whose absence is no mistake: an experimental one, and zone53's own kinds in a seed whose
   * configuration has no Zones.
   */
  mayLack(kind: Kind): boolean;
};

/**
 * zone53's own kinds. `needed`: without them, nothing can be read. `optional`: the API server serves DNSRecords, so
 * they are looked up too, and may be missing. `unwanted`: `roots` lists no name, so nobody misses them.
 */
export type OwnKinds = 'needed' | 'optional' | 'unwanted';

/** What the configuration says of zone53's own kinds. */
export function ownKindsOf({ dnsRecords, roots }: Pick<Config, 'dnsRecords' | 'roots'>): OwnKinds {
  if (dnsRecords === null) return 'needed';
  return (roots ?? []).length > 0 ? 'optional' : 'unwanted';
}

const FOUND_MS = 300_000;
const MISSING_MS = 5_000;

/** The kinds that this API server serves. */
export function servedKinds(transport: KubernetesTransport, clock: Clock, own: OwnKinds = 'needed'): ServedKinds {
  const known = new Map<string, { readonly found: Promise<Kind | null>; untilMs: number }>();
  return {
    find: async (kind) => {
      if (kind.group === '' || (isOwn(kind) && own === 'needed')) return kind;
      const before = known.get(kind.kind);
      if (before !== undefined && before.untilMs > clock.nowMs()) return before.found;
      const entry = { found: discover(transport, kind), untilMs: clock.nowMs() + FOUND_MS };
      known.set(kind.kind, entry);
      try {
        const found = await entry.found;
        if (found === null) entry.untilMs = clock.nowMs() + MISSING_MS;
        return found;
      } catch (error) {
        known.delete(kind.kind);
        throw error;
      }
    },
    forget: (kind) => {
      known.delete(kind.kind);
    },
    mayLack: (kind) => kind.mayBeAbsent === true || (isOwn(kind) && own === 'unwanted'),
  };
}

function isOwn({ status }: Kind): boolean {
  return status === 'subresource';
}

async function discover(transport: KubernetesTransport, kind: Kind): Promise<Kind | null> {
  const group = await read(transport, `/apis/${kind.group}`);
  if (group === null) return null;
  const preferred = mapping(group.preferredVersion).version;
  const all = (Array.isArray(group.versions) ? group.versions : []).map((one) => mapping(one).version);
  for (const version of new Set([preferred, ...all])) {
    if (typeof version !== 'string' || !isReadIn(kind, version)) continue;
    const list = await read(transport, `/apis/${kind.group}/${version}`);
    const resources = Array.isArray(list?.resources) ? list.resources.map(mapping) : [];
    if (resources.some(({ name }) => name === kind.resource)) return { ...kind, version };
  }
  return null;
}

/** The expressions of a source of the configuration are written for one version. Other sources read any. */
function isReadIn({ apiKind, version }: Kind, served: string): boolean {
  return apiKind === undefined || served === version;
}

/** Null if there is nothing at that path. */
async function read(transport: KubernetesTransport, path: string): Promise<Mapping | null> {
  try {
    return mapping(
      await transport.send({
        action: 'read which kinds are served',
        method: 'GET',
        path,
        rule: { group: '', resource: path, verb: 'get' },
      }),
    );
  } catch (error) {
    if (hasStatus(error, 404)) return null;
    throw error;
  }
}

/** The kind in the served version. Throws `KubernetesError` if the API server does not know it. */
export async function servedKind(served: ServedKinds, kind: Kind): Promise<Kind> {
  const found = await served.find(kind);
  if (found === null) throw new KubernetesError(notServed(kind), { status: null });
  return found;
}

export function notServed(kind: Kind): string {
  const remedy = isOwn(kind) ? 'run kubectl apply -f crds/' : 'install its CRD, or remove its key from sources';
  return `${kind.kind} (${kind.apiKind === undefined ? kind.group : apiVersionOf(kind)}) ${KIND_NOT_SERVED}: ${remedy}`;
}

/** True for the answer to a path that does not exist (any more): a 404 without the name of an object. */
export function isNoSuchType(error: unknown): boolean {
  return hasStatus(error, 404) && error.objectName === null;
}
