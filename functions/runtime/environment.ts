// The environment variables of the functions: their names, which function reads which, and their form. The constructs
// of infra/ set exactly these (a type and a test make sure of it). A function parses its variables when it starts: a
// missing or wrong one is an error that names it, before the first message is received. infra/ knows nothing else of
// the functions.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { type ConfigPath, formatConfigPath, parseConfigValue } from '../../lib/adapters/config/config-schema.ts';
import { errorMessage } from '../../lib/objects/plain.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { GuardSettings } from '../../lib/ports/guard-limits.ts';
import { formatRoute53Name } from '../../lib/route53/escapes.ts';
import { auditFilter } from '../../lib/sources/cluster-needs.ts';
import { kindsHinted } from '../../lib/sources/source.ts';

export type { Metric } from './metric-names.ts';

/** The variables of each function; those in `OPTIONAL` may be absent. */
export const FUNCTION_ENVIRONMENT = {
  ingest: ['ZONE53_HINTS_URL', 'ZONE53_CONFIG', 'ZONE53_SENDER_SECRET'],
  reconcile: [
    'ZONE53_TABLE',
    'ZONE53_HINTS_URL',
    'ZONE53_PUBLISH_URL',
    'ZONE53_REPORTS_URL',
    'ZONE53_CONFIG',
    'ZONE53_KUBERNETES',
  ],
  publish: ['ZONE53_TABLE', 'ZONE53_HINTS_URL', 'ZONE53_PUBLISH_URL', 'ZONE53_REPORTS_URL', 'ZONE53_CONFIG'],
  report: ['ZONE53_TABLE', 'ZONE53_REPORTS_URL', 'ZONE53_CONFIG', 'ZONE53_KUBERNETES'],
  sweep: [
    'ZONE53_TABLE',
    'ZONE53_HINTS_URL',
    'ZONE53_PUBLISH_URL',
    'ZONE53_REPORTS_URL',
    'ZONE53_CONFIG',
    'ZONE53_KUBERNETES',
    'ZONE53_OWN_ROLES',
  ],
  validate: ['ZONE53_SENDER_SECRET', 'ZONE53_CONFIG', 'ZONE53_KUBERNETES'],
  intents: ['ZONE53_TABLE', 'ZONE53_HINTS_URL', 'ZONE53_CONFIG', 'ZONE53_KUBERNETES'],
} as const;

export type FunctionName = keyof typeof FUNCTION_ENVIRONMENT;
export type EnvironmentName<Name extends FunctionName = FunctionName> = (typeof FUNCTION_ENVIRONMENT)[Name][number];

/** Variables that are set only where their feature is deployed. */
export const OPTIONAL: readonly EnvironmentName[] = ['ZONE53_SENDER_SECRET'];

/** Lambda's limit for the variables of one function, as JSON (quotas; API_Environment). Last verified 2026-11-22. */
export const ENVIRONMENT_OCTETS_MAX = 4_096;

/**
 * Variables whose JSON may be long: a deployment puts the JSON into a file beside the bundle and sets the file's name.
 */
export const IN_FILES: Partial<Readonly<Record<EnvironmentName, string>>> = {
  ZONE53_CONFIG: 'config.json',
  ZONE53_KUBERNETES: 'kubernetes.json',
};

/** Where the API server is and how the functions sign in. */
export type KubernetesSettings =
  /** `certificateAuthority`: base64 of PEM, as `aws eks describe-cluster` prints it. */
  | {
      readonly kind: 'eks';
      readonly clusterName: string;
      readonly region: string;
      readonly endpoint: string;
      readonly certificateAuthority: string;
    }
  /** `tokenSecret`: ARN of a secret with a bearer token. No certificate authority: one that Node knows. */
  | {
      readonly kind: 'token';
      readonly endpoint: string;
      readonly certificateAuthority: string | null;
      readonly tokenSecret: string;
    };

const url = z.url({ protocol: /^https?$/, error: 'is not a URL' });
const endpoint = z.url({ protocol: /^https?$/, error: 'endpoint is not a URL' });
const text = z.string().min(1, 'is empty');
const kubernetes = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('eks'), clusterName: text, region: text, endpoint, certificateAuthority: text }),
  z.strictObject({
    kind: z.literal('token'),
    endpoint,
    certificateAuthority: text.nullable(),
    tokenSecret: text,
  }),
]);

/** The limits of the guard, as the construct takes them. */
export type GuardProps = Partial<GuardSettings>;

type Values = {
  readonly ZONE53_TABLE: string;
  readonly ZONE53_HINTS_URL: string;
  readonly ZONE53_PUBLISH_URL: string;
  readonly ZONE53_REPORTS_URL: string;
  readonly ZONE53_SENDER_SECRET: string | null;
  readonly ZONE53_CONFIG: Config;
  readonly ZONE53_KUBERNETES: KubernetesSettings;
  readonly ZONE53_OWN_ROLES: readonly string[];
};

type Variables = Readonly<Record<string, string | undefined>>;

const PARSERS: { readonly [Name in EnvironmentName]: (written: string, variables: Variables) => Values[Name] } = {
  ZONE53_TABLE: (written) => text.parse(written),
  ZONE53_HINTS_URL: (written) => url.parse(written),
  ZONE53_PUBLISH_URL: (written) => url.parse(written),
  ZONE53_REPORTS_URL: (written) => url.parse(written),
  ZONE53_SENDER_SECRET: (written) => text.parse(written),
  ZONE53_CONFIG: (written, variables) => parseSettings(readJson(written, variables)),
  ZONE53_KUBERNETES: (written, variables) => kubernetes.parse(readJson(written, variables), { jitless: true }),
  ZONE53_OWN_ROLES: (written) => z.array(text).parse(JSON.parse(written)),
};

/** Parses JSON: the text itself, or a file beside the bundle, in the folder that Lambda calls the task root. */
function readJson(written: string, { LAMBDA_TASK_ROOT = '.' }: Variables): unknown {
  return JSON.parse(written.startsWith('{') ? written : readFileSync(path.join(LAMBDA_TASK_ROOT, written), 'utf8'));
}

export type Environment<Name extends FunctionName> = Pick<Values, EnvironmentName<Name>>;

/** The parsed environment of one function. Throws an Error that names every variable that is missing or wrong. */
export function parseEnvironment<Name extends FunctionName>(name: Name, variables: Variables): Environment<Name> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const key of FUNCTION_ENVIRONMENT[name] as readonly EnvironmentName[]) {
    const written = variables[key];
    if (written === undefined || written === '') {
      if (OPTIONAL.includes(key)) values[key] = null;
      else problems.push(`${key} is not set`);
      continue;
    }
    try {
      values[key] = PARSERS[key](written, variables);
    } catch (error) {
      problems.push(`${key}: ${reason(error)}`);
    }
  }
  if (problems.length > 0) throw new Error(`Cannot start ${name}: ${problems.join('; ')}`);
  return values as Environment<Name>;
}

function reason(error: unknown): string {
  if (error instanceof z.ZodError) return error.issues.map(({ message }) => message).join(', ');
  return errorMessage(error);
}

/**
 * A configuration for an account: as `zone53.yaml`, but it must say who may have a root, and no hosted zone is made.
 */
export function parseSettings(value: unknown): Config {
  const parsed = parseConfigValue(value);
  const problems = problemsOf(parsed);
  if (!parsed.ok || problems.length > 0) throw new Error(problems.map(formatSettingsProblem).join('; '));
  return parsed.config;
}

/** A problem of `zone53.yaml`. `path`: the keys and indices that lead to its key. The message says what to write. */
export type SettingsProblem = { readonly path: ConfigPath; readonly message: string };

export function formatSettingsProblem({ path, message }: SettingsProblem): string {
  const at = formatConfigPath(path);
  return at === '' ? message : `${at}: ${message}`;
}

/** The problems of a configuration for an account: each has the path of its key and says what to write. */
export function settingsProblems(value: unknown): readonly string[] {
  return findSettingsProblems(value).map(formatSettingsProblem);
}

export function findSettingsProblems(value: unknown): readonly SettingsProblem[] {
  return problemsOf(parseConfigValue(value));
}

function problemsOf(parsed: ReturnType<typeof parseConfigValue>): readonly SettingsProblem[] {
  if (!parsed.ok) return parsed.problems;
  const { roots, hostedZones, createHostedZones, dnsRecords } = parsed.config;
  const problems: SettingsProblem[] = [];
  if (roots === null) {
    problems.push({
      path: ['roots'],
      message:
        'missing, and without it anybody who may create a Zone could publish any name: write a list such as [{ zone: example.org., namespaces: [platform] }]',
    });
  }
  // A DNSRecord brings the account and the hosted zone, so a seed without Zones needs none here.
  if (hostedZones.length === 0 && dnsRecords === null) {
    problems.push({
      path: ['hostedZones'],
      message:
        'missing, and the publisher may change only those that are listed: write a list such as [{ zone: example.org., id: Z0123456789ABCDEFGHIJ }]',
    });
  }
  for (const [index, { id, zone }] of hostedZones.entries()) {
    const first = hostedZones.findIndex((other) => other.id === id);
    if (first < index) {
      const message = `${id} is the hosted zone of ${hostedZones[first]?.zone} already, in hostedZones[${first}]: write that of ${zone}`;
      problems.push({ path: ['hostedZones', index, 'id'], message });
    }
  }
  if (createHostedZones === 'all') {
    problems.push({
      path: ['createHostedZones'],
      message:
        'all needs rights over hosted zones that no policy can name beforehand: write never, create the hosted zone, and list it under hostedZones',
    });
  }
  return problems;
}

/**
 * The filter pattern of CloudWatch Logs for the lines of an EKS audit log about the kinds that a configuration reads.
 */
export function auditFilterOf(config: Pick<Config, 'sources' | 'dnsRecords'>): string {
  return auditFilter(kindsHinted(config));
}

/** A name as in Route 53's IAM condition keys: lower case, `\ooo` octal escapes, no last dot. */
export function iamRecordName(name: string): string {
  return formatRoute53Name(name).replace(/\.$/, '');
}
