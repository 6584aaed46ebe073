// What the operator lets the guard let through. A limit that zone53.yaml sets is one row of GUARD_SETTINGS: its type,
// its default, its schema, what the construct takes and its line of docs/reference.md are made of that row.

type GuardSetting = {
  /** A whole number of `of`, or a share from 0 to 1. */
  readonly kind: 'count' | 'share';
  readonly of?: string;
  readonly default: number;
  /** What docs/reference.md says of it. */
  readonly says: string;
};

/** The keys below `guard`. */
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
    says: 'The same as a share of those published, from ten published record sets on.',
  },
} as const satisfies Readonly<Record<string, GuardSetting>>;

type GuardKey = keyof typeof GUARD_SETTINGS;

/** Deletes within an hour that the guard lets through: so many record sets, and such a share of those published. */
export type GuardSettings = { readonly [Key in GuardKey]: number };

/** A value for each of the keys. */
export function eachGuardSetting<Value>(make: (key: GuardKey, setting: GuardSetting) => Value): {
  readonly [Key in GuardKey]: Value;
} {
  const keys = Object.keys(GUARD_SETTINGS) as GuardKey[];
  return Object.fromEntries(keys.map((key) => [key, make(key, GUARD_SETTINGS[key])])) as Record<GuardKey, Value>;
}

/** Those that are left out have their defaults. */
export function guardSettings(limits: Partial<GuardSettings>): GuardSettings {
  return eachGuardSetting((key, setting) => limits[key] ?? setting.default);
}

export type GuardLimits = Partial<GuardSettings> & {
  /** No deletion is held: whoever asks for it waits for it, and asked for just that one. */
  readonly isOff?: true;
  /** The names of a cluster's own DNS have limits of their own; absent: it is not published. */
  readonly services?: ServiceLimits;
};

/** How many Services of a cluster's own DNS may lose all of their names within a time. */
export type ServiceLimits = {
  /** The Zone of the names, canonical. */
  readonly zone: string;
  readonly shareMax: number;
  readonly windowMs: number;
};
