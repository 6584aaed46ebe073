// The host name in rdata: the target of a CNAME, MX, SRV and so on. It is absolute.

/** The place of the host name among the fields of canonical rdata, by type. -1: it is the last. */
const PLACES: Readonly<Record<string, number>> = {
  ...{ CNAME: 0, NS: 0, PTR: 0, MX: 1, SRV: 3, HTTPS: 1, SVCB: 1, NAPTR: -1 },
};

/** The canonical host name in canonical rdata; null for a type that has none, and where "." stands for none. */
export function targetOf(type: string, rdata: string): string | null {
  const place = Object.hasOwn(PLACES, type) ? PLACES[type] : undefined;
  const target = place === undefined ? undefined : rdata.split(' ').at(place);
  return target === undefined || target === '.' ? null : target;
}
