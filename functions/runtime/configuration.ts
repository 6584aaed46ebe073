// The configuration in force. Its newest version is asked for once a minute, when the function has something to do. A
// version that is invalid or cannot be read raises an alarm, and the last valid one stays in force:
//
//   newest version        in memory      in the ledger    in force
//   valid                 any            any              the newest
//   invalid, unreadable   any            a valid one      that of the ledger
//   invalid, unreadable   a valid one    none             that in memory
//   invalid, unreadable   none           none             none: the invocation fails, and its message comes back

import type { ObjectReading, Wanted } from '../../lib/adapters/aws/s3-object.ts';
import { type DeployedConfig, formatConfigProblem, parseDeployed } from '../../lib/adapters/config/deployed-config.ts';
import { jsonOf } from '../../lib/objects/plain.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Log } from '../../lib/ports/log.ts';
import type { LastValid } from './last-valid.ts';
import { shortReason } from './messages.ts';
import type { Meter } from './meter.ts';

const ASK_MS = 60_000;
/** Longer than the configuration of a thousand hosted zones. */
export const CONFIGURATION_OCTETS_MAX = 1024 * 1024;
/** The most problems that one log line names. */
const PROBLEMS_MAX = 20;

/** `version`: that of the object in S3. */
export type Configuration = DeployedConfig & { readonly version: string };

export type ConfigurationDeps = {
  readonly read: (wanted: Wanted) => Promise<ObjectReading>;
  /** What the ledger knows. `note` is missing in functions that may not write it. */
  readonly lastValid: {
    readonly read: () => Promise<LastValid | null>;
    readonly note?: (valid: LastValid) => Promise<void>;
  };
  /** Throws an Error if this code must not use the ledger. Asked together with the configuration. */
  readonly checkLedger?: () => Promise<void>;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly log: Log;
};

type Found = Extract<ObjectReading, { kind: 'found' }>;

/** Returns what to call for the configuration in force. That throws an Error if there is none. */
export function followConfiguration(deps: ConfigurationDeps): () => Promise<Configuration> {
  const { clock, log } = deps;
  let inForce: Configuration | null = null;
  /** The newest version that was read: its ETag, and what is wrong with it. */
  let newest: { readonly etag: string; readonly problem: string | null } | null = null;
  let askMs = 0;
  let modifiedMs = 0;

  const take = (found: Found, configuration: DeployedConfig) => {
    const version = found.version ?? found.etag;
    if (inForce?.version === version || found.modifiedMs < modifiedMs) return;
    inForce = { ...configuration, version };
    modifiedMs = found.modifiedMs;
    log('info', 'a version of the configuration is in force', { version });
  };
  const look = async (): Promise<string | null> => {
    const reading = await readNewest(deps, newest?.etag ?? null);
    if (reading.kind === 'unchanged') return newest?.problem ?? null;
    if (reading.kind === 'refused') return reading.reason;
    const parsed = parseText(reading.text);
    newest = { etag: reading.etag, problem: parsed.ok ? null : parsed.problem };
    if (!parsed.ok) return parsed.problem;
    take(reading, parsed.configuration);
    await note(deps, reading);
    return null;
  };
  const fallBack = async (problem: string): Promise<Configuration> => {
    deps.meter('Unreadable', 1, { what: 'configuration' });
    const valid = await readValid(deps);
    if (valid !== null) take(...valid);
    log('error', 'the newest version of the configuration is not in force', {
      reason: problem,
      ...(inForce !== null && { inForce: inForce.version }),
    });
    if (inForce !== null) return inForce;
    throw new Error(`Cannot read the configuration, and the ledger has no valid version: ${problem}`);
  };

  return async () => {
    const nowMs = clock.nowMs();
    if (inForce !== null && nowMs < askMs && nowMs >= askMs - ASK_MS) return inForce;
    const [problem] = await Promise.all([look(), deps.checkLedger?.()]);
    const current = problem === null && inForce !== null ? inForce : await fallBack(problem ?? 'it is not there');
    askMs = nowMs + ASK_MS;
    return current;
  };
}

async function readNewest({ read }: ConfigurationDeps, unlessEtag: string | null): Promise<ObjectReading> {
  try {
    return await read({ unlessEtag });
  } catch (error) {
    return { kind: 'refused', reason: shortReason(error) };
  }
}

/** Notes a valid version. Without the note, the version is in force all the same. */
async function note({ lastValid, log }: ConfigurationDeps, { version, modifiedMs }: Found): Promise<void> {
  if (version === null || lastValid.note === undefined) return;
  try {
    await lastValid.note({ version, modifiedMs });
  } catch (error) {
    log('warn', 'the version of the configuration could not be noted in the ledger', { reason: shortReason(error) });
  }
}

/** The last valid version, by the ledger; null if there is none, or this code cannot read it. */
async function readValid({ read, lastValid, log }: ConfigurationDeps): Promise<[Found, DeployedConfig] | null> {
  try {
    const known = await lastValid.read();
    if (known === null) return null;
    const reading = await read({ version: known.version });
    const parsed: ParsedText =
      reading.kind === 'found'
        ? parseText(reading.text)
        : { ok: false, problem: reading.kind === 'refused' ? reading.reason : 'S3 answers 304' };
    if (reading.kind === 'found' && parsed.ok) return [reading, parsed.configuration];
    const reason = parsed.ok ? '' : parsed.problem;
    log('error', 'the last valid version of the configuration cannot be used', { version: known.version, reason });
  } catch (error) {
    log('error', 'the last valid version of the configuration cannot be read', { reason: shortReason(error) });
  }
  return null;
}

type ParsedText =
  | { readonly ok: true; readonly configuration: DeployedConfig }
  | { readonly ok: false; readonly problem: string };

/** Parses the text of the object: a `zone53.yaml` as JSON. */
export function parseText(text: string): ParsedText {
  const value = jsonOf(text);
  if (value === undefined) {
    const problem = 'it is not JSON, or was cut off: deploy the stack again, which writes it';
    return { ok: false, problem };
  }
  const parsed = parseDeployed(value);
  if (parsed.ok) return { ok: true, configuration: parsed };
  const problems = parsed.problems.slice(0, PROBLEMS_MAX).map(formatConfigProblem);
  return { ok: false, problem: problems.join('; ') };
}

/** A handler that is made anew for each version of the configuration. One invocation uses one version throughout. */
export function perConfiguration<Event, Invocation, Result>(
  current: () => Promise<Configuration>,
  make: (configuration: Configuration) => Promise<(event: Event, invocation: Invocation) => Promise<Result>>,
): (event: Event, invocation: Invocation) => Promise<Result> {
  type Made = { readonly version: string; readonly handle: Awaited<ReturnType<typeof make>> };
  let made: Made | null = null;
  return async (event, invocation) => {
    const configuration = await current();
    const known: Made =
      made?.version === configuration.version
        ? made
        : { version: configuration.version, handle: await make(configuration) };
    made = known;
    return known.handle(event, invocation);
  };
}
