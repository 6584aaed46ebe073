// What the console reads: the ledger, the objects, and Route 53 for the page of a name. What was read is kept for as
// long as it is likely to be true: until the files of a ledger change, or for a while.
import { type ClusterPlan, planReading } from '../../lib/apply/plan-cluster.ts';
import { type AskingAt, askingAt } from '../../lib/inspect/focus-on-name.ts';
import { errorMessage } from '../../lib/objects/plain.ts';
import { type ClusterReading, readCluster, readRemembered } from '../../lib/observe/read-cluster.ts';
import type { Context } from '../../lib/ports/context.ts';
import { type HostedZones, HostedZonesDeniedError } from '../../lib/ports/hosted-zones.ts';
import type { Source } from '../run/requests.ts';
import { type Asked, askedIn } from './adoptions.ts';
import { permissionOf } from './permission-of.ts';

/** What the console is opened over. */
export type ConsoleDeps = {
  readonly context: Context;
  /** Where the objects are read from; null: they are those that the ledger remembers. */
  readonly source: Source | null;
  /** Whether the ledger has what follows from the objects: then the guard has judged, and a name is planned alone. */
  readonly isResolved: boolean;
  /** Whether all objects may be read for a list: a table is read in parts. */
  readonly isEmbedded: boolean;
  /** Looks at the ledger's files again. True: they have changed. */
  readonly refresh: () => Promise<boolean>;
  /** For how long what was read counts as true while nothing says that it changed, in milliseconds. */
  readonly ledgerMsMax: number;
  readonly sourceMsMax: number;
  /** For people: where objects and ledger are. */
  readonly described: { readonly source: string; readonly ledger: string };
  readonly version: string;
  /** The words before `annotate` in a line for kubectl. */
  readonly kubectl: string;
  /** The clocks of those who write may differ so much from ours, in milliseconds. */
  readonly skewMs: number;
};

/** `unread`: what Route 53 refused to tell; null: nothing. */
type PlanNow = { readonly plan: ClusterPlan; readonly unread: Unread | null };

/** What was read, with the time; null: nothing yet. */
type Kept<T> = { readonly value: Promise<T>; readonly atMs: number } | null;

export type ConsoleWorld = ConsoleDeps & {
  readonly hasSource: boolean;
  /** Grows when what was kept of the ledger may be wrong. */
  generation(): number;
  /** Looks at the ledger's files again, and forgets what they have changed. True: something may have. */
  look(): Promise<boolean>;
  /** The objects, and when they were read. */
  reading(): Promise<ClusterReading>;
  readAtMs(): number | null;
  /** The plan over them, for what the ledger does not know yet. It may call Route 53. */
  plan(): Promise<PlanNow>;
  /** What they ask for. */
  asked(): Promise<Asked & { readonly at: AskingAt }>;
};

export type Unread = { readonly permission: string | null; readonly message: string };

export function openWorld(deps: ConsoleDeps): ConsoleWorld {
  const { sourceMsMax, ledgerMsMax } = deps;
  const hasSource = deps.source !== null;
  const { clock } = deps.context;
  let generation = 0;
  let reading: Kept<ClusterReading> = null;
  let asked: Kept<Asked & { readonly at: AskingAt }> = null;
  let plan: Kept<PlanNow> = null;
  const { context } = deps;
  const isOld = (kept: Kept<unknown>, msMax: number) => kept === null || clock.nowMs() - kept.atMs > msMax;
  const read = () => (hasSource ? readCluster(context) : readRemembered(context));
  const kept = <T>(make: () => Promise<T>, forget: () => void): NonNullable<Kept<T>> => {
    const value = make();
    // An error is not kept.
    value.catch(forget);
    return { value, atMs: clock.nowMs() };
  };
  const world: ConsoleWorld = {
    ...deps,
    hasSource,
    generation: () => generation,
    look: async () => {
      const hasChanged = await deps.refresh();
      if (hasChanged) {
        generation += 1;
        reading = null;
      }
      return hasChanged;
    },
    reading: () => {
      if (reading === null || isOld(reading, hasSource ? sourceMsMax : ledgerMsMax)) {
        asked = null;
        plan = null;
        reading = kept(read, () => {
          reading = null;
        });
      }
      return reading.value;
    },
    readAtMs: () => reading?.atMs ?? null,
    plan: async () => {
      const objects = await world.reading();
      if (plan === null || isOld(plan, PLAN_MS_MAX))
        plan = kept(
          async () => {
            const noted = noting(context);
            return { plan: await planReading(noted.context, objects, {}), unread: noted.unread() };
          },
          () => {
            plan = null;
          },
        );
      return plan.value;
    },
    asked: async () => {
      const objects = await world.reading();
      asked ??= kept(
        async () => {
          const found = askedIn(context, objects);
          return { ...found, at: askingAt(found.adoptions) };
        },
        () => {
          asked = null;
        },
      );
      return asked.value;
    },
  };
  return world;
}

/** A plan also tells what Route 53 has, so it is not kept for long. */
const PLAN_MS_MAX = 5_000;

/**
 * The same context for somebody who may read less of Route 53, or nothing: what is refused is noted, and counts as not
 * allowed, so that everything else is shown.
 */
export function noting(context: Context): { readonly context: Context; readonly unread: () => Unread | null } {
  let unread: Unread | null = null;
  const hostedZones = notingZones(context.account.hostedZones, (said) => {
    unread ??= said;
  });
  return { context: { ...context, account: { ...context.account, hostedZones } }, unread: () => unread };
}

function notingZones(hostedZones: HostedZones, note: (said: Unread) => void): HostedZones {
  const noted = (action: string, error: unknown): HostedZonesDeniedError => {
    const message = errorMessage(error);
    const isRefused = error instanceof HostedZonesDeniedError;
    note({ permission: permissionOf(error) ?? (isRefused ? `route53:${action}` : null), message });
    return isRefused ? error : new HostedZonesDeniedError(message, { cause: error });
  };
  const throwing = (action: string) => (error: unknown) => {
    throw noted(action, error);
  };
  return {
    ...hostedZones,
    list: () => hostedZones.list().catch(throwing('ListHostedZones')),
    get: async (id) => {
      const found = await hostedZones.get(id).catch((error: unknown) => ({
        unreadable: noted('GetHostedZone', error).message,
      }));
      if (found !== null && 'unreadable' in found)
        note({ permission: permissionOf(found.unreadable) ?? 'route53:GetHostedZone', message: found.unreadable });
      return found;
    },
    readName: (id, name) => hostedZones.readName(id, name).catch(throwing('ListResourceRecordSets')),
    readPage: (id, from) => hostedZones.readPage(id, from).catch(throwing('ListResourceRecordSets')),
  };
}
