// The name that an object asks for, also if no Zone adopts it, or if its spec is wrong and the name can be told.
import { parseName } from '../dns/names/name.ts';
import type { ZoneKey } from '../objects/object-ref.ts';
import type { Mapping } from '../objects/plain.ts';
import type { EndpointOutcome } from '../zones/resolve-cluster.ts';

/** The fqdn of a Zone, live or not; null: there is no such Zone, or it has none. */
type FqdnOf = (zone: ZoneKey) => string | null;

/** `spec`: as it was written, for an object without an endpoint in force. */
export function nameAsked(
  { fqdn, endpoint, ref }: Pick<EndpointOutcome, 'fqdn' | 'endpoint' | 'ref'>,
  spec: Mapping,
  fqdnOf: FqdnOf,
): string | null {
  if (fqdn !== null) return fqdn;
  if (endpoint === null) return writtenName(spec, ref.namespace, fqdnOf);
  const { domainName, zoneRef } = endpoint;
  if (domainName.kind === 'full') return domainName.fqdn;
  return below(zoneRef, domainName.kind === 'apex' ? '' : `${domainName.labels}.`, fqdnOf);
}

function below(zoneRef: ZoneKey | null, labels: string, fqdnOf: FqdnOf): string | null {
  const fqdn = zoneRef === null ? null : fqdnOf(zoneRef);
  return fqdn === null ? null : `${labels}${fqdn}`;
}

/** The name in a spec that is wrong. */
function writtenName(spec: Mapping, ownNamespace: string, fqdnOf: FqdnOf): string | null {
  const written = spec.domainName;
  if (typeof written !== 'string') return null;
  const parsed = parseName(written, { wildcard: true });
  const zoneRef = spec.zoneRef as { readonly name?: unknown; readonly namespace?: unknown } | null | undefined;
  if (written.endsWith('.') || typeof zoneRef?.name !== 'string') return parsed.ok ? parsed.name : null;
  const namespace = typeof zoneRef.namespace === 'string' ? zoneRef.namespace : ownNamespace;
  return below(`${namespace}/${zoneRef.name}`, written === '@' ? '' : `${written.toLowerCase()}.`, fqdnOf);
}
