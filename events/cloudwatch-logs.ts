// What a CloudWatch Logs subscription sends to a function: `{ awslogs: { data } }`, base64 of gzip of a batch of log
// lines of one log stream. Here the lines are audit events of an EKS control plane. A line that is not an audit event
// becomes a problem; the other lines are read. A CONTROL_MESSAGE is a probe without content.
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import type { Kind } from '../lib/objects/kind.ts';
import { errorMessage, jsonOf } from '../lib/objects/plain.ts';
import { type ParsedAudit, parseAuditEvents } from './audit-event-list.ts';

/** A batch has at most 1 MB compressed. Whatever unpacks to more than this is refused. */
const BATCH_OCTETS_MAX = 256 * 1024 * 1024;

const envelope = z.object({ awslogs: z.object({ data: z.string() }) });
/** A line without a text counts as an empty one: a problem of its own. */
const logEvent = z.object({ message: z.string() }).catch({ message: '' });
const batch = z.object({ messageType: z.string(), logGroup: z.string().optional(), logEvents: z.array(logEvent) });

/** Parses a function's event. Throws if it is not a CloudWatch Logs batch. */
export function parseCloudwatchLogs(kinds: readonly Kind[], value: unknown): ParsedAudit {
  const parsed = envelope.safeParse(value);
  if (!parsed.success) throw new Error(`Cannot parse CloudWatch Logs event: ${z.prettifyError(parsed.error)}`);
  const { messageType, logEvents } = readBatch(parsed.data.awslogs.data);
  if (messageType !== 'DATA_MESSAGE') return { hints: [], problems: [] };
  const values = logEvents.map(({ message }) => jsonOf(message));
  const isRead = (value: unknown) => value !== undefined;
  const audit = parseAuditEvents(kinds, values.filter(isRead));
  const unread = logEvents.filter((_, index) => !isRead(values[index]));
  const problems = unread.map(
    ({ message }) => `Cannot parse log line ${JSON.stringify(message.slice(0, 100))}: it is not JSON`,
  );
  return { hints: audit.hints, problems: [...problems, ...audit.problems] };
}

/** The log group that a batch is of; null if it says none, or cannot be read. */
export function logGroupOf(value: unknown): string | null {
  try {
    return readBatch(envelope.parse(value).awslogs.data).logGroup ?? null;
  } catch {
    return null;
  }
}

function readBatch(data: string): z.infer<typeof batch> {
  try {
    const unpacked = gunzipSync(Buffer.from(data, 'base64'), { maxOutputLength: BATCH_OCTETS_MAX });
    return batch.parse(JSON.parse(unpacked.toString('utf8')));
  } catch (cause) {
    const why = errorMessage(cause);
    throw new Error(`Cannot unpack CloudWatch Logs batch: ${why}`, { cause });
  }
}
