// Collects the record sets of one object: values by name and type. An invalid name is left out alone, as a problem of
// the object. If a record set has too many values, the first ones count.
import { parseName } from '../../dns/names/name.ts';
import { quote } from '../../dns/names/quote.ts';
import { parseRdata, sortRdata } from '../../dns/rdata/rdata.ts';
import type { Endpoint } from '../../objects/endpoint.ts';
import type { SourceProblem, SourceResult } from '../../objects/source.ts';
import { VALUES_MAX } from '../../route53/record-set-limits.ts';

/** The most problems of one object that are shown. */
const PROBLEMS_MAX = 100;

/** How the endpoints of a name are adopted; see Endpoint. */
type Adoption = Pick<Endpoint, 'clusterZone' | 'reverse'>;

export type NameTable = {
  /** A canonical name from single labels before `base`, or null and a problem that begins with `path`. */
  readonly name: (path: string, labels: readonly string[], base: string) => string | null;
  /** Adds a value to the set of a name, which must be canonical. */
  readonly add: (name: string, type: string, value: string, adoption: Adoption) => void;
  readonly problem: (message: string) => void;
  /** A problem that leaves out `name`, and perhaps others: the last valid endpoints of the object stay in force. */
  readonly lack: (message: string, name: string) => void;
  readonly result: () => SourceResult;
};

type Gathered = { readonly name: string; readonly type: string; readonly values: Set<string>; adoption: Adoption };

/** A table whose record sets all have this TTL, in seconds. */
export function newNameTable(ttlSeconds: number): NameTable {
  const sets = new Map<string, Gathered>();
  const names = new Map<string, string | null>();
  const problems = new Map<string, SourceProblem>();
  const lacking = new Set<string>();
  const problem = (message: string) => {
    problems.set(message, { message });
  };
  return {
    problem,
    lack: (message, name) => {
      problems.set(message, { message, leavesOut: null, ofClusterDns: true });
      lacking.add(name);
    },
    name: (path, labels, base) => {
      const text = [...labels, base].join('.');
      const several = labels.find((label) => label.includes('.'));
      if (several !== undefined) {
        problem(`${path}: ${quote(several)} is more than one label; this name is left out`);
        return null;
      }
      const known = names.get(text);
      if (known !== undefined) return known;
      const parsed = parseName(text);
      if (!parsed.ok) problem(`${path}: ${parsed.problems.join('; ')}; this name is left out`);
      const name = parsed.ok ? parsed.name : null;
      names.set(text, name);
      return name;
    },
    add: (name, type, text, adoption) => {
      const parsed = parseRdata(type, text);
      if (!parsed.ok) {
        problem(`${name} ${type}: ${parsed.problems.join('; ')}; this value is left out`);
        return;
      }
      const id = `${name} ${type}`;
      const set = sets.get(id) ?? { name, type, values: new Set(), adoption };
      set.values.add(parsed.rdata);
      sets.set(id, set);
    },
    result: () => {
      const endpoints = [...sets.values()].map((set) => endpointOf(set, ttlSeconds, problem));
      const wants = lacking.size === 0 ? {} : { wants: [...lacking] };
      return { ok: true, endpoints, problems: [...problems.values()].slice(0, PROBLEMS_MAX), ...wants };
    },
  };
}

function endpointOf(
  { name, type, values, adoption }: Gathered,
  ttlSeconds: number,
  problem: (message: string) => void,
): Endpoint {
  const sorted = sortRdata(type, values);
  if (sorted.length > VALUES_MAX) {
    problem(
      `TooManyEndpoints: ${name} ${type} has ${sorted.length} values, and a record set holds ${VALUES_MAX}; the first ${VALUES_MAX} are published`,
    );
  }
  return {
    domainName: { kind: 'full', fqdn: name },
    zoneRef: null,
    type,
    class: 'IN',
    ttl: ttlSeconds,
    values: sorted.slice(0, VALUES_MAX),
    ...adoption,
  };
}
