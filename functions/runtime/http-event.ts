// The event that Lambda makes of a request to a function URL, and the answer to it.
import * as z from 'zod';

export const httpEvent = z.object({
  rawPath: z.string(),
  rawQueryString: z.string().default(''),
  headers: z.record(z.string(), z.string().optional()),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean(),
  requestContext: z.object({
    http: z.object({ method: z.string() }),
    authorizer: z.object({ iam: z.object({ userArn: z.string() }).nullish() }).nullish(),
  }),
});

export type HttpAnswer = {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
};
