// The statuses of a DNSRecord to the letter of the contract, each as the body of a merge patch of `status`: null takes
// a field away, and what is not named stays.
import { at } from '../common/plain.ts';
import type { DnsRecord, Operation } from './dns-record.ts';
import type { ErrorCode } from './error-codes.ts';

export const FINALIZER = 'extensions.gardener.cloud/dnsrecord';
export const OPERATION_ANNOTATION = 'gardener.cloud/operation';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
/** The body of a merge patch. */
export type StatusPatch = { readonly [key: string]: Json };

/** Verbs by operation: under way, failed, done. */
const VERBS: Readonly<Record<Operation, readonly [string, string, string]>> = {
  Create: ['Reconciling', 'reconciling', 'reconciled'],
  Reconcile: ['Reconciling', 'reconciling', 'reconciled'],
  Delete: ['Deleting', 'deleting', 'deleted'],
  Migrate: ['Migrating', 'migrating', 'migrated'],
  Restore: ['Restoring', 'restoring', 'restored'],
};

/** An operation that has begun. */
export function processingStatus(operation: Operation, nowMs: number): StatusPatch {
  return { lastOperation: lastOperation(operation, 'Processing', 1, `${VERBS[operation][0]} the DNSRecord`, nowMs) };
}

/** An operation that failed. `message` is what went wrong; it must name no credentials. */
export function failedStatus(
  record: Pick<DnsRecord, 'generation' | 'status'>,
  operation: Operation,
  error: { readonly message: string; readonly codes: readonly ErrorCode[] },
  nowMs: number,
): StatusPatch {
  const description = `Error ${VERBS[operation][1]} DNSRecord: ${error.message}`;
  const codes = [...new Set(error.codes)].toSorted();
  const isFirst = publishes(operation) && record.status.created === null;
  return {
    lastOperation: lastOperation(operation, 'Error', 50, description, nowMs),
    lastError: { description, codes, lastUpdateTime: timeOf(nowMs) },
    observedGeneration: record.generation,
    ...(isFirst
      ? withCreated(record, 'False', 'Error', 'Error on initial record creation in infrastructure', nowMs)
      : {}),
  };
}

/**
 * An operation that succeeded. `zone`: the id of the hosted zone that the record stands in; null says nothing of it.
 */
export function succeededStatus(
  record: Pick<DnsRecord, 'generation' | 'status'>,
  operation: Operation,
  zone: string | null,
  nowMs: number,
): StatusPatch {
  const isNew = publishes(operation) && record.status.created !== 'True';
  const message = 'Record was created successfully in infrastructure at least once';
  return {
    lastOperation: lastOperation(operation, 'Succeeded', 100, `Successfully ${VERBS[operation][2]} DNSRecord`, nowMs),
    lastError: null,
    observedGeneration: record.generation,
    ...(isNew ? withCreated(record, 'True', 'Success', message, nowMs) : {}),
    ...(zone === null ? {} : { zone }),
  };
}

/** True for operations after which the record stands. */
function publishes(operation: Operation): boolean {
  return operation === 'Create' || operation === 'Reconcile' || operation === 'Restore';
}

function lastOperation(type: Operation, state: string, progress: number, description: string, nowMs: number): Json {
  return { type, state, progress, description, lastUpdateTime: timeOf(nowMs) };
}

/** The whole list, as a merge patch replaces it: the others stay as they are. */
function withCreated(
  { status }: Pick<DnsRecord, 'status'>,
  value: 'True' | 'False',
  reason: string,
  message: string,
  nowMs: number,
): StatusPatch {
  const time = timeOf(nowMs);
  const created = {
    type: 'Created',
    status: value,
    lastTransitionTime: time,
    lastUpdateTime: time,
    reason,
    message,
  };
  const isCreated = (condition: Json): boolean => at(condition, 'type') === 'Created';
  // What the API server gave is JSON.
  const before = status.conditions as readonly Json[];
  const conditions = before.some(isCreated)
    ? before.map((condition) => (isCreated(condition) ? created : condition))
    : [...before, created];
  return { conditions };
}

/** As Kubernetes writes times: whole seconds, UTC. */
function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
