// What wraps every handler: the invocation's id in every log line, metrics flushed at the end, a metric for cold
// starts (but not with `observability: lean`), and an error logged once before Lambda sees it.
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import middy from '@middy/core';
import type { Context as Invocation } from 'aws-lambda';
import { isLean, logger, metrics } from './wire.ts';

/** The function that Lambda calls. */
export function atTheEdge<Event, Result>(handle: (event: Event, invocation: Invocation) => Promise<Result>) {
  return middy<Event, Result>()
    .use(injectLambdaContext(logger, { clearState: true }))
    .use(logMetrics(metrics, { captureColdStartMetric: !isLean }))
    .use({
      onError: ({ error }) => logger.error('the invocation failed', error instanceof Error ? error : String(error)),
    })
    .handler(handle);
}
