// The items of the intent API: records, key-value pairs and apps as they were written; claims, which lead from a
// service to its app; and what zone53 itself publishes for them.
//
//   intentrecords#<cluster>   project/record                    a DNS Update Record
//   intentpairs#<cluster>     cloud/project/cloud/pair          a key-value pair of a logical cloud
//   intentpairs#<cluster>     cluster/provider/cluster/pair     a key-value pair of a cluster
//   intentapps#<cluster>      project/app                       an app with its services
//   intentservices#<cluster>  project/app/<id>/<number>         further services of an app that has very many
//   intentclaims#<cluster>    project/service                   the app that has, or is about to have, the service
//   intentserved#<cluster>    project/object                    what zone53 itself publishes for a DNSEndpoint
//   intentonce#<cluster>      project/record                    the objects that a record with `once` publishes
//   intentremovals#<cluster>  project/<id>                      something was removed, and objects of it may be left
import * as z from 'zod';
import { anyText, type Codec, type Item, itemCodec } from '../../ledger/item-codec.ts';
import type { LedgerKey } from '../../ports/ledger.ts';
import type { EndpointSet } from '../manifests/served.ts';
import { type App, appBody, type Service } from '../model/app.ts';
import type { KeyValues } from '../model/key-values.ts';
import type { Parameters, Provider } from '../model/parameters.ts';
import type { DnsUpdateRecord } from '../model/record.ts';

const metadata = z.object({
  name: z.string(),
  description: z.string().optional(),
  userData1: z.string().optional(),
  userData2: z.string().optional(),
});
const parameter = z.union([z.boolean(), z.number(), z.string(), z.array(z.string())]);
const parameters: z.ZodType<Parameters> = z.record(z.string(), parameter);

export const recordCodec = itemCodec(
  z.object({
    metadata,
    provider: anyText<Provider>(),
    parameters,
    secrets: z.record(z.string(), z.string()),
  }),
) as Codec<DnsUpdateRecord>;

export const pairCodec = itemCodec(
  z.object({ metadata, kv: z.array(z.record(z.string(), z.string())) }),
) as Codec<KeyValues>;

/** An app with its services, or as many of them as fit into one item; `more` says where the others are. */
export type AppItem = App & {
  /** A digest of what was written, to recognise the same app. */
  readonly digest: string;
  /** Services in further items: `parts` of them, written before the app, under an id that is used once. */
  readonly more: { readonly id: string; readonly parts: number } | null;
};

const { version, profile, logicalCloud } = appBody.shape;
/** The schema of the body has validated these. */
const services = z.array(z.custom<Service>((value) => typeof value === 'object' && value !== null));

export const appCodec = itemCodec(
  z.object({
    version,
    profile,
    logicalCloud,
    services,
    digest: z.string(),
    more: z.object({ id: z.string(), parts: z.int() }).nullable(),
  }),
) as Codec<AppItem>;

export const servicesCodec = itemCodec(z.object({ services, atMs: z.number() })) as Codec<{
  readonly services: readonly Service[];
  readonly atMs: number;
}>;

const claimBody = z.object({ app: z.string(), atMs: z.number() });
/** A claim. It counts while its app has the service, and for six minutes in which that app may be being written. */
export type Claim = Item<typeof claimBody>;
export const claimCodec = itemCodec(claimBody);

const servedBody = z.object({
  record: z.string(),
  /** The version of the record when it was published. */
  revision: z.string(),
  /** The parameters of the record, which still apply after the record is deleted. */
  parameters,
  /** Empty: it is published no more, and what Route 53 has is removed by these parameters. */
  sets: z.array(z.custom<EndpointSet>((value) => typeof value === 'object' && value !== null)),
  /** The time since which it is published no more. */
  goneAtMs: z.number().exactOptional(),
});
/** What zone53 publishes for a DNSEndpoint; also what it published before, for policies without changes. */
export type Served = Item<typeof servedBody>;
export const servedCodec: Codec<Served> = itemCodec(servedBody);

const onceBody = z.object({ revision: z.string(), objects: z.array(z.string()) });
/** The objects that a record with `once` publishes, by the version of the record. */
export type Once = Item<typeof onceBody>;
export const onceCodec: Codec<Once> = itemCodec(onceBody);

const removalBody = z.object({ atMs: z.number() });
/** A removal in a project whose objects in the central cluster have not been compared since. */
export const removalCodec: Codec<Item<typeof removalBody>> = itemCodec(removalBody);

/** The owner of key-value pairs. */
export type PairsOf =
  | { readonly kind: 'cloud'; readonly project: string; readonly cloud: string }
  | { readonly kind: 'cluster'; readonly provider: string; readonly cluster: string };

export type IntentKeys = Readonly<ReturnType<typeof intentKeys>>;

export function intentKeys(clusterId: string) {
  const partitions = {
    records: `intentrecords#${clusterId}`,
    pairs: `intentpairs#${clusterId}`,
    apps: `intentapps#${clusterId}`,
    services: `intentservices#${clusterId}`,
    claims: `intentclaims#${clusterId}`,
    served: `intentserved#${clusterId}`,
    once: `intentonce#${clusterId}`,
    removals: `intentremovals#${clusterId}`,
  };
  const { records, pairs, apps, services, claims, served, once } = partitions;
  const key = (partition: string, ...sort: readonly (string | number)[]): LedgerKey => ({
    partition,
    sort: sort.join('/'),
  });
  return {
    partitions,
    record: (project: string, record: string) => key(records, project, record),
    pair: (whose: PairsOf, name: string) => ({ partition: pairs, sort: `${pairsPrefix(whose)}${name}` }),
    app: (project: string, app: string) => key(apps, project, app),
    services: (project: string, app: string, id: string, part: number) =>
      key(services, project, app, id, String(part).padStart(4, '0')),
    claim: (project: string, service: string) => key(claims, project, service),
    served: (project: string, object: string) => key(served, project, object),
    once: (project: string, record: string) => key(once, project, record),
  };
}

/** The prefix of the sort keys of one cloud's or cluster's pairs. */
export function pairsPrefix(of: PairsOf): string {
  return of.kind === 'cloud' ? `cloud/${of.project}/${of.cloud}/` : `cluster/${of.provider}/${of.cluster}/`;
}
