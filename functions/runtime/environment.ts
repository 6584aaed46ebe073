// The environment variables of the functions: their names, which function reads which, and their form. The constructs
// of infra/ set exactly these (a type and a test make sure of it). A function parses its variables when it starts: a
// missing or wrong one is an error that names it, before the first message is received. infra/ knows nothing else of
// the functions.
import * as z from 'zod';
import { errorMessage } from '../../lib/objects/plain.ts';
import type { BudgetLimits } from '../../lib/ports/budget-limits.ts';
import type { Config } from '../../lib/ports/config.ts';
import type { GuardSettings } from '../../lib/ports/guard-limits.ts';
import { auditFilter } from '../../lib/sources/cluster-needs.ts';
import { kindsHinted } from '../../lib/sources/source.ts';

export type { Metric } from './metric-names.ts';

/** What every function reads. `ZONE53_METRICS`: `lean` for only the metrics that lean alarms need; absent for all. */
const CONFIGURATION = ['ZONE53_CONFIG_BUCKET', 'ZONE53_CONFIG_KEY', 'ZONE53_METRICS'] as const;
/** What every function reads that works by the configuration. The table has the version that was valid last. */
const CONFIGURED = ['ZONE53_TABLE', ...CONFIGURATION] as const;
const QUEUES = ['ZONE53_HINTS_URL', 'ZONE53_PUBLISH_URL', 'ZONE53_REPORTS_URL'] as const;

/** The variables of each function; those in `OPTIONAL` may be absent. */
export const FUNCTION_ENVIRONMENT = {
  ingest: [...CONFIGURED, 'ZONE53_HINTS_URL', 'ZONE53_SENDER_SECRET'],
  reconcile: [...CONFIGURED, ...QUEUES],
  publish: [...CONFIGURED, ...QUEUES],
  report: [...CONFIGURED, 'ZONE53_REPORTS_URL'],
  sweep: [...CONFIGURED, ...QUEUES, 'ZONE53_OWN_ROLES'],
  poll: [...CONFIGURED, 'ZONE53_HINTS_URL', 'ZONE53_REPORTS_URL'],
  validate: [...CONFIGURED, 'ZONE53_SENDER_SECRET'],
  intents: [...CONFIGURED, 'ZONE53_HINTS_URL'],
  configure: CONFIGURATION,
} as const;

/** The partition of the ledger that has the version of the configuration that was valid last. */
export const CONFIGURATION_PARTITION = 'configuration';

export type FunctionName = keyof typeof FUNCTION_ENVIRONMENT;
export type EnvironmentName<Name extends FunctionName = FunctionName> = (typeof FUNCTION_ENVIRONMENT)[Name][number];

/** Variables that are set only where their feature is deployed. */
export const OPTIONAL: readonly EnvironmentName[] = ['ZONE53_SENDER_SECRET', 'ZONE53_METRICS'];

const url = z.url({ protocol: /^https?$/, error: 'is not a URL' });
const text = z.string().min(1, 'is empty');

/** The limits of the guard, and of Route 53, as the construct takes them. */
export type GuardProps = Partial<GuardSettings>;
export type BudgetProps = Partial<BudgetLimits>;

type Values = {
  readonly ZONE53_TABLE: string;
  readonly ZONE53_HINTS_URL: string;
  readonly ZONE53_PUBLISH_URL: string;
  readonly ZONE53_REPORTS_URL: string;
  readonly ZONE53_SENDER_SECRET: string | null;
  readonly ZONE53_CONFIG_BUCKET: string;
  readonly ZONE53_CONFIG_KEY: string;
  readonly ZONE53_OWN_ROLES: readonly string[];
  readonly ZONE53_METRICS: string | null;
};

type Variables = Readonly<Record<string, string | undefined>>;

const PARSERS: { readonly [Name in EnvironmentName]: (written: string) => Values[Name] } = {
  ZONE53_TABLE: (written) => text.parse(written),
  ZONE53_HINTS_URL: (written) => url.parse(written),
  ZONE53_PUBLISH_URL: (written) => url.parse(written),
  ZONE53_REPORTS_URL: (written) => url.parse(written),
  ZONE53_SENDER_SECRET: (written) => text.parse(written),
  ZONE53_CONFIG_BUCKET: (written) => text.parse(written),
  ZONE53_CONFIG_KEY: (written) => text.parse(written),
  ZONE53_METRICS: (written) => z.enum(['full', 'lean'], 'is neither full nor lean').parse(written),
  ZONE53_OWN_ROLES: (written) => z.array(text).parse(JSON.parse(written)),
};

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
      values[key] = PARSERS[key](written);
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
 * The filter pattern of CloudWatch Logs for the lines of an EKS audit log about the kinds that a configuration reads.
 */
export function auditFilterOf(config: Pick<Config, 'sources' | 'dnsRecords'>): string {
  return auditFilter(kindsHinted(config));
}
