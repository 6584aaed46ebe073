// The event that Lambda makes of an HTTP request, and the answer to it. A function URL and an HTTP API of API Gateway
// send the same form (payload format 2.0); a load balancer sends its own (Elastic Load Balancing, "Use Lambda functions
// as targets of an Application Load Balancer"; last verified 2026-11-29). Only who makes such an event decides on
// `requestContext`: nothing that a client sends becomes a part of it.
import * as z from 'zod';

/** A request, whichever front it came through. */
type HttpRequest = {
  readonly method: string;
  /** As it was written in the request: percent-encoded. */
  readonly path: string;
  /** Without the question mark; empty if there is none. */
  readonly query: string;
  /** Their names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
  /** True if IAM allowed the caller. */
  readonly iam: boolean;
};

const text = z.string().nullish();

const payload2 = z
  .object({
    rawPath: z.string(),
    rawQueryString: z.string().default(''),
    headers: z.record(z.string(), z.string().optional()),
    body: text,
    isBase64Encoded: z.boolean(),
    requestContext: z.object({
      http: z.object({ method: z.string() }),
      authorizer: z.object({ iam: z.object({ userArn: z.string() }).nullish() }).nullish(),
    }),
  })
  .transform(
    ({
      rawPath,
      rawQueryString,
      headers,
      body,
      isBase64Encoded,
      requestContext: { http, authorizer },
    }): HttpRequest => ({
      method: http.method,
      path: rawPath,
      query: rawQueryString,
      headers: inLowerCase(headers),
      body: body ?? '',
      isBase64Encoded,
      iam: authorizer?.iam?.userArn !== undefined,
    }),
  );

const loadBalancer = z
  .object({
    httpMethod: z.string(),
    path: z.string(),
    headers: z.record(z.string(), z.string()).nullish(),
    /** In place of `headers` where the target group has multi-value headers switched on. */
    multiValueHeaders: z.record(z.string(), z.array(z.string())).nullish(),
    body: text,
    isBase64Encoded: z.boolean(),
    requestContext: z.object({ elb: z.object({}) }),
  })
  .transform(({ httpMethod, path, headers, multiValueHeaders, body, isBase64Encoded }): HttpRequest => {
    const joined = Object.entries(multiValueHeaders ?? {}).map(([name, values]) => [name, values.join(', ')]);
    return {
      method: httpMethod,
      path,
      // zone53 reads no parameter of a request that comes through a load balancer.
      query: '',
      headers: inLowerCase(headers ?? Object.fromEntries(joined)),
      body: body ?? '',
      isBase64Encoded,
      iam: false,
    };
  });

/** Parses the event of any of these fronts. Throws a `ZodError` for any other event. */
export const httpEvent = z.union([payload2, loadBalancer]);

/** True for an event that one of these fronts made. Someone who can only send HTTP cannot make any other event. */
export function isHttp(event: unknown): boolean {
  const context = z.object({
    requestContext: z.union([z.object({ http: z.unknown() }), z.object({ elb: z.unknown() })]),
  });
  return context.safeParse(event).success;
}

/** The cluster in a path, and the rest of it. `/clusters/ID/audit` is `/audit` of the cluster ID. */
export function pathOfCluster(path: string): { readonly cluster: string | null; readonly rest: string } {
  const [, cluster = null, rest = path] = /^\/clusters\/([\w.-]+)(\/.*)?$/.exec(path) ?? [];
  return { cluster, rest: cluster !== null && rest === path ? '/' : rest };
}

function inLowerCase(headers: Readonly<Record<string, string | undefined>>): HttpRequest['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

export type HttpAnswer = {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
};
