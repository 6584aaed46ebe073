// Health checks of the local Route 53, as far as record sets need them: created, read, listed, deleted. They check
// nothing: one is healthy until somebody says that it fails. Source: API reference CreateHealthCheck, GetHealthCheck,
// ListHealthChecks, DeleteHealthCheck. Last verified 2026-11-30.
import { HEALTH_CHECKS_MAX, HEALTH_CHECKS_PAGE_MAX } from '../values/limits.ts';
import { invalidInput, Route53Error } from '../values/route53-error.ts';
import { type Account, newUuid, tellAccount } from './account.ts';
import { type Page, pageFrom } from './pages.ts';
import type { ConfigValue, HealthCheckSnapshot } from './snapshot.ts';
import { applyTags, type TagChange } from './tags.ts';

/** `version` null: whatever it has. `reset`: the elements that go. */
export type HealthCheckUpdate = {
  readonly version: number | null;
  readonly reset: readonly string[];
  readonly config: Readonly<Record<string, ConfigValue>>;
};

/**
 * Creates a health check. The same caller reference and configuration return the one that was created before. The
 * reference of one that was deleted is refused, whatever the configuration.
 */
export function createHealthCheck(account: Account, callerReference: string, config: ConfigValue): HealthCheckSnapshot {
  const before = [...account.healthChecks.values()].find((one) => one.callerReference === callerReference);
  if (before !== undefined) {
    if (JSON.stringify(before.config) === JSON.stringify(config)) return before;
    const message = `A health check with the caller reference ${callerReference} and another configuration already exists.`;
    throw new Route53Error('HealthCheckAlreadyExists', 409, message);
  }
  if (account.healthCheckReferences.has(callerReference)) {
    const message = `A health check with the caller reference ${callerReference} was deleted. Use another reference.`;
    throw new Route53Error('HealthCheckAlreadyExists', 409, message);
  }
  if (account.healthChecks.size >= HEALTH_CHECKS_MAX) {
    const message = 'You have reached the maximum number of active health checks for an AWS account.';
    throw new Route53Error('TooManyHealthChecks', 400, message);
  }
  const made = { id: newUuid(account), callerReference, version: 1, config };
  account.healthChecks.set(made.id, made);
  account.healthCheckReferences.add(callerReference);
  tellAccount(account);
  return made;
}

/** The health check of that id, or NoSuchHealthCheck. */
export function findHealthCheck({ healthChecks }: Account, id: string): HealthCheckSnapshot {
  const found = healthChecks.get(id);
  if (found !== undefined) return found;
  throw new Route53Error('NoSuchHealthCheck', 404, `A health check with id ${id} does not exist.`);
}

/**
 * Changes the configuration of a health check, and raises its version. `check` throws for what Route 53 refuses.
 * HealthCheckVersionMismatch if it has another version than the request names.
 */
export function updateHealthCheck(
  account: Account,
  id: string,
  { version, reset, config }: HealthCheckUpdate,
  check: (config: Readonly<Record<string, ConfigValue>>) => void,
): HealthCheckSnapshot {
  const found = findHealthCheck(account, id);
  if (version !== null && version !== found.version) {
    const message = `The version of health check ${id} is ${found.version}, not ${version}.`;
    throw new Route53Error('HealthCheckVersionMismatch', 409, message);
  }
  const before = Object.entries(found.config).filter(([name]) => !reset.includes(name));
  const after = { ...Object.fromEntries(before), ...config };
  check(after);
  const updated = { ...found, version: found.version + 1, config: after };
  account.healthChecks.set(id, updated);
  tellAccount(account);
  return updated;
}

/** Adds and removes tags of a health check. */
export function changeHealthCheckTags(account: Account, id: string, change: TagChange): void {
  const found = findHealthCheck(account, id);
  account.healthChecks.set(id, { ...found, tags: applyTags(found.tags ?? {}, change) });
  tellAccount(account);
}

/** Deletes a health check, even if record sets name it. */
export function deleteHealthCheck(account: Account, id: string): void {
  findHealthCheck(account, id);
  account.healthChecks.delete(id);
  account.failing.delete(id);
  tellAccount(account);
}

/**
 * Says whether a health check fails. Where record sets may name health checks of the real account, any id is taken;
 * otherwise NoSuchHealthCheck.
 */
export function setHealth(account: Account, id: string, isHealthy: boolean): void {
  if (!account.options.takesUnknownIds) findHealthCheck(account, id);
  if (isHealthy) account.failing.delete(id);
  else account.failing.add(id);
  tellAccount(account);
}

/** A page of the health checks in the order of their creation, from the one whose id is the marker. */
export function pageOfHealthChecks(
  { healthChecks }: Account,
  start: { readonly marker: string | null; readonly maxItems: number | null },
): Page<HealthCheckSnapshot> {
  const all = [...healthChecks.values()];
  const at = start.marker === null ? 0 : all.findIndex(({ id }) => id === start.marker);
  if (at < 0) throw invalidInput(`The specified marker is not valid: ${start.marker}`);
  return pageFrom(all, at, start.maxItems ?? HEALTH_CHECKS_PAGE_MAX, HEALTH_CHECKS_PAGE_MAX);
}
