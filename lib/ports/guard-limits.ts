// The limits of the guard. Each limit that zone53.yaml can set is one row of GUARD_SETTINGS; its type, default,
// schema, construct prop and line in docs/reference.md are all made from that row.

type GuardSetting = {
  /** `count`: a whole number of what `of` names. `share`: a number from 0 to 1. */
  readonly kind: 'count' | 'share';
  readonly of?: string;
  readonly default: number;
  /** The description in docs/reference.md. */
  readonly says: string;
};

/** The settings, by their key below `guard`. */
const GUARD_SETTINGS = {
  deletesMax: {
    kind: 'count',
    of: 'record sets',
    default: 100,
    says: 'Record sets that may be deleted in a hosted zone within an hour.',
  },
  deletesShareMax: {
    kind: 'share',
    default: 0.3,
    says: 'The same as a share of the published record sets, if there are ten or more. 1: no limit.',
  },
} as const satisfies Readonly<Record<string, GuardSetting>>;

type GuardKey = keyof typeof GUARD_SETTINGS;

/** How many deletes per hour the guard lets through: a number of record sets, and a share of the published ones. */
export type GuardSettings = { readonly [Key in GuardKey]: number };

export function eachGuardSetting<Value>(make: (key: GuardKey, setting: GuardSetting) => Value): {
  readonly [Key in GuardKey]: Value;
} {
  const keys = Object.keys(GUARD_SETTINGS) as GuardKey[];
  return Object.fromEntries(keys.map((key) => [key, make(key, GUARD_SETTINGS[key])])) as Record<GuardKey, Value>;
}

/** The settings with defaults for those that are left out. */
export function guardSettings(limits: Partial<GuardSettings>): GuardSettings {
  return eachGuardSetting((key, setting) => limits[key] ?? setting.default);
}

export type GuardLimits = Partial<GuardSettings> & {
  /** The guard holds no deletion. For callers that asked for exactly this deletion and wait for its result. */
  readonly isOff?: true;
  /** `zone53 apply` cannot acknowledge: the process that publishes keeps the ledger to itself. */
  readonly keepsLedger?: true;
  /** The limits for the names of the cluster's own DNS; absent when that is not published. */
  readonly services?: ServiceLimits;
};

/** How the advice begins where no Zone is left to show what is held. */
export const ZONE_IS_GONE = 'declare a Zone of this name again';

/**
 * How to release the held deletes of this digest, as part of a sentence. `zone`: "ns/name" of the Zone; null if no Zone
 * owns the hosted zone any more.
 */
export function howToAcknowledge(zone: string | null, digest: string, { keepsLedger }: GuardLimits): string {
  const who =
    zone === null ? `${ZONE_IS_GONE}, or mend the one that is not accepted, and annotate it` : `annotate Zone ${zone}`;
  const annotate = `${who} with zone53.dev/acknowledge-plan: ${digest}`;
  const apply = `run zone53 apply with --acknowledge ${digest}`;
  if (keepsLedger === true) return annotate;
  return zone === null ? apply : `${annotate}, or ${apply}`;
}

/** What share of the cluster's Services may lose all their names within a time. */
export type ServiceLimits = {
  /** The Zone of the cluster's own DNS, a canonical name. */
  readonly zone: string;
  readonly shareMax: number;
  readonly windowMs: number;
};
