// Builds the statuses of a DNSRecord exactly as the contract has them, as bodies of a merge patch: null removes a
// field, and fields that are not named stay.
import { timeText } from '../../objects/conditions.ts';
import { at } from '../../objects/plain.ts';
import type { DnsRecord, Operation } from './dns-record.ts';
import type { ErrorCode } from './error-codes.ts';

export const FINALIZER = 'extensions.gardener.cloud/dnsrecord';
export const OPERATION_ANNOTATION = 'gardener.cloud/operation';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
/** The body of a merge patch. */
export type StatusPatch = { readonly [key: string]: Json };

/** The verbs of each operation: in progress, failed, done. */
const VERBS: Readonly<Record<Operation, readonly [string, string, string]>> = {
  Create: ['Reconciling', 'reconciling', 'reconciled'],
  Reconcile: ['Reconciling', 'reconciling', 'reconciled'],
  Delete: ['Deleting', 'deleting', 'deleted'],
  Migrate: ['Migrating', 'migrating', 'migrated'],
  Restore: ['Restoring', 'restoring', 'restored'],
};

export function processingStatus(operation: Operation, nowMs: number): StatusPatch {
  return { lastOperation: lastOperation(operation, 'Processing', 1, `${VERBS[operation][0]} the DNSRecord`, nowMs) };
}

/** The status of an operation that failed. `message` must not contain credentials. */
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
    lastError: { description, codes, lastUpdateTime: timeText(nowMs) },
    observedGeneration: record.generation,
    ...(isFirst
      ? withCreated(record, 'False', 'Error', 'Error on initial record creation in infrastructure', nowMs)
      : {}),
  };
}

/** The status of an operation that succeeded. `zone`: id of the record's hosted zone; null keeps the field. */
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

/** True for operations that publish the record. */
export function publishes(operation: Operation): boolean {
  return operation === 'Create' || operation === 'Reconcile' || operation === 'Restore';
}

function lastOperation(type: Operation, state: string, progress: number, description: string, nowMs: number): Json {
  return { type, state, progress, description, lastUpdateTime: timeText(nowMs) };
}

/** The whole list of conditions, because a merge patch replaces lists. The others stay unchanged. */
function withCreated(
  { status }: Pick<DnsRecord, 'status'>,
  value: 'True' | 'False',
  reason: string,
  message: string,
  nowMs: number,
): StatusPatch {
  const time = timeText(nowMs);
  const created = {
    type: 'Created',
    status: value,
    lastTransitionTime: time,
    lastUpdateTime: time,
    reason,
    message,
  };
  const isCreated = (condition: Json): boolean => at(condition, 'type') === 'Created';
  // The conditions came from the API server as JSON.
  const before = status.conditions as readonly Json[];
  const conditions = before.some(isCreated)
    ? before.map((condition) => (isCreated(condition) ? created : condition))
    : [...before, created];
  return { conditions };
}
