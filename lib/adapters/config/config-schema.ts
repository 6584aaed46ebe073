// Validates the operator's configuration, whether it comes from `zone53.yaml`, the props of the CDK construct, or the
// environment of a function. An unknown key is an error: if a misspelt `roots` were ignored, anybody could publish
// anything. All problems are found at once, each with the path of its key and what to write instead.
import * as z from 'zod';
import { didYouMean } from '../../dns/names/edit-distance.ts';
import { inView, isViewName, PUBLIC, withViewsInWords } from '../../dns/names/view.ts';
import { mapping } from '../../objects/plain.ts';
import { CLUSTER_ID } from '../../objects/share-id.ts';
import { type Config, DEFAULT_CONFIG, viewsOf } from '../../ports/config.ts';
import { eachGuardSetting, guardSettings } from '../../ports/guard-limits.ts';
import { accessProblems, accessSchema, buildAccess, type ClusterAccess } from './access-schema.ts';
import { accountsSchema, buildAccounts, undeclared } from './accounts-schema.ts';
import { alarmsSchema, observabilitySchema } from './alarms-schema.ts';
import { budgetSchema, buildBudget } from './budget-schema.ts';
import { buildEvents, type EventSettings, eventProblems, eventsSchema } from './events-schema.ts';
import { buildSources, sourcesSchema } from './sources-schema.ts';
import { buildTakeover, takeoverSchema } from './takeover-schema.ts';
import { hostedZoneId, namespaces, regionName, rootPattern, share, text, zoneName } from './value-schemas.ts';

/** Keys and indices from the top to a value. */
export type ConfigPath = readonly PropertyKey[];

/** One problem. `unknownKey`: the problem is the key at the end of the path, not its value. */
export type ConfigProblem = {
  readonly path: ConfigPath;
  readonly message: string;
  readonly unknownKey: boolean;
  /** A second place that the message is about. */
  readonly other?: ConfigPath;
};

/** What is only about a deployment: its API server, and how it notices changes. */
export type DeploymentSettings = {
  readonly access: ClusterAccess | null;
  readonly events: EventSettings;
  /** The path of the keys of the cluster: empty for the short form. */
  readonly at: ConfigPath;
};

/** Which cluster of a configuration is meant: `only`: there must be one; `first`: it does not matter. */
export type ClusterChoice = 'only' | 'first' | { readonly id: string };

/** What a configuration says of one of its clusters. */
export type OneConfig = { readonly config: Config; readonly deployment: DeploymentSettings };

type Problems = { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** `clusterIds`: every cluster of the configuration. */
export type ConfigResult = (OneConfig & { readonly ok: true; readonly clusterIds: readonly string[] }) | Problems;

const count = (what: string) => z.int(`write ${what}`).min(0, `write ${what}`);

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
    account: text('the name of an account')
      .nullish()
      .describe("The account, of accounts, that has the hosted zone. Left out: the stack's own."),
    view: text('the name of a view, such as internal')
      .refine(isViewName, 'write an RFC 1123 label, such as internal')
      .nullish()
      .describe('The view of the Zones that publish into it (docs/views.md). Left out: public.'),
    lead: text('the id of a cluster, such as prod-eu')
      .nullish()
      .describe('The cluster whose Zone its SOA follows (docs/fleet.md). Left out: the one that used it first.'),
  },
  'write a mapping, such as { zone: example.org., id: Z0123456789ABCDEFGHIJ }',
);

const guardSchema = z.strictObject(
  eachGuardSetting((_, { kind, of, default: usual, says }) =>
    (kind === 'share' ? share : count(`a whole number of ${of}, such as ${usual}`)).nullish().describe(says),
  ),
  'write a mapping, such as { deletesMax: 100, deletesShareMax: 0.3 }',
);

const clusterId = text('a name for the cluster, such as prod-eu').regex(
  CLUSTER_ID,
  'write letters, digits, ".", "-" and "_", 63 at most',
);

/** What one cluster has. */
const clusterKeys = {
  roots: z
    .array(
      rootRule,
      'write a list, such as [{ zone: example.org. }]; [] allows no root, no key at all allows every one',
    )
    .optional()
    .describe(
      'Which names Zones without a parent may have. Without the key, every Zone with a full name that no Zone of another namespace covers is a root: ' +
        'anyone who may create a Zone may publish any domain that the account has a hosted zone for.',
    ),
  sources: sourcesSchema,
  takeover: takeoverSchema.nullish(),
  access: accessSchema.nullish(),
  events: eventsSchema.nullish(),
  region: regionName
    .nullish()
    .describe('The AWS region of the cluster, by which it shares names by latency (docs/fleet.md).'),
  standby: z
    .boolean('write true or false')
    .nullish()
    .describe(
      'Whether the cluster is on standby: its names are published where no other cluster asks for them (docs/fleet.md).',
    ),
};

const OF_THE_CLUSTER = 'at the top of the file or below clusters.<id>: move it there';

/** Keys of earlier versions, below `aws`, and where they are now. */
export const MOVED: Readonly<Record<string, string>> = {
  cluster: `access, ${OF_THE_CLUSTER}`,
  events: `events, ${OF_THE_CLUSTER}`,
  alarmTopic: 'alarms, at the top of the file: write alarms: { page: TOPIC, notify: TOPIC } there',
};

/** The schema of `zone53.yaml`. docs/reference.md shows its descriptions. */
export const configSchema = z.strictObject(
  {
    clusterId: clusterId
      .nullish()
      .describe(
        'The name of the cluster in the ledger, the log and Kubernetes Events. Two clusters that share a ledger need two names.',
      ),
    ...clusterKeys,
    hostedZones: z
      .array(hostedZone, 'write a list, such as [{ zone: example.org., id: Z0123456789ABCDEFGHIJ }]')
      .nullish()
      .describe(
        "The hosted zones of Zones. A Zone that is not listed publishes into the account's public hosted zone of its name.",
      ),
    views: z
      .record(
        text('the name of a view, such as internal').refine(isViewName, 'write an RFC 1123 label, such as internal'),
        z.strictObject(
          {
            loadBalancerScheme: z
              .enum(['internal'], 'write internal')
              .nullish()
              .describe(
                'Services and Ingresses whose load balancer is internal by their annotations are in this view instead of public, unless the annotation zone53.dev/views says otherwise.',
              ),
            extends: text('the name of a view, such as public')
              .nullish()
              .describe(
                'This view has every name that the other view publishes, and that it does not ask for itself, at or below its hosted zones.',
              ),
          },
          'write a mapping, such as { loadBalancerScheme: internal }',
        ),
        { error: ({ code }) => (code === 'invalid_type' ? 'write a mapping, such as { internal: {} }' : undefined) },
      )
      .nullish()
      .describe('What holds in views other than public (docs/views.md), by the names that hostedZones has.'),
    accounts: accountsSchema,
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
    budget: budgetSchema
      .nullish()
      .describe('How much of the limits of Route 53 zone53 uses. The account has them once.'),
    history: z
      .strictObject(
        {
          days: count('a number of days, 0 or more')
            .nullish()
            .describe('How long the history of record sets is kept; 0 switches it off.'),
          users: z
            .boolean('write true or false')
            .nullish()
            .describe('Whether the history has the user names of admission requests and audit events.'),
        },
        'write a mapping, such as { days: 90 }',
      )
      .nullish()
      .describe('The history of record sets: who changed a name, when, and why.'),
    propagation: z
      .boolean('write true or false')
      .nullish()
      .describe('Whether objects show when resolvers answer a change (condition Propagated). Default true.'),
    healthChecks: z
      .strictObject(
        {
          max: count('how many a namespace may have, such as 5')
            .max(100, 'write 100 or less')
            .describe('How many each namespace may have.'),
          namespaces: namespaces.nullish().describe('The namespaces that may have some. Left out: all.'),
        },
        'write a mapping, such as { max: 5, namespaces: [shop] }',
      )
      .nullish()
      .describe(
        'Whose objects have health checks made for them (docs/aliases-and-routing.md). Left out: none, as each costs money.',
      ),
    intents: z
      .strictObject(
        {
          cluster: clusterId.nullish().describe('The cluster that the intents are for. Needed if there are several.'),
        },
        'write {}; the roles are those of accounts with intents: true',
      )
      .nullish()
      .describe('The intent API (docs/intents.md). Left out: a deployment has none.'),
    clusters: z
      .record(clusterId, z.strictObject(clusterKeys, 'write a mapping, such as { roots: [{ zone: example.org. }] }'), {
        error: ({ code }) =>
          code === 'invalid_type' ? 'write a mapping, such as { prod-eu: { roots: [] } }' : undefined,
      })
      .nullish()
      .describe(
        `The keys of the cluster by its clusterId: ${Object.keys(clusterKeys).join(', ')}. At the top of the file, with clusterId, they are the short form. Several clusters have one ledger (docs/fleet.md); a command is about one of them, with --cluster ID.`,
      ),
    alarms: alarmsSchema.nullish().describe('Whom alarms tell (docs/runbook.md). Only a deployment has alarms.'),
    observability: observabilitySchema
      .nullish()
      .describe(
        'full: every alarm, metric and the dashboard. lean: four alarms, the metrics that they need, and no dashboard. Default full.',
      ),
    // What only the stack needs. aws-schema.ts validates it.
    aws: z.unknown().optional(),
  },
  'write a mapping of keys to values',
);

/**
 * Parses a configuration for one of its clusters; missing keys are those of `defaults`. Returns all problems at once.
 */
export function parseConfigValue(
  value: unknown,
  defaults: Config = DEFAULT_CONFIG,
  choice: ClusterChoice = 'only',
): ConfigResult {
  const parsed = parseWritten(value, defaults);
  if (!parsed.ok) return parsed;
  const { written, clusters } = parsed;
  const chosen = chosenOf(clusters, choice);
  if ('message' in chosen) return { ok: false, problems: [chosen] };
  return { ok: true, ...buildOne(written, chosen, defaults), clusterIds: clusters.map(({ id }) => id) };
}

/** Parses a configuration for each of its clusters. Returns all problems at once. */
export function parseEachCluster(
  value: unknown,
): { readonly ok: true; readonly clusters: readonly OneConfig[] } | Problems {
  const parsed = parseWritten(value, DEFAULT_CONFIG);
  if (!parsed.ok) return parsed;
  return { ok: true, clusters: parsed.clusters.map((one) => buildOne(parsed.written, one, DEFAULT_CONFIG)) };
}

function parseWritten(value: unknown, defaults: Config) {
  // Without a compiled parser: the configuration is parsed once, and compiling would make a cold start slower.
  const parsed = configSchema.safeParse(value, { jitless: true });
  if (!parsed.success) return { ok: false as const, problems: parsed.error.issues.flatMap(explainIssue) };
  const problems = contradictions(parsed.data);
  if (problems.length > 0) return { ok: false as const, problems };
  return { ok: true as const, written: parsed.data, clusters: clustersOf(parsed.data, defaults) };
}

function buildOne(written: Written, chosen: WrittenCluster, defaults: Config): OneConfig {
  const { cluster, at } = chosen;
  const deployment = { access: buildAccess(cluster.access), events: buildEvents(cluster.events), at };
  const clusters = clustersOf(written, defaults);
  const standby = clusters.flatMap((one) => (one.cluster.standby === true ? [one.id] : []));
  return { config: { ...buildConfig(written, chosen, defaults), standby }, deployment };
}

/**
 * A valid configuration in its short form: the keys of the one cluster at the top, with `clusterId`. One with several
 * clusters has none, and stays as it is.
 */
export function shortForm(value: unknown): Readonly<Record<string, unknown>> {
  const { clusters, ...top } = mapping(value);
  const [one, second] = Object.entries(mapping(clusters));
  if (second !== undefined) return { ...top, clusters };
  return one === undefined ? top : { clusterId: one[0], ...top, ...mapping(one[1]) };
}

function explainIssue(issue: z.core.$ZodIssue): readonly ConfigProblem[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message, unknownKey: false }];
  const known = knownKeys(issue.path);
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: unknownKey(key, known), unknownKey: true }));
}

/** Keys of earlier versions, and those that have their place. */
const REPLACED: Readonly<Record<string, string>> = {
  callsPerSecond: 'requestsPerSecond and burst',
  reservedForOthers: 'reserve, a share',
  alarmActions: 'alarms: { page, notify }',
  runbook: 'alarms: { runbook }',
  assumeRoles: 'accounts: { NAME: { role: ARN, intents: true } } at the top, and account: NAME at their hosted zones',
};

/** The message about an unknown key. */
export function unknownKey(key: string, known: readonly string[]): string {
  const now = REPLACED[key];
  if (now !== undefined) return `no key any more: write ${now}`;
  if (known.length === 0) return 'unknown key; none is known here';
  return `unknown key; known here are ${known.join(', ')}${didYouMean(key, known)}`;
}

type Written = z.output<typeof configSchema>;

type WrittenCluster = {
  readonly id: string;
  readonly cluster: Pick<Written, keyof typeof clusterKeys>;
  /** The path of its keys. */
  readonly at: ConfigPath;
};

/** The clusters of the configuration: those of `clusters`, or the one whose keys are at the top. */
function clustersOf(written: Written, { clusterId }: Pick<Config, 'clusterId'>): readonly WrittenCluster[] {
  const { clusters } = written;
  if (clusters == null) return [{ id: written.clusterId ?? clusterId, cluster: written, at: [] }];
  return Object.entries(clusters).map(([id, cluster]) => ({ id, cluster, at: ['clusters', id] }));
}

/** The cluster that is meant, or why there is none. */
function chosenOf(clusters: readonly WrittenCluster[], choice: ClusterChoice): WrittenCluster | ConfigProblem {
  const at = clusters.every((one) => one.at.length > 0) ? ['clusters'] : [];
  const ids = clusters.map(({ id }) => id).join(', ');
  const [first, second] = clusters;
  if (typeof choice !== 'string') {
    const found = clusters.find(({ id }) => id === choice.id);
    const message = `there is no cluster "${choice.id}": write --cluster with one of ${ids}`;
    return found ?? problem(at, message);
  }
  if (first === undefined) return problem(at, 'write the cluster, such as { prod-eu: { roots: [] } }');
  if (choice === 'first' || second === undefined) return first;
  return problem(at, `there are ${clusters.length} clusters: choose one with --cluster: ${ids}`);
}

function buildConfig(written: Written, { id, cluster }: WrittenCluster, defaults: Config): Omit<Config, 'standby'> {
  return {
    clusterId: id,
    region: cluster.region ?? defaults.region,
    roots:
      cluster.roots?.map(({ zone, namespaces }) => ({ pattern: zone, namespaces: namespaces ?? null })) ??
      defaults.roots,
    hostedZones: written.hostedZones?.map(buildHostedZone) ?? defaults.hostedZones,
    extendedViews: extendedViews(written),
    createHostedZones: written.createHostedZones ?? defaults.createHostedZones,
    soa: written.soa ?? defaults.soa,
    intents: written.intents == null || (written.intents.cluster ?? id) !== id ? defaults.intents : {},
    accounts: written.accounts == null ? defaults.accounts : buildAccounts(written.accounts),
    guard: eachGuardSetting((key) => written.guard?.[key] ?? guardSettings(defaults.guard)[key]),
    budget: buildBudget(written.budget, defaults.budget),
    history: {
      days: written.history?.days ?? defaults.history.days,
      users: written.history?.users ?? defaults.history.users,
    },
    propagation: written.propagation ?? defaults.propagation,
    healthChecks:
      written.healthChecks == null
        ? defaults.healthChecks
        : { max: written.healthChecks.max, namespaces: written.healthChecks.namespaces ?? null },
    ...withViews(buildSources(cluster.sources, defaults), written),
    takeover: buildTakeover(cluster.takeover, takeoverDefaults(cluster.access != null, defaults)),
  };
}

/** The sources with the views of the configuration, if it has others than the public one. */
function withViews(built: ReturnType<typeof buildSources>, { hostedZones, views }: Written) {
  const known = viewsOf({ hostedZones: hostedZones?.map(buildHostedZone) ?? [] });
  if (known.length === 1) return built;
  const internal = Object.entries(views ?? {}).find(([, { loadBalancerScheme }]) => loadBalancerScheme === 'internal');
  return { ...built, sources: { ...built.sources, views: { known, ofInternalLoadBalancers: internal?.[0] ?? null } } };
}

function extendedViews({ views }: Pick<Written, 'views'>): Config['extendedViews'] {
  return Object.fromEntries(
    Object.entries(views ?? {}).flatMap(([view, one]) => (one.extends ? [[view, one.extends]] : [])),
  );
}

/** What is wrong with the view that this one extends; null: nothing, or it extends none. */
function extendsProblem(view: string, extended: Config['extendedViews'], known: readonly string[]): string | null {
  const of = extended[view];
  if (of === undefined) return null;
  const words = [PUBLIC, ...known];
  if (!words.includes(of)) return `hostedZones has no view ${of}: it has ${words.join(', ')}${didYouMean(of, words)}`;
  const seen = [view];
  for (let next: string | undefined = of; next !== undefined; next = extended[next]) {
    if (next === view) return `view ${view} extends itself: ${[...seen, view].join(' extends ')}`;
    if (seen.includes(next)) return null;
    seen.push(next);
  }
  return null;
}

/** Problems of `views`: one that no hosted zone has, two for the same load balancers, and those of `extends`. */
function viewProblems({ hostedZones, views }: Written): readonly ConfigProblem[] {
  const known = viewsOf({ hostedZones: hostedZones?.map(buildHostedZone) ?? [] }).filter((view) => view !== PUBLIC);
  const all = Object.entries(views ?? {});
  const internal = all.filter(([, { loadBalancerScheme }]) => loadBalancerScheme === 'internal').map(([view]) => view);
  return all.flatMap(([view]) => {
    const there =
      known.length === 0 ? 'it has none but public' : `it has ${known.join(', ')}${didYouMean(view, known)}`;
    if (!known.includes(view))
      return [problem(['views', view], `hostedZones has no view ${view} that is not public: ${there}`)];
    const wrong = extendsProblem(view, extendedViews({ views }), known);
    if (wrong !== null) return [problem(['views', view, 'extends'], wrong)];
    if (!internal.includes(view) || internal[0] === view) return [];
    const message = `internal load balancers are in view ${internal[0]} already: remove one`;
    return [problem(['views', view, 'loadBalancerScheme'], message)];
  });
}

/** A file with `access` is that of a deployment, where the operator decides who may take over. */
function takeoverDefaults(isDeployed: boolean, { takeover }: Config): Config['takeover'] {
  return isDeployed ? { ...takeover, namespaces: [] } : takeover;
}

function buildHostedZone({
  zone,
  id,
  visibility,
  account,
  view,
  lead,
}: z.output<typeof hostedZone>): Config['hostedZones'][number] {
  return {
    ...{ zone, id },
    ...(typeof visibility === 'string' ? { visibility } : {}),
    ...(typeof account === 'string' ? { account } : {}),
    ...(typeof view === 'string' && view !== PUBLIC ? { view } : {}),
    ...(typeof lead === 'string' ? { lead } : {}),
  };
}

/** Problems between keys that are valid one by one. */
function contradictions(written: Written): readonly ConfigProblem[] {
  return [
    ...clusterProblems(written),
    ...movedKeys(written.aws),
    ...clustersOf(written, DEFAULT_CONFIG).flatMap(ownProblems),
    ...hostedZoneProblems(written),
    ...viewProblems(written),
    ...intentProblems(written),
  ];
}

/** The intents of a configuration with several clusters are for one of them. */
function intentProblems(written: Written): readonly ConfigProblem[] {
  const { intents } = written;
  const ids = clustersOf(written, DEFAULT_CONFIG).map(({ id }) => id);
  if (intents == null || (intents.cluster == null ? ids.length === 1 : ids.includes(intents.cluster))) return [];
  const of = intents.cluster == null ? 'missing' : `there is no cluster "${intents.cluster}"`;
  return [
    problem(['intents', 'cluster'], `${of}: write the cluster that the intents are for, one of ${ids.join(', ')}`),
  ];
}

function problem(path: ConfigPath, message: string): ConfigProblem {
  return { path, message, unknownKey: false };
}

/** Problems of `clusters`: none is there, or the short form is there, too. */
function clusterProblems(written: Written): readonly ConfigProblem[] {
  const { clusters } = written;
  if (clusters == null) return [];
  const [first] = Object.keys(clusters);
  if (first === undefined) return [problem(['clusters'], 'write the cluster, such as { prod-eu: { roots: [] } }')];
  const short = ['clusterId', ...Object.keys(clusterKeys)].filter((key) => Reflect.get(written, key) != null);
  return short.map((key) => ({
    path: [key],
    message: `this is the short form of ${key === 'clusterId' ? 'the key' : `${key} of`} clusters.${first}, which is there, too: remove one`,
    unknownKey: true,
    other: ['clusters'],
  }));
}

/** The words of earlier versions, with the new ones. */
function movedKeys(aws: unknown): readonly ConfigProblem[] {
  return Object.entries(MOVED)
    .filter(([old]) => Object.hasOwn(mapping(aws), old))
    .map(([old, now]) => ({
      path: ['aws', old],
      message: `this key is now ${now}`,
      unknownKey: true,
    }));
}

/** Problems within the keys of a cluster. */
function ownProblems({ cluster, at }: WrittenCluster): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const [index, { txtPrefix, txtSuffix }] of (cluster.takeover?.externalDns ?? []).entries()) {
    if (!txtPrefix || !txtSuffix) continue;
    const message = 'external-dns has txtPrefix or txtSuffix, not both: remove the one that it does not have';
    problems.push(problem([...at, 'takeover', 'externalDns', index, 'txtSuffix'], message));
  }
  const { access } = cluster;
  for (const { key, message } of access == null ? [] : accessProblems(access))
    problems.push(problem([...at, 'access', ...(key === null ? [] : [key])], message));
  // Without access, the file is for a command, and nothing is known of the cluster.
  for (const { key, message } of eventProblems(buildEvents(cluster.events), access == null || access.eks != null))
    problems.push(problem([...at, 'events', key], message));
  return problems;
}

function hostedZoneProblems(written: Written): readonly ConfigProblem[] {
  const { hostedZones, accounts } = written;
  const problems: ConfigProblem[] = [];
  const ids = clustersOf(written, DEFAULT_CONFIG).map((one) => one.id);
  const firstOf = new Map<string, number>();
  const firstWith = new Map<string, number>();
  for (const [index, { zone, id, account, view, lead }] of (hostedZones ?? []).entries()) {
    if (typeof lead === 'string' && !ids.includes(lead)) {
      const message = `there is no cluster "${lead}": write one of ${ids.join(', ')}${didYouMean(lead, ids)}`;
      problems.push(problem(['hostedZones', index, 'lead'], message));
    }
    const unknown = typeof account === 'string' ? undeclared(account, accounts) : null;
    if (unknown !== null) problems.push(problem(['hostedZones', index, 'account'], unknown));
    const name = inView(zone, view ?? PUBLIC);
    const first = firstOf.get(name);
    if (first !== undefined) {
      const message = `${withViewsInWords(name)} has a hosted zone already, in hostedZones[${first}]: remove one`;
      problems.push(problem(['hostedZones', index, 'zone'], message));
    }
    firstOf.set(name, first ?? index);
    const other = firstWith.get(id);
    if (other !== undefined && (hostedZones?.[other]?.view ?? PUBLIC) !== (view ?? PUBLIC)) {
      const message = `${id} is in another view already, in hostedZones[${other}]: a hosted zone has one view`;
      problems.push(problem(['hostedZones', index, 'id'], message));
    }
    firstWith.set(id, other ?? index);
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
    else if (parent instanceof z.ZodRecord) schema = parent.valueType;
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
