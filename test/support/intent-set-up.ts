// Projects for the end-to-end tests of intents: records, the lists that name them, and apps with names of their own.
import { expect } from 'vitest';
import { eventually } from '../engines/kubernetes/apply.ts';
import { appOf, listBody, recordBody } from './intent-client.ts';
import type { IntentWorld } from './intent-world.ts';

type Records = Readonly<Record<string, string | readonly [provider: string, parameters: object]>>;

/** A project with records, by provider, on the lists of its cloud `main` and of cluster `<project>/one`. */
export async function setUp(world: IntentWorld, name: string, cloud: Records, cluster: Records = {}): Promise<string> {
  const at = await world.project(name);
  for (const [record, of] of Object.entries({ ...cloud, ...cluster })) {
    const [provider, parameters] = typeof of === 'string' ? [of, {}] : of;
    const told = await world.ask('POST', `${at}/dns-update-records`, recordBody(record, provider, parameters));
    expect(told.status).toBe(201);
  }
  await world.ask('POST', `${at}/logical-clouds/main/kv-pairs`, listBody(...Object.keys(cloud)));
  await world.ask('POST', `/v2/cluster-providers/${name}/clusters/one/kv-pairs`, listBody(...Object.keys(cluster)));
  return at;
}

/** The body of an app whose names are below `<project>.example.org`, in cluster `<project>/one`. */
// biome-ignore lint/suspicious/noExplicitAny: each test changes what it needs
export function appIn(project: string, services: Parameters<typeof appOf>[0]): any {
  // biome-ignore lint/suspicious/noExplicitAny: the body is ours
  const body = appOf(services) as any;
  for (const service of body.services) {
    service.dnsName = `${service.name}.${project}.example.org`;
    service.clusters[0].provider = project;
  }
  return body;
}

/** Waits until DNS answers so; without addresses, until it answers nothing. */
export function answered(world: IntentWorld, name: string, ...addresses: readonly string[]): Promise<void> {
  return eventually(async () => JSON.stringify(await world.resolve(name)) === JSON.stringify(addresses));
}
