// The schemas of parts that several items of objects have in common.
import * as z from 'zod';
import { storedClaim } from '../ledger/stored-claim.ts';
import { storedRouting } from '../ledger/stored-routing.ts';
import type { Endpoint } from '../objects/endpoint.ts';

export const storedAge = z.object({
  creationTimestamp: z.string().nullable(),
  uid: z.string().nullable(),
  order: z.string(),
});

export const storedKey = z.object({ partition: z.string(), sort: z.string() });

export const nameFields = {
  domainName: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('full'), fqdn: z.string() }),
    z.object({ kind: z.literal('partial'), labels: z.string() }),
    z.object({ kind: z.literal('apex') }),
  ]),
  zoneRef: z.string().nullable(),
  type: z.string(),
};

/** Every field that an endpoint may have. A field that is missing here would be lost in the ledger. */
const endpointFields = {
  ...nameFields,
  view: z.string().exactOptional(),
  anyView: z.literal(true).exactOptional(),
  class: z.string(),
  ttl: z.number().nullable(),
  values: z.array(z.string()),
  alias: z
    .object({ target: z.string(), hostedZoneId: z.string().nullable(), evaluateTargetHealth: z.boolean() })
    .exactOptional(),
  routing: z.object({ setIdentifier: z.string(), ...storedRouting.shape }).exactOptional(),
  flaw: z
    .object({ message: z.string(), isInForce: z.boolean(), setIdentifier: z.string().nullable().exactOptional() })
    .exactOptional(),
  clusterZone: z.string().exactOptional(),
  reverse: z.enum(['clusterIP', 'endpoint']).exactOptional(),
  tls: z.literal(true).exactOptional(),
  claim: storedClaim.exactOptional(),
  note: z.string().exactOptional(),
  standsInFor: z.array(z.object({ ...nameFields, target: z.string().nullable() })).exactOptional(),
} satisfies { readonly [Key in keyof Required<Endpoint>]: z.ZodType };

export const storedEndpoint: z.ZodType<Endpoint> = z.object(endpointFields);
