// Validates the operator's configuration, whether it comes from `zone53.yaml`, the props of the CDK construct, or the
// environment of a function. An unknown key is an error: if a misspelt `roots` were ignored, anybody could publish
// anything. All problems are found at once, each with the path of its key and what to write instead.
import * as z from 'zod';
import { type Config, DEFAULT_CONFIG } from '../../ports/config.ts';
import { eachGuardSetting, guardSettings } from '../../ports/guard-limits.ts';
import { buildSources, sourcesSchema } from './sources-schema.ts';
import { buildTakeover, takeoverSchema } from './takeover-schema.ts';
import { hostedZoneId, namespaces, rootPattern, share, text, zoneName } from './value-schemas.ts';

/** Keys and indices from the top to a value. */
export type ConfigPath = readonly PropertyKey[];

/** One problem. `unknownKey`: the last key of the path is unknown. */
type ConfigProblem = { readonly path: ConfigPath; readonly message: string; readonly unknownKey: boolean };

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

const count = (what: string) => z.int(`write ${what}`).min(0, `write ${what}`);
const calls = z.number('write calls a second, such as 5');

const rootRule = z.strictObject(
  {
    zone: rootPattern.describe('A name, or a pattern such as *.example.org.'),
    namespaces: namespaces
      .nullish()
      .describe('The namespaces whose Zones may have it. Left out: all. An empty list: none.'),
  },
  'write a mapping, such as { zone: example.org., namespaces: [platform] }',
);
const hostedZone = z.strictObject(
  {
    zone: zoneName.describe('The name of the Zone.'),
    id: hostedZoneId.describe('The id of its hosted zone, such as Z0123456789ABCDEFGHIJ.'),
    visibility: z
      .enum(['public', 'private'], 'write public or private')
      .nullish()
      .describe(
        'The visibility of the hosted zone. Left out: Route 53 is asked once. A private hosted zone is found only by its id.',
      ),
  },
  'write a mapping, such as { zone: example.org., id: Z0123456789ABCDEFGHIJ }',
);

const guardSchema = z.strictObject(
  eachGuardSetting((_, { kind, of, default: usual, says }) =>
    (kind === 'share' ? share : count(`a whole number of ${of}, such as ${usual}`)).nullish().describe(says),
  ),
  'write a mapping, such as { deletesMax: 100, deletesShareMax: 0.3 }',
);

/** The schema of `zone53.yaml`. docs/reference.md shows its descriptions. */
export const configSchema = z.strictObject(
  {
    clusterId: text('a name for the cluster, such as prod-eu')
      .regex(/^[A-Za-z0-9._-]{1,63}$/, 'write letters, digits, ".", "-" and "_", 63 at most')
      .nullish()
      .describe(
        'The name of the cluster in the ledger, the log and Kubernetes Events. Two clusters that share a ledger need two names.',
      ),
    roots: z
      .array(
        rootRule,
        'write a list, such as [{ zone: example.org. }]; [] allows no root, no key at all allows every one',
      )
      .optional()
      .describe(
        'Which names Zones without a parent may have. Without the key, every Zone with a full name is a root: ' +
          'anyone who may create a Zone may publish any domain that the account has a hosted zone for.',
      ),
    hostedZones: z
      .array(hostedZone, 'write a list, such as [{ zone: example.org., id: Z0123456789ABCDEFGHIJ }]')
      .nullish()
      .describe(
        "The hosted zones of Zones. A Zone that is not listed publishes into the account's public hosted zone of its name.",
      ),
    createHostedZones: z
      .enum(['never', 'all'], 'write never or all')
      .nullish()
      .describe(
        'Whether hosted zones are created for Zones that have none. The default of `zone53 local` is all; a deployment refuses all.',
      ),
    soa: z
      .enum(['created', 'always', 'never'], 'write created, always or never')
      .nullish()
      .describe('Which hosted zones get the SOA timers of their Zone: those that zone53 created, all, or none.'),
    guard: guardSchema.nullish().describe('How many deletes need no acknowledgement.'),
    budget: z
      .strictObject(
        {
          callsPerSecond: calls
            .positive('write calls a second, more than 0')
            .nullish()
            .describe('Calls a second that the account may make. AWS allows 5.'),
          reservedForOthers: calls
            .min(0, 'write calls a second, 0 or more')
            .nullish()
            .describe('How many of them zone53 leaves to others.'),
        },
        'write a mapping, such as { callsPerSecond: 5, reservedForOthers: 1 }',
      )
      .nullish()
      .describe('Calls of Route 53 a second, which the whole account shares.'),
    takeover: takeoverSchema.nullish(),
    intents: z
      .strictObject(
        {
          assumeRoles: z
            .array(
              z
                .string('write the ARN of a role')
                .regex(
                  /^arn:[\w-]+:iam::\d+:role\/.+$/,
                  'write the ARN of a role, such as arn:aws:iam::123456789012:role/dns',
                ),
              'write a list of the ARNs of roles',
            )
            .nullish()
            .describe('The roles that a DNS Update Record may name in aws-assume-role. Left out: none.'),
        },
        'write a mapping, such as { assumeRoles: [arn:aws:iam::123456789012:role/dns] }, or {}',
      )
      .nullish()
      .describe('The intent API (docs/intents.md). Left out: a deployment has none.'),
    sources: sourcesSchema,
    // The settings of a deployment. infra/settings/aws-settings.ts validates them.
    aws: z.unknown().optional(),
  },
  'write a mapping of keys to values',
);

/** Parses a configuration; missing keys are those of `defaults`. Returns all problems at once. */
export function parseConfigValue(value: unknown, defaults: Config = DEFAULT_CONFIG): ConfigResult {
  // Without a compiled parser: the configuration is parsed once, and compiling would make a cold start slower.
  const parsed = configSchema.safeParse(value, { jitless: true });
  if (!parsed.success) return { ok: false, problems: parsed.error.issues.flatMap(explain) };
  const problems = contradictions(parsed.data, defaults);
  if (problems.length > 0) return { ok: false, problems: problems.map((one) => ({ ...one, unknownKey: false })) };
  return { ok: true, config: buildConfig(parsed.data, defaults) };
}

function explain(issue: z.core.$ZodIssue): readonly ConfigProblem[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message, unknownKey: false }];
  const message = `unknown key; known here are ${knownKeys(issue.path).join(', ')}`;
  return issue.keys.map((key) => ({ path: [...issue.path, key], message, unknownKey: true }));
}

type Written = z.output<typeof configSchema>;

function buildConfig(written: Written, defaults: Config): Config {
  return {
    clusterId: written.clusterId ?? defaults.clusterId,
    roots:
      written.roots?.map(({ zone, namespaces }) => ({ pattern: zone, namespaces: namespaces ?? null })) ??
      defaults.roots,
    hostedZones: written.hostedZones?.map(buildHostedZone) ?? defaults.hostedZones,
    createHostedZones: written.createHostedZones ?? defaults.createHostedZones,
    soa: written.soa ?? defaults.soa,
    intents: written.intents == null ? defaults.intents : { assumeRoles: written.intents.assumeRoles ?? [] },
    guard: eachGuardSetting((key) => written.guard?.[key] ?? guardSettings(defaults.guard)[key]),
    budget: {
      callsPerSecond: written.budget?.callsPerSecond ?? defaults.budget.callsPerSecond,
      reservedForOthers: written.budget?.reservedForOthers ?? defaults.budget.reservedForOthers,
    },
    ...buildSources(written.sources, defaults),
    takeover: buildTakeover(written.takeover, defaults.takeover),
  };
}

function buildHostedZone({ zone, id, visibility }: z.output<typeof hostedZone>): Config['hostedZones'][number] {
  return { zone, id, ...(typeof visibility === 'string' ? { visibility } : {}) };
}

/** Problems between keys that are valid one by one. */
function contradictions(
  written: Written,
  defaults: Config,
): readonly { readonly path: ConfigPath; readonly message: string }[] {
  const problems: { path: ConfigPath; message: string }[] = [];
  const { budget } = buildConfig(written, defaults);
  if (budget.reservedForOthers >= budget.callsPerSecond) {
    const message = `${budget.reservedForOthers} calls a second for others leave nothing of ${budget.callsPerSecond}: write less`;
    problems.push({ path: ['budget', 'reservedForOthers'], message });
  }
  for (const [index, { txtPrefix, txtSuffix }] of (written.takeover?.externalDns ?? []).entries()) {
    if (!txtPrefix || !txtSuffix) continue;
    const message = 'external-dns has txtPrefix or txtSuffix, not both: remove the one that it does not have';
    problems.push({ path: ['takeover', 'externalDns', index, 'txtSuffix'], message });
  }
  const firstOf = new Map<string, number>();
  for (const [index, { zone }] of (written.hostedZones ?? []).entries()) {
    const first = firstOf.get(zone);
    if (first !== undefined) {
      problems.push({
        path: ['hostedZones', index, 'zone'],
        message: `${zone} has a hosted zone already, in hostedZones[${first}]: remove one`,
      });
    }
    firstOf.set(zone, first ?? index);
  }
  return problems;
}

/** The keys that the schema has at a path. */
function knownKeys(path: ConfigPath): readonly string[] {
  let schema: unknown = configSchema;
  for (const key of path) {
    const parent = withoutNullish(schema);
    if (parent instanceof z.ZodArray) schema = parent.element;
    else if (parent instanceof z.ZodObject) schema = parent.shape[key as string];
  }
  const found = withoutNullish(schema);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

function withoutNullish(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? withoutNullish(schema.unwrap()) : schema;
}

export function formatConfigPath(path: ConfigPath): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('');
}
