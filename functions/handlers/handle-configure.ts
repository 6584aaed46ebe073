// Writes the configuration of the stack to S3, when CloudFormation creates or updates it. Values that only
// CloudFormation knows are there now, so the configuration is judged again: an invalid one ends the deployment with its
// problems. CloudFormation waits for an answer at the URL of its request.
import * as z from 'zod';
import type { Log } from '../../lib/ports/log.ts';
import { parseText } from '../runtime/configuration.ts';
import { shortReason } from '../runtime/messages.ts';

/** Of CloudFormation's request (user guide, "Custom resource request objects"). Last verified 2026-11-29. */
const requestSchema = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  ResponseURL: z.url(),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
  ResourceProperties: z.object({ Configuration: z.string() }),
});

type Answer = { readonly Status: 'SUCCESS' } | { readonly Status: 'FAILED'; readonly Reason: string };

export type ConfigureDeps = {
  readonly write: (text: string) => Promise<void>;
  /** Sends the answer to CloudFormation. */
  readonly answer: (url: string, body: string) => Promise<void>;
  readonly log: Log;
};

/** The handler of the configure function. Throws if the event is no request of CloudFormation. */
export function handleConfigure({ write, answer, log }: ConfigureDeps) {
  return async (event: unknown): Promise<void> => {
    const request = requestSchema.parse(event, { jitless: true });
    const { StackId, RequestId, LogicalResourceId } = request;
    const outcome = await outcomeOf(request, write);
    log(outcome.Status === 'SUCCESS' ? 'info' : 'error', 'the configuration of the stack', { ...outcome });
    // The same id for all versions: with another one, CloudFormation would have the old resource deleted.
    const body = { ...outcome, PhysicalResourceId: 'configuration', StackId, RequestId, LogicalResourceId };
    await answer(request.ResponseURL, JSON.stringify(body));
  };
}

async function outcomeOf(
  { RequestType, ResourceProperties }: z.infer<typeof requestSchema>,
  write: ConfigureDeps['write'],
): Promise<Answer> {
  // The bucket outlives the stack, with every version.
  if (RequestType === 'Delete') return { Status: 'SUCCESS' };
  try {
    const parsed = parseText(ResourceProperties.Configuration);
    if (!parsed.ok) return { Status: 'FAILED', Reason: `The configuration is invalid: ${parsed.problem}` };
    await write(ResourceProperties.Configuration);
    return { Status: 'SUCCESS' };
  } catch (error) {
    return { Status: 'FAILED', Reason: shortReason(error) };
  }
}
