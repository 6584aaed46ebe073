// The key `problems` of the JSON: every object that is not accepted or not programmed, with its place and the reason.
// So whoever reads only the JSON knows why the exit code is 1.
import { saysOnStandby } from '../../lib/objects/claim-settings.ts';
import type { Origin } from '../../lib/ports/cluster.ts';
import type { SourceOutput } from '../../lib/report/describe-sources.ts';
import { saysCoveredRoot, saysHidden } from '../../lib/zones/notes.ts';
import type { UnknownLedger } from './ledger-unknown.ts';
import type { ChangeOutput, ClusterOutput, DnsRecordOutput, HostedZoneOutput, Outcome } from './output.ts';
import { statedOf } from './print-sources.ts';

export type ProblemOutput = {
  /** "Kind ns/name". */
  readonly object: string;
  /** Null for an object of a cluster. */
  readonly file: string | null;
  readonly line: number | null;
  readonly reason: string;
  readonly message: string;
};

type Shown = {
  readonly resolved: Pick<ClusterOutput, 'zones' | 'records' | 'sources'>;
  readonly hostedZones?: readonly HostedZoneOutput<ChangeOutput>[];
  readonly ledger?: UnknownLedger | null;
  readonly dnsRecords?: readonly DnsRecordOutput[];
};

const REASON_OF: Readonly<Record<Exclude<Outcome, 'published' | 'failed'>, string>> = {
  foreign: 'ForeignRecord',
  drifted: 'Drifted',
  rejected: 'Rejected',
  protected: 'Protected',
  held: 'HeldByGuard',
};

/** The problems of these objects, each once: of Zones, Records and sources, then those that only a plan shows. */
export function problemsOf({
  resolved,
  hostedZones = [],
  ledger = null,
  dnsRecords = [],
}: Shown): readonly ProblemOutput[] {
  const places = placesIn(resolved);
  const at = (object: string, reason: string, message: string): ProblemOutput => {
    const { file = null, line = null } = places.get(object) ?? {};
    return { object, file, line, reason, message };
  };
  const stated = [
    ...resolved.zones.map((object) => ({ kind: 'Zone', object })),
    ...resolved.records.map((object) => ({ kind: 'Record', object })),
    ...resolved.sources.flatMap(statedOf),
  ];
  const all = [
    ...stated.flatMap(({ kind, object: { namespace, name, conditions } }) =>
      conditions
        .filter(({ status, message }) => status !== 'True' || saysCoveredRoot(message) || saysHidden(message))
        .filter(({ message }) => !saysOnStandby(message))
        .map(({ reason, message }) => at(`${kind} ${namespace}/${name}`, reason, message)),
    ),
    ...resolved.sources.flatMap(({ kind, namespace, name, problems }) =>
      problems.map((problem) => at(`${kind} ${namespace}/${name}`, 'InvalidSpec', problem)),
    ),
    ...dnsRecords.flatMap(({ namespace, name, error }) =>
      error === null ? [] : [at(`DNSRecord ${namespace}/${name}`, error.codes[0] ?? 'Error', error.message)],
    ),
    ...(ledger?.zones ?? []).map((zone) => at(`Zone ${zone}`, 'ForeignRecord', ledger?.says ?? '')),
  ];
  const known = new Set(all.map(({ object, reason }) => `${object} ${reason}`));
  for (const hostedZone of hostedZones)
    all.push(...problemsIn(hostedZone, ledger, at).filter(({ object, reason }) => !known.has(`${object} ${reason}`)));
  return [...new Map(all.map((one) => [`${one.object} ${one.reason} ${one.message}`, one])).values()];
}

/** Changes that will not be sent, and a hosted zone that could not be read. */
function problemsIn(
  { zone, changes, isUnread, notes = [] }: HostedZoneOutput<ChangeOutput>,
  ledger: UnknownLedger | null,
  at: (object: string, reason: string, message: string) => ProblemOutput,
): readonly ProblemOutput[] {
  const isUnknown = ledger?.zones.includes(zone) === true;
  const withheld = changes.flatMap((change) => {
    const { outcome, standing, message = '', objects } = change;
    if (isUnknown && standing === 'equal') return [];
    const reason = outcome !== undefined ? reasonOf(outcome) : isForeign(change) ? REASON_OF.foreign : null;
    return reason === null ? [] : objects.map((object) => at(object, reason, message));
  });
  return isUnread === true ? [at(`Zone ${zone}`, 'Unread', notes.join(' ')), ...withheld] : withheld;
}

/** True for a change that is not made because of what somebody else created there. */
export function isForeign({ action, outcome, standing, also = [] }: ChangeOutput): boolean {
  if (outcome !== undefined) return outcome === 'foreign';
  const isTaken = action !== 'create' || also.length > 0;
  return !isTaken && (standing === 'foreign' || standing === 'equal');
}

function reasonOf(outcome: Outcome): string | null {
  return outcome === 'published' ? null : outcome === 'failed' ? 'Pending' : REASON_OF[outcome];
}

function placesIn({ zones, records, sources }: Shown['resolved']): ReadonlyMap<string, Origin> {
  type Placed = Pick<SourceOutput, 'kind' | 'namespace' | 'name' | 'origin'>;
  const of = ({ kind, namespace, name, origin }: Placed) =>
    origin === undefined ? [] : [[`${kind} ${namespace}/${name}`, origin] as const];
  return new Map([
    ...zones.flatMap((zone) => of({ kind: 'Zone', ...zone })),
    ...records.flatMap((record) => of({ kind: 'Record', ...record })),
    ...sources.flatMap(of),
  ]);
}
