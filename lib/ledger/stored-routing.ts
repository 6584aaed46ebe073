// The routing of a record set and of an endpoint, as the ledger stores it.
import * as z from 'zod';
import type { RoutingPolicy } from '../dns/routing-policy.ts';

const geolocation = z.union([
  z.object({ continent: z.string() }),
  z.object({ country: z.string(), subdivision: z.string().exactOptional() }),
]);

const location = z.union([
  z.object({ region: z.string() }),
  z.object({ localZoneGroup: z.string() }),
  z.object({ coordinates: z.object({ latitude: z.number(), longitude: z.number() }) }),
]);

const policy: z.ZodType<RoutingPolicy> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('weight'), weight: z.number() }),
  z.object({ kind: z.literal('region'), region: z.string() }),
  z.object({ kind: z.literal('failover'), failover: z.enum(['PRIMARY', 'SECONDARY']) }),
  z.object({ kind: z.literal('geolocation'), geolocation }),
  z.object({ kind: z.literal('geoproximity'), location, bias: z.number() }),
  z.object({ kind: z.literal('multivalue') }),
  z.object({ kind: z.literal('cidr'), collectionId: z.string(), location: z.string() }),
]);

export const storedRouting = z.object({ policy, healthCheckId: z.string().nullable() });
