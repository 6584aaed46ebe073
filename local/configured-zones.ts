// Creates the hosted zones that a configuration names by id in the local Route 53, with the same ids. They exist in the
// real account only; so one configuration works for both.
import { createHash, randomUUID } from 'node:crypto';
import { PUBLIC } from '../lib/dns/names/view.ts';
import { formatRoute53Name } from '../lib/route53/escapes.ts';
import type { Route53State } from './route53/model/state.ts';

export type ConfiguredZone = {
  readonly zone: string;
  readonly id: string;
  readonly visibility?: 'public' | 'private';
  /** Absent: the public one. */
  readonly view?: string;
};

/** Creates the hosted zones that are missing. Existing ones are not changed. */
export function makeConfiguredZones(state: Route53State, zones: readonly ConfiguredZone[]): void {
  const existing = new Set(state.zones().map(({ id }) => id));
  for (const { zone, id, visibility } of zones.filter((one) => !existing.has(one.id))) {
    existing.add(id);
    state.createHostedZone({
      id,
      name: formatRoute53Name(zone),
      callerReference: `zone53 local ${randomUUID()}`,
      comment: 'as the configuration names it',
      vpc: visibility === 'private' ? { id: vpcOf(id), region: 'us-east-1' } : null,
    });
  }
}

/** Puts the hosted zones that the configuration names first: the DNS server asks the first one of a name. */
function configuredFirst<Zone extends Pick<ConfiguredZone, 'id'>>(
  zones: readonly Zone[],
  configured: readonly ConfiguredZone[],
): readonly Zone[] {
  const ids = new Set(configured.map(({ id }) => id));
  return [...zones.filter(({ id }) => ids.has(id)), ...zones.filter(({ id }) => !ids.has(id))];
}

/** The hosted zones of a view, the configured ones first; of the public one: all that are of no other. */
export function zonesOfView<Zone extends Pick<ConfiguredZone, 'id'>>(
  zones: readonly Zone[],
  configured: readonly ConfiguredZone[],
  view: string,
): readonly Zone[] {
  const views = new Map(configured.map(({ id, view: of = PUBLIC }) => [id, of]));
  return configuredFirst(
    zones.filter(({ id }) => (views.get(id) ?? PUBLIC) === view),
    configured,
  );
}

/** A VPC of its own: one VPC sees one private hosted zone of a name. */
function vpcOf(hostedZoneId: string): string {
  return `vpc-${createHash('sha256').update(hostedZoneId).digest('hex').slice(0, 17)}`;
}
