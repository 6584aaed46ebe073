// The intent API behind a function URL with IAM authentication, and the API's part of the sweep, which a schedule asks
// for with `{ "kind": "sweep" }`. Every failed request is answered with a problem document, so that a client sees the
// reason.
import * as z from 'zod';
import { answerIntents } from '../../lib/intents/http/answer.ts';
import { problem, type Request } from '../../lib/intents/http/message.ts';
import type { Intents } from '../../lib/intents/serve/open-intents.ts';
import type { Log } from '../../lib/ports/log.ts';
import { type HttpAnswer, httpEvent } from '../runtime/http-event.ts';
import { shortReason } from '../runtime/messages.ts';

const sweep = z.object({ kind: z.literal('sweep') });

/** The handler of the intents function. */
export function handleIntents({ intents, log }: { readonly intents: Intents; readonly log: Log }) {
  return async (event: unknown): Promise<HttpAnswer> => {
    if (sweep.safeParse(event).success) {
      await intents.sweep();
      return { statusCode: 204, body: '' };
    }
    const { method, path, query, headers, body, isBase64Encoded, iam } = httpEvent.parse(event);
    // The URL uses IAM authentication. If somebody turned that off by hand, nothing else would check the caller.
    if (!iam) return asHttp(problem(403, 'The request is not signed: the URL needs IAM authentication'));
    const request: Request = {
      method,
      target: query === '' ? path : `${path}?${query}`,
      headers,
      body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
    };
    try {
      return asHttp(await answerIntents(intents.deps, request));
    } catch (error) {
      log('error', 'a request for intents failed', {
        method: request.method,
        path,
        reason: shortReason(error),
      });
      return asHttp(problem(500, shortReason(error)));
    }
  };
}

function asHttp({ status, headers, body }: Awaited<ReturnType<typeof answerIntents>>): HttpAnswer {
  return { statusCode: status, headers: { ...headers }, body };
}
