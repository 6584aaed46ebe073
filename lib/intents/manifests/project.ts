// The state of one project, as the pure functions of this folder need it.
import type { LiveApp, Service } from '../model/app.ts';
import type { DnsUpdateRecord } from '../model/record.ts';

export type LiveService = { readonly app: Omit<LiveApp, 'services'>; readonly service: Service };

export type Project = {
  readonly name: string;
  record(name: string): DnsUpdateRecord | null;
  /** The version of a record, which changes with each PUT; null if there is no such record. */
  revision(name: string): string | null;
  /** True if a name is published into a private hosted zone. Called only for names with a private address. */
  isPrivate(dnsName: string): boolean;
  recordsOfCloud(cloud: string): readonly string[];
  recordsOfCluster(provider: string, cluster: string): readonly string[];
};
