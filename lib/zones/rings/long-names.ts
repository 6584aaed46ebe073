// Zones with partial names that are too long under their parents, and which go back to what they said before. Pure, and
// knows of a Zone only its name and whom it names.
import { NAME_OCTETS_MAX, nameOctets } from '../../dns/names/name.ts';
import type { AcceptedReason, Verdict } from '../../objects/conditions.ts';
import type { ZoneKey } from '../../objects/object-ref.ts';
import type { DomainName } from '../../objects/spec-fields.ts';

/** What a Zone says, or said before, of its name. */
type Naming = {
  readonly domainName: Exclude<DomainName, { kind: 'apex' }>;
  readonly zoneRef: ZoneKey | null;
};

/** What each Zone says, and what it said before; null where that is nothing. No zoneRefs form a ring. */
export type Namings = ReadonlyMap<ZoneKey, { readonly now: Naming | null; readonly former: Naming | null }>;

/** The Zones whose names are too long, and were not by what they said before: each with that name. */
export function goBackFromTooLong(zones: Namings): ReadonlyMap<ZoneKey, string> {
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
  // The Zones that one names come first, however many there are in a row.
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
