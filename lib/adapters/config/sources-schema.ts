// The key `sources`: which kinds are read beside Zone and Record, and how. `defaults` applies to all kinds; the block
// of a kind overrides it.
import * as z from 'zod';
import { parseName } from '../../dns/names/name.ts';
import { type Network, parseNetwork } from '../../dns/rdata/network.ts';
import { parseRdata } from '../../dns/rdata/rdata.ts';
import { parseSelector, parseSelectorText, type Selector } from '../../objects/selector.ts';
import type { SourcesOn } from '../../objects/source.ts';
import {
  DEFAULT_SETTINGS,
  ENABLED_KINDS,
  HOSTNAMES_FROM,
  NAMED_SOURCE_KEYS,
  type NamedSourceKey,
  ROUTE_KINDS,
  SERVICE_TYPES,
  SOURCE_KEYS,
  type SourceKey,
  type SourceSettings,
} from '../../objects/source-settings.ts';
import { type Config, DEFAULT_DNS_RECORDS } from '../../ports/config.ts';
import { buildCustomSource, checkRows, customFields } from './custom-sources-schema.ts';
import { dnsRecordsSchema } from './dns-records-schema.ts';
import { flag, namespaces, share, texts } from './value-schemas.ts';

const WRITE_SELECTOR = 'write a selector, such as { matchLabels: { team: web } } or "team=web,tier in (front, back)"';

const selector = z
  .unknown()
  .meta({ type: ['object', 'string'] })
  .transform((value, context): Selector => {
    const parsed = typeof value === 'string' ? parseSelectorText(value) : parseSelector(value);
    if (parsed !== null) return parsed;
    context.addIssue({ code: 'custom', message: WRITE_SELECTOR });
    return z.NEVER;
  });

function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.array(z.enum(values, `write one of ${values.join(', ')}`), `write a list of ${values.join(', ')}`);
}

const target = z
  .string('write an address or a host name')
  .refine(
    (text) => ['A', 'AAAA', 'CNAME'].some((type) => parseRdata(type, text).ok),
    'write an address or a host name',
  );

const WRITE_NETWORKS = 'write a list of networks, such as [10.0.0.0/8, "fd00::/8"]';

const networks = z
  .array(
    z.string(WRITE_NETWORKS).transform((text, context): Network => {
      const parsed = parseNetwork(text);
      if (parsed.ok) return parsed.network;
      context.addIssue({ code: 'custom', message: parsed.problem });
      return z.NEVER;
    }),
    WRITE_NETWORKS,
  )
  .min(1, 'write one network at least')
  .nullish()
  .transform((all) => all ?? []);

const targetNetworks = z.strictObject(
  {
    only: networks.describe('The networks whose addresses may be targets. Left out: all.'),
    not: networks.describe('The networks whose addresses may not, even if `only` has them. Left out: none.'),
  },
  'write a mapping, such as { not: [10.0.0.0/8] }',
);

const template = z
  .string('write a name with {name} and {namespace}, such as "{name}.{namespace}.example.org"')
  .refine(
    (text) => text !== '' && !/[{}]/.test(text.replaceAll('{name}', 'x').replaceAll('{namespace}', 'x')),
    'write a name; only {name} and {namespace} may be in braces',
  );

const common = {
  namespaces: namespaces.nullish().describe('The namespaces whose objects are read. Left out: all.'),
  labelSelector: selector
    .nullish()
    .describe('Only objects with these labels: `matchLabels` and `matchExpressions`, or one line as kubectl takes it.'),
  annotationSelector: selector.nullish().describe('Only objects with these annotations, in the same notation.'),
  preferCname: flag
    .nullish()
    .describe('A target that is a name of an AWS service becomes a CNAME instead of an alias. Left out: false.'),
  defaultTargets: z
    .array(target, 'write a list of addresses or host names')
    .nullish()
    .describe('The targets of objects that have none of their own. Left out: none.'),
  hostnameTemplate: template
    .nullish()
    .describe('The name of objects that name no host, with `{name}` and `{namespace}`.'),
};

const WRITE_BLOCK = 'write a mapping; {} is enough';

type Block<Settings> = Partial<{ readonly [Key in keyof Settings]: Settings[Key] | null | undefined }>;
type BlockShape = { readonly [Key in keyof SourceSettings]?: z.ZodType<SourceSettings[Key] | null | undefined> };

/** Settings that only one kind has. */
const own: { readonly [Key in NamedSourceKey]?: BlockShape } = {
  services: {
    publishInternal: flag
      .nullish()
      .describe('The annotation `hostname` counts on ClusterIP Services too. Left out: false.'),
    publishHostIp: flag
      .nullish()
      .describe('A headless Service has the addresses of its Nodes, not of its Pods. Left out: false.'),
    excludeUnschedulable: flag
      .nullish()
      .describe('Cordoned Nodes are not targets of NodePort Services. Left out: true.'),
    types: oneOf(SERVICE_TYPES).nullish().describe('The types of Services that are read. Left out: all.'),
  },
  ingresses: {
    classNames: texts('names of IngressClasses').nullish().describe('Only Ingresses of these classes. Left out: all.'),
    hostnamesFrom: oneOf(HOSTNAMES_FROM)
      .nullish()
      .describe('Where the hosts of an Ingress are taken from. Left out: all three.'),
  },
  gatewayRoutes: {
    kinds: oneOf(ROUTE_KINDS).nullish().describe('The kinds of routes that are read. Left out: all.'),
    gatewayNamespaces: namespaces.nullish().describe('Only Gateways of these namespaces count. Left out: all.'),
    inherit: flag
      .nullish()
      .describe(
        'An annotation of a Gateway or ListenerSet counts for its routes that do not have it, such as `ttl`. Left out: false.',
      ),
  },
};

type BlockSchema = z.ZodType<Block<SourceSettings> | null | undefined>;

/** Each setting of the shape has its type; zod infers none for settings that only some kinds have. */
function blockOf(key: NamedSourceKey): BlockSchema {
  const shape: BlockShape = { ...common, ...own[key] };
  const block = z.strictObject(shape as z.ZodRawShape, WRITE_BLOCK);
  return block.nullish().describe(ENABLED_KINDS[key]) as BlockSchema;
}

const blocks = Object.fromEntries(NAMED_SOURCE_KEYS.map((key) => [key, blockOf(key)])) as Readonly<
  Record<NamedSourceKey, BlockSchema>
>;

const WRITE_ZONE = 'write the name of the Zone, such as cluster.prod-eu.internal.';
const WRITE_SECONDS = 'write whole seconds, 0 to 2147483647';
const seconds = z.int(WRITE_SECONDS).min(0, WRITE_SECONDS).max(2_147_483_647, WRITE_SECONDS);

const discoveryGuard = z.strictObject(
  {
    servicesShareMax: share
      .nullish()
      .describe('The share of Services, of ten or more, that may lose all endpoints. Left out: 0.5.'),
    windowSeconds: seconds.nullish().describe('The time, in seconds, within which they are counted. Left out: 60.'),
  },
  'write a mapping, such as { servicesShareMax: 0.5, windowSeconds: 60 }',
);

const serviceDiscovery = z.strictObject(
  {
    zone: z
      .string(WRITE_ZONE)
      .transform((text, context) => {
        const parsed = parseName(text);
        if (parsed.ok && parsed.name !== '.') return parsed.name;
        context.addIssue({ code: 'custom', message: parsed.ok ? WRITE_ZONE : parsed.problems.join('; ') });
        return z.NEVER;
      })
      .describe('The Zone of the names. A live Zone of exactly this name must exist. Required.'),
    ttlSeconds: seconds.nullish().describe('The TTL of all of its names. Left out: 5.'),
    namespaces: common.namespaces,
    serviceSelector: selector
      .nullish()
      .describe('Only Services with these labels. Left out: `labelSelector` of `defaults`.'),
    reverse: flag.nullish().describe('A PTR for each address, if a Zone delegates it. Left out: true.'),
    pods: z
      .enum(['none', 'verified'], 'write none or verified')
      .nullish()
      .describe('The deprecated names of running Pods. Left out: none.'),
    settleSeconds: seconds.nullish().describe('For how many seconds changes of one Service are combined. Left out: 1.'),
    guard: discoveryGuard
      .nullish()
      .describe('The limits of the guard for these names; those of the key `guard` apply to all others.'),
  },
  'write a mapping, such as { zone: cluster.prod-eu.internal. }',
);

const defaults = z.strictObject(
  {
    ...common,
    annotationPrefixes: texts('prefixes, such as external-dns.kubernetes.io/')
      .min(1, 'write one prefix at least')
      .nullish()
      .describe(
        'The prefixes of the annotations. If a key is there with several prefixes, the first prefix in the list counts. ' +
          `Left out: [${DEFAULT_SETTINGS.annotationPrefixes.join(', ')}].`,
      ),
    targets: targetNetworks
      .nullish()
      .describe(
        'Which IP addresses may be targets, by network. Host names and the names of `serviceDiscovery` are not concerned.',
      ),
  },
  'write a mapping, such as { namespaces: [web] }',
);

const custom = z.array(
  z.strictObject({ ...customFields, ...common }, 'write a mapping, such as { preset: contour-httpproxy }'),
  'write a list, such as [{ preset: contour-httpproxy }]',
);

export const sourcesSchema = z
  .strictObject(
    {
      ...blocks,
      serviceDiscovery: serviceDiscovery.nullish().describe(ENABLED_KINDS.serviceDiscovery),
      dnsRecords: dnsRecordsSchema
        .nullish()
        .describe('DNSRecord of extensions.gardener.cloud. Each has its own credentials. {} is enough.'),
      custom: custom
        .nullish()
        .describe('Kinds of your own. [docs/sources.md](sources.md#other-kinds) explains the expressions.'),
      defaults: defaults.nullish().describe('Defaults for every kind: for each key that a kind leaves out.'),
    },
    'write a mapping, such as { services: {}, ingresses: {} }',
  )
  .superRefine(({ serviceDiscovery: discovery, custom: rows }, context) => {
    checkRows(rows ?? [], context);
    // A key without a value switches a source on, but this one also needs its Zone.
    if (discovery !== null) return;
    context.addIssue({ code: 'custom', path: ['serviceDiscovery', 'zone'], message: WRITE_ZONE });
  })
  .nullish()
  .describe(
    'The kinds of objects, besides Record, that ask for names. A kind is read only if its key is present. [docs/sources.md](sources.md) explains each kind.',
  );

type Written = z.output<typeof sourcesSchema>;

/** The settings of the kinds that are switched on, and those that a kind switched on later would get. */
export function buildSources(
  written: Written,
  before: Config,
): Pick<Config, 'sources' | 'sourceDefaults' | 'dnsRecords'> {
  if (written == null)
    return { sources: before.sources, sourceDefaults: before.sourceDefaults, dnsRecords: before.dnsRecords };
  const sourceDefaults = over(before.sourceDefaults, written.defaults ?? {});
  const prefixes = sourceDefaults.annotationPrefixes.map((prefix) => (prefix.endsWith('/') ? prefix : `${prefix}/`));
  const shared = { ...sourceDefaults, annotationPrefixes: prefixes };
  // A key without a value counts too.
  const on = SOURCE_KEYS.filter((key) => Object.hasOwn(written, key) && written[key] !== undefined);
  const keyed = Object.fromEntries(on.map((key) => [key, settingsOf(key, written, shared)]));
  const rows = (written.custom ?? []).map((row) => buildCustomSource(row, over(shared, settingsIn(row))));
  const sources: SourcesOn = rows.length === 0 ? keyed : { ...keyed, custom: rows };
  const dnsRecords = written.dnsRecords === undefined ? null : over(DEFAULT_DNS_RECORDS, written.dnsRecords ?? {});
  return { sources, sourceDefaults: shared, dnsRecords };
}

/** The settings of a kind that is switched on: its block, if it has one, overrides the defaults. */
function settingsOf(key: SourceKey, written: NonNullable<Written>, shared: SourceSettings): SourceSettings {
  if (key !== 'serviceDiscovery') return over(shared, written[key] ?? {});
  // The schema refuses this key without a block.
  return discoveryOf(written[key] as z.output<typeof serviceDiscovery>, shared);
}

/** The settings of service discovery, which reads no annotations. */
function discoveryOf(block: z.output<typeof serviceDiscovery>, shared: SourceSettings): SourceSettings {
  const { zone, ttlSeconds, serviceSelector, reverse, pods, settleSeconds } = block;
  return {
    ...shared,
    namespaces: block.namespaces ?? shared.namespaces,
    labelSelector: null,
    annotationSelector: null,
    discovery: {
      zone,
      ttlSeconds: ttlSeconds ?? 5,
      reverse: reverse ?? true,
      pods: pods ?? 'none',
      serviceSelector: serviceSelector ?? shared.labelSelector,
      settleSeconds: settleSeconds ?? 1,
      guard: {
        servicesShareMax: block.guard?.servicesShareMax ?? 0.5,
        windowSeconds: block.guard?.windowSeconds ?? 60,
      },
    },
  };
}

/** The settings of a row of `custom`, without its expressions. */
function settingsIn(row: z.output<typeof custom>[number]) {
  const { namespaces: some, labelSelector, annotationSelector, preferCname, defaultTargets, hostnameTemplate } = row;
  return { namespaces: some, labelSelector, annotationSelector, preferCname, defaultTargets, hostnameTemplate };
}

/** The settings with the written keys of a block in their place. */
function over<Settings extends object>(settings: Settings, block: Block<Settings>): Settings {
  const said = Object.entries(block).filter(([, value]) => value !== null && value !== undefined);
  return { ...settings, ...Object.fromEntries(said) };
}
