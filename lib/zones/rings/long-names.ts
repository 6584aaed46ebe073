// Zones with partial names that are too long under their parents, and that go back to their former specs. Pure: it
// needs only the name of each Zone and the Zone that it names.
import { NAME_OCTETS_MAX, nameOctets } from '../../dns/names/name.ts';
import type { AcceptedReason, Verdict } from '../../objects/conditions.ts';
import type { ZoneKey } from '../../objects/object-ref.ts';
import type { DomainName } from '../../objects/spec-fields.ts';

/** The parts of a present or former spec that decide a Zone's name. */
type Naming = {
  readonly domainName: Exclude<DomainName, { kind: 'apex' }>;
  readonly zoneRef: ZoneKey | null;
};

/** The present and former naming of each Zone; null if there is none. The zoneRefs must not form a ring. */
export type Namings = ReadonlyMap<ZoneKey, { readonly now: Naming | null; readonly former: Naming | null }>;

/** The Zones whose names are too long, but would not be by their former specs: each with the name that is too long. */
export function zonesWithTooLongNames(zones: Namings): ReadonlyMap<ZoneKey, string> {
  const tooLong = new Map<ZoneKey, string>();
  /** Null: it leads to no name. */
  const names = new Map<ZoneKey, string | null>();
  const nameBy = ({ domainName, zoneRef }: Naming): string | null => {
    if (domainName.kind === 'full') return domainName.fqdn;
    const parent = names.get(zoneRef as ZoneKey) ?? null;
    return parent === null ? null : `${domainName.labels}.${parent}`;
  };
  const conclude = (key: ZoneKey) => {
    const { now = null, former = null } = zones.get(key) ?? {};
    const name = now === null ? null : nameBy(now);
    const was = former === null || fits(name) ? null : nameBy(former);
    if (name !== null && was !== null && fits(was)) tooLong.set(key, name);
    names.set(key, fits(name) ? name : was);
  };
  // The name of a Zone is decided after those of the Zones that it names, however many there are in a row.
  for (const first of [...zones].flatMap(([key, { former }]) => (former === null ? [] : [key]))) {
    const row = [first];
    const underWay = new Set(row);
    for (let key: ZoneKey | undefined = first; key !== undefined; key = row.at(-1)) {
      const { now = null, former = null } = zones.get(key) ?? {};
      const next = [now, former]
        .flatMap((one) => one?.zoneRef ?? [])
        .find((one) => !names.has(one) && !underWay.has(one));
      if (next !== undefined) {
        row.push(next);
        underWay.add(next);
        continue;
      }
      conclude(key);
      row.pop();
    }
  }
  return tooLong;
}

function fits(name: string | null): boolean {
  return name === null || nameOctets(name) <= NAME_OCTETS_MAX;
}

/** The verdict on a partial name that is too long under its parent. */
export function tooLong(fqdn: string): Verdict<AcceptedReason> {
  return {
    reason: 'InvalidSpec',
    message: `spec.domainName: under its parent the name is ${nameOctets(fqdn)} octets long, more than ${NAME_OCTETS_MAX}: ${fqdn}`,
  };
}
