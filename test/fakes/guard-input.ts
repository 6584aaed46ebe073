// The guard's input in tests: a plan in a large hosted zone without recent deletes, with what the test overrides.
import type { Change } from '../../lib/dns/plan-changes.ts';
import type { GuardLimits } from '../../lib/ports/guard-limits.ts';
import type { GuardHistory, GuardInput, NamespaceHistory } from '../../lib/publish/plan/guard.ts';
import { guardedNamespace } from '../../lib/record-sets/guarded.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

export type GuardCase = Partial<GuardHistory & Pick<GuardInput, 'zone' | 'changes' | 'services'>> & {
  readonly limits?: GuardLimits;
  readonly acknowledged?: readonly string[];
  readonly spent?: string;
  readonly wasHeld?: (change: Change) => boolean;
  readonly wasReleased?: (change: Change) => boolean;
  readonly lost?: (change: Change) => readonly string[];
  readonly losesObjects?: (change: Change) => boolean;
  /** Default: all that the hosted zone has is of the namespace of the first change. */
  readonly namespaces?: Readonly<Record<string, NamespaceHistory>>;
};

/** The guard's input. */
export function guardInput({
  zone = 'default/zone',
  changes = [],
  publishedCount = 1_000,
  deletions = [],
  nowMs = NOW,
  limits = {},
  services = null,
  acknowledged = [],
  spent,
  wasHeld = () => false,
  wasReleased = () => false,
  lost = () => [],
  losesObjects = () => false,
  namespaces,
  ...history
}: GuardCase): GuardInput {
  return {
    zone,
    changes,
    known: (change) => {
      return {
        staysWanted: false,
        isUncounted: false,
        wasHeld: wasHeld(change),
        wasReleased: wasReleased(change),
        wasCounted: false,
        lost: lost(change),
        losesObjects: losesObjects(change),
        namespace: guardedNamespace(change.objects),
      };
    },
    history: { ...history, publishedCount, deletions, nowMs },
    namespaces: new Map(
      Object.entries(namespaces ?? { [guardedNamespace(changes[0]?.objects ?? [])]: { publishedCount, deletions } }),
    ),
    limits,
    services,
    acknowledged: { digests: acknowledged, spent: spent === undefined ? [] : [spent] },
  };
}
