// Collects the results of one object: endpoints, invalid endpoints, problems, and names that wait. Their number is
// limited, and each name and type appears once.
import type { Endpoint } from '../../objects/endpoint.ts';
import type { InvalidEndpoint, SourceProblem, SourceResult, Waiting } from '../../objects/source.ts';

/** The most endpoints of one object. */
export const ENDPOINTS_MAX = 500;
/** The most problems of one object that are shown. */
const PROBLEMS_MAX = 100;

export type Draft = {
  readonly endpoint: (endpoint: Endpoint) => void;
  readonly invalid: (endpoint: InvalidEndpoint) => void;
  /** `leavesOut` as in SourceProblem: a name, null, or undefined if nothing is left out. `type`: the type there. */
  readonly problem: (message: string, leavesOut?: string | null, type?: string) => void;
  /** The name waits; what was published there stays. `why`: as in Waiting. */
  readonly wait: (fqdn: string, why: string) => void;
  /** The object asks for the name in vain; what was published there is deleted. `why`: as in Waiting. */
  readonly lack: (fqdn: string, why: string) => void;
  readonly note: (message: string) => void;
  /** The object asks for the name, even if no endpoint follows. */
  readonly want: (fqdn: string) => void;
  readonly result: () => SourceResult;
};

export function newDraft(): Draft {
  const endpoints: Endpoint[] = [];
  const invalid: InvalidEndpoint[] = [];
  const problems = new Map<string, SourceProblem>();
  const waits = new Set<string>();
  const waiting = new Map<string, Waiting>();
  const notes = new Set<string>();
  const wants = new Set<string>();
  let count = 0;
  const problem = (message: string, leavesOut?: string | null, type?: string) => {
    const left = leavesOut === undefined ? {} : { leavesOut, ...(type === undefined ? {} : { type }) };
    problems.set(`${String(leavesOut)} ${message}`, { message, ...left });
  };
  const hasRoom = (fqdn: string | null) => {
    count += 1;
    if (count === ENDPOINTS_MAX + 1)
      problem(
        `an object may ask for ${ENDPOINTS_MAX} endpoints; those that follow are left out, the first for ${fqdn}`,
      );
    return count <= ENDPOINTS_MAX;
  };
  return {
    endpoint: (endpoint) => {
      if (hasRoom(endpoint.domainName.kind === 'full' ? endpoint.domainName.fqdn : null)) endpoints.push(endpoint);
    },
    invalid: (endpoint) => {
      if (hasRoom(endpoint.fqdn)) invalid.push(endpoint);
    },
    problem,
    wait: (fqdn, why) => {
      waits.add(fqdn);
      waiting.set(fqdn, { fqdn, why });
    },
    lack: (fqdn, why) => waiting.set(fqdn, { fqdn, why }),
    note: (message) => notes.add(message),
    want: (fqdn) => wants.add(fqdn),
    result: () => {
      const got = new Set(endpoints.map(({ domainName }) => (domainName.kind === 'full' ? domainName.fqdn : null)));
      return {
        ok: true,
        endpoints,
        invalid,
        problems: shown([...problems.values()]),
        waits: [...waits],
        wants: [...wants],
        waiting: [...waiting.values()].filter(({ fqdn }) => waits.has(fqdn) || !got.has(fqdn)).slice(0, ENDPOINTS_MAX),
        notes: [...notes].slice(0, PROBLEMS_MAX),
      };
    },
  };
}

/** The problems, each message once per name, up to the limit. */
function shown(problems: readonly SourceProblem[]): readonly SourceProblem[] {
  if (problems.length <= PROBLEMS_MAX) return problems;
  const rest = problems.slice(PROBLEMS_MAX);
  return [...problems.slice(0, PROBLEMS_MAX), { message: `and ${rest.length} more problems`, leavesOut: null }];
}
