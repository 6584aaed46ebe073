// Serves the clusters of a deployment. Those of one batch are served at the same time, each by its own handler, so a
// cluster that does not answer delays only its own messages.
//
//   message of                                             goes to
//   a cluster of the configuration                         its handler
//   no cluster: it was sent while there was only one       every handler: what another cluster lacks changes nothing
//   another cluster                                        back to the queue, as this version of the configuration may
//                                                          be a minute old. Then it is dropped
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { isMapping, jsonOf, mapping } from '../../lib/objects/plain.ts';
import { type BatchDeps, handleBatch, type Invocation } from './handle-batch.ts';

export type BatchHandler = (event: SQSEvent, invocation: Invocation) => Promise<SQSBatchResponse>;

/** Received so often, a message has waited for longer than the configuration is asked for. */
const RECEIVES_MAX = 6;

/** The handler of the batches of a standard queue. */
export function byCluster(handlers: ReadonlyMap<string, BatchHandler>, deps: BatchDeps): BatchHandler {
  const [first = null] = handlers.keys();
  const goesTo = (id: string, { body }: SQSRecord) => {
    const message = jsonOf(body);
    if (!isMapping(message)) return id === first;
    return clusterOf(body) === null || clusterOf(body) === id;
  };
  return async (event, invocation) => {
    const groups: Group[] = [...handlers].map(([id, handle]) => ({
      handle,
      Records: event.Records.filter((record) => goesTo(id, record)),
    }));
    const unknown = ({ body }: SQSRecord) => clusterOf(body) !== null && !handlers.has(clusterOf(body) ?? '');
    groups.push({ handle: (lost) => comesBack(deps, lost), Records: event.Records.filter(unknown) });
    return answerOfAll(groups, invocation);
  };
}

/**
 * The handler of the publish queue, by the cluster that the ledger has for each hosted zone. `ofOther`: for a cluster
 * that the configuration does not have.
 */
export function byHostedZone(
  handlers: ReadonlyMap<string, BatchHandler>,
  ofOther: (cluster: string) => BatchHandler,
  clusterIn: (hostedZoneId: string) => Promise<string | null>,
): BatchHandler {
  const [first = '', second] = handlers.keys();
  const clusterOfRecord = async ({ body }: SQSRecord) => {
    const { hostedZoneId } = mapping(jsonOf(body));
    return (second !== undefined && typeof hostedZoneId === 'string' ? await clusterIn(hostedZoneId) : null) ?? first;
  };
  return async (event, invocation) => {
    const of = await Promise.all(event.Records.map(clusterOfRecord));
    const groups = [...new Set(of)].map((cluster) => ({
      handle: handlers.get(cluster) ?? ofOther(cluster),
      Records: event.Records.filter((_, index) => of[index] === cluster),
    }));
    return answerOfAll(groups, invocation);
  };
}

type Group = { readonly handle: BatchHandler; readonly Records: SQSRecord[] };

/** Has every group handled at the same time. Throws the first error once all have ended. */
async function answerOfAll(groups: readonly Group[], invocation: Invocation): Promise<SQSBatchResponse> {
  const asked = groups.filter(({ Records }) => Records.length > 0);
  const answers = await Promise.allSettled(asked.map(({ handle, Records }) => handle({ Records }, invocation)));
  const failed = answers.flatMap((answer, index) => {
    if (answer.status === 'fulfilled')
      return answer.value.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    if (asked.length === 1) throw answer.reason;
    return (asked[index]?.Records ?? []).map(({ messageId }) => messageId);
  });
  return { batchItemFailures: [...new Set(failed)].map((itemIdentifier) => ({ itemIdentifier })) };
}

/** The cluster that a message is of; null: it says none, or cannot be read. */
function clusterOf(body: string): string | null {
  const { cluster } = mapping(jsonOf(body));
  return typeof cluster === 'string' ? cluster : null;
}

async function comesBack(deps: BatchDeps, { Records }: SQSEvent): Promise<SQSBatchResponse> {
  const isOver = ({ attributes }: SQSRecord) => Number(attributes.ApproximateReceiveCount) >= RECEIVES_MAX;
  const clusters = [...new Set(Records.map(({ body }) => clusterOf(body)))];
  const dropped = Records.filter(isOver);
  if (dropped.length > 0)
    deps.log('warn', 'messages of clusters that the configuration does not have are dropped', {
      ...{ messages: dropped.length, clusters },
    });
  const back = Records.filter((record) => !isOver(record));
  if (back.length === 0) return { batchItemFailures: [] };
  return handleBatch(deps, { Records: back }, 'standard', async ({ cluster }) => {
    throw new Error(`the configuration has no cluster "${cluster}"`);
  });
}
