// The former forms of an object whose newer ones only the Zones can judge: an alias, or a partial name. A form is what
// the object asked for in its views at one time. In each view, the last valid one stays in force.
import { nameOctets } from '../../dns/names/name.ts';
import { realName, viewOf } from '../../dns/names/view.ts';
import { type Endpoint, type OpenEndpoint, openEndpoint } from '../../objects/endpoint.ts';
import { sameJson } from '../../objects/same-json.ts';

/** The most former forms that are kept for one whose validity only the Zones decide. */
const FORMERS_MAX = 8;

/**
 * The former endpoints of those that only Zones can judge, newest first. Each is replaced by the first valid newer one,
 * in its own view.
 */
export function formersOf(now: readonly Endpoint[], before: readonly Endpoint[]): Endpoint[] {
  const earlier = before.filter(({ standsInFor }) => standsInFor === undefined);
  // A Record has one endpoint in each of its views. Those before are its former ones, whatever their names and types.
  if (isOneInItsViews(now) && isOneInItsViews(earlier)) return chainOfFormers(now, formsSince(now, earlier, before));
  const asked = new Set(now.map(idOf));
  return now.flatMap((endpoint) => {
    if (openEndpoint(endpoint) === null) return [];
    const isFormer = (one: Endpoint) =>
      idOf(one) === idOf(endpoint) || (nameOf(one) === nameOf(endpoint) && !asked.has(idOf(one)));
    return earlier
      .filter(isFormer)
      .flatMap((former) => chainOfFormers([endpoint], formsSince([endpoint], [former], before)));
  });
}

/** What an object asked for in its views at one time. */
type Form = readonly Endpoint[];

/** The former forms of `now`, the newest first. */
function formsSince(now: Form, earlier: Form, before: readonly Endpoint[]): Form[] {
  const opens = earlier.map(openEndpoint);
  const older = before.filter(
    ({ standsInFor: [last] = [] }) => last !== undefined && opens.some((own) => sameJson(last, own)),
  );
  const byAge = Map.groupBy(older, ({ standsInFor = [] }) => standsInFor.length);
  const forms = [...byAge.keys()].sort((one, other) => one - other).map((age) => byAge.get(age) as Form);
  return sameJson(earlier.map(withoutFlaw), now.map(withoutFlaw)) ? forms : [earlier, ...forms];
}

function chainOfFormers(now: Form, forms: readonly Form[]): Endpoint[] {
  if (now.every((one) => openEndpoint(one) === null)) return [];
  const newer: Form[] = [now];
  const chain: Endpoint[][] = [];
  for (const form of forms) {
    const opens = newer.flat().flatMap((one) => openEndpoint(one) ?? []);
    const former = distinct(
      form
        .filter(({ flaw, type }) => flaw?.isInForce !== false && !(type === 'NS' && opens.some(isOpenAlias)))
        .map(({ flaw: _, standsInFor: __, ...said }) => said),
    );
    const owns = former.flatMap((one) => openEndpoint(one) ?? []);
    const stands = former.flatMap((one) => standsIn(one, newer));
    if (stands.length > 0 && owns.length === 0) return [...chain, stands].flat();
    if (owns.every((own) => opens.some((one) => sameJson(one, own) || isInvalidWith(own, one)))) continue;
    if (chain.length >= FORMERS_MAX) {
      if (owns.some(isOpenAlias)) continue;
      // The new one replaces the last: its name is shorter, so it is more likely to be valid.
      chain.pop();
    }
    chain.push(stands);
    newer.push(former);
  }
  return chain.flat();
}

/** A former endpoint with those that replaced it in its view. Without a view, it has one in each view of theirs. */
function standsIn(former: Endpoint, newer: readonly Form[]): Endpoint[] {
  const own = viewAskedIn(former);
  const views = new Set(own === undefined ? newer.flat().map(viewAskedIn) : [own]);
  const each = [...views].map((view) =>
    newer.flatMap((form) => {
      const inView = form.find((one) => (viewAskedIn(one) ?? view) === view) ?? form[0];
      return (inView && openEndpoint(inView)) ?? [];
    }),
  );
  return distinct(each).map((standsInFor) => ({ ...former, standsInFor }));
}

function distinct<One>(all: readonly One[]): One[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

/** True if all are one endpoint in several views. */
function isOneInItsViews(endpoints: readonly Endpoint[]): boolean {
  const [first, ...others] = endpoints;
  return first !== undefined && others.every((one) => sameJson(withoutView(one), withoutView(first)));
}

function withoutView({ view: _, anyView: __, flaw: ___, ...endpoint }: Endpoint): Endpoint {
  const { domainName, alias } = endpoint;
  return {
    ...endpoint,
    ...(domainName.kind === 'full' && { domainName: { kind: 'full', fqdn: realName(domainName.fqdn) } }),
    ...(alias !== undefined && { alias: { ...alias, target: realName(alias.target) } }),
  };
}

/** The view in which an endpoint is asked for; undefined: that of its Zone. */
function viewAskedIn({ domainName, view }: Endpoint): string | undefined {
  return domainName.kind === 'full' ? viewOf(domainName.fqdn) : view;
}

/** True for an alias whose validity depends on the hosted zone that its Zone publishes to. */
function isOpenAlias({ target }: OpenEndpoint): boolean {
  return target !== null;
}

/** True if this partial name is too long in every Zone in which `other`, which is not longer, is too long. */
function isInvalidWith({ domainName, zoneRef }: OpenEndpoint, other: OpenEndpoint): boolean {
  if (domainName.kind !== 'partial' || other.domainName.kind !== 'partial') return false;
  if (isOpenAlias(other) || zoneRef !== other.zoneRef) return false;
  return nameOctets(other.domainName.labels) <= nameOctets(domainName.labels);
}

/** An endpoint without what was wrong with it. */
export function withoutFlaw({ flaw: _, ...endpoint }: Endpoint): Endpoint {
  return endpoint;
}

/** Its fully qualified name; empty: it has a name relative to its zoneRef. */
export function nameOf({ domainName }: Endpoint): string {
  return domainName.kind === 'full' ? domainName.fqdn : '';
}

/** The key of an endpoint: name, type and set identifier. */
export function idOf(endpoint: Endpoint): string {
  return `${nameOf(endpoint)} ${endpoint.type} ${endpoint.routing?.setIdentifier ?? endpoint.flaw?.setIdentifier ?? ''}`;
}
