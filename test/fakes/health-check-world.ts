// A world of publish whose record sets name health checks by their keys. Every call of the ledger and of Route 53 can
// be the last one of its process.
import { type HealthCheck, healthCheckText, inNamespace } from '../../lib/dns/health-check.ts';
import { hostedZonesWithHealthChecks } from '../../lib/health-checks/hosted-zones-with-health-checks.ts';
import { tidyHealthChecks, UNUSED_MS } from '../../lib/health-checks/tidy-health-checks.ts';
import type { HealthCheckQuota } from '../../lib/ports/config.ts';
import { publish } from '../../lib/publish/run/publish-hosted-zone.ts';
import type { DesiredRecordSet } from '../../lib/record-sets/desired-name.ts';
import { type MemoryHealthChecks, memoryHealthChecks } from './memory-health-checks.ts';
import { APEX, type PublishWorld, partition, publishWorld, wanted, ZONE_ID } from './publish-world.ts';

export type HealthCheckWorld = PublishWorld & {
  readonly checks: MemoryHealthChecks;
  readonly quota: { now: HealthCheckQuota };
  /** Publishes what is dirty, and looks after the health checks a quarter of an hour later. */
  run(): Promise<void>;
  publish(): Promise<void>;
  /** The same in a process that dies at that call; true if it died. */
  dies(at: number, isAfter: boolean, work: 'publish' | 'tidy'): Promise<boolean>;
  tidy(): Promise<void>;
  /** `name: id of the health check` for each record set of Route 53 that has one. */
  named(): string[];
};

export const CHECK: HealthCheck = { protocol: 'HTTPS', host: 'api.example.net', port: 443 };

/** The key of a health check. */
export function keyOf(check: Partial<HealthCheck> = {}, namespace = 'shop'): string {
  return inNamespace(healthCheckText({ ...CHECK, ...check }), namespace) ?? '';
}

/** A record set that names a health check. */
export function checked(name: string, healthCheckId: string | null, address = '192.0.2.1'): DesiredRecordSet {
  const set = wanted(`${name}.${APEX}`, 'A', [address], { setIdentifier: 'one' });
  return { ...set, content: { ...set.content, routing: { policy: { kind: 'weight', weight: 1 }, healthCheckId } } };
}

export async function healthCheckWorld(): Promise<HealthCheckWorld> {
  const world = await publishWorld();
  const checks = memoryHealthChecks();
  const quota: HealthCheckWorld['quota'] = { now: { max: 10, namespaces: null } };
  const { clock } = world.deps;
  const config = () => ({ clusterId: 'default', healthChecks: quota.now });
  const depsWith = (around: <T>(call: () => Promise<T>) => Promise<T>) => {
    const wrap = <T extends object>(target: T): T =>
      new Proxy(target, {
        get: (of, method) => {
          const member = Reflect.get(of, method) as unknown;
          if (typeof member !== 'function') return member;
          return (...args: unknown[]) => around(() => member.apply(of, args) as Promise<never>);
        },
      });
    const ledger = wrap(world.ledger);
    const healthChecks = { ...checks.port, of: () => wrap(checks.port.of(null)) };
    const port = { ...wrap(world.route53.port), ...spread(wrap(world.route53.port)), healthChecks };
    const hostedZones = hostedZonesWithHealthChecks(port, { ledger, clock, config: config() });
    return { ...world.deps, ledger, hostedZones, config: { ...world.deps.config } };
  };
  const work = {
    publish: async (deps: ReturnType<typeof depsWith>) => {
      const result = await publish(deps, ZONE_ID);
      const held = result.kind === 'done' ? result.held : null;
      if (held !== null) await publish(deps, ZONE_ID, { acknowledged: [held.digest] });
    },
    tidy: async (deps: ReturnType<typeof depsWith>) => {
      for (const id of await tidyHealthChecks({ ...deps, config: config() })) await publish(deps, id);
    },
  };
  const own = () => depsWith((call) => call());
  const all: HealthCheckWorld = {
    ...world,
    ...{ checks, quota },
    publish: () => work.publish(own()),
    tidy: () => work.tidy(own()),
    run: async () => {
      // A run after a death waits for its lease to end.
      world.clock.ms += 120_000;
      await all.publish();
      world.clock.ms += UNUSED_MS;
      await all.publish();
      await all.tidy();
    },
    dies: async (at, isAfter, which) => {
      let calls = 0;
      const around = async <T>(call: () => Promise<T>): Promise<T> => {
        calls += 1;
        if (calls === at && isAfter) await call();
        if (calls >= at) throw new Error('killed');
        return call();
      };
      await work[which](depsWith(around)).catch((error: Error) => {
        if (error.message !== 'killed') throw error;
      });
      return calls >= at;
    },
    named: () =>
      world.route53.recordSets(ZONE_ID).flatMap(({ name, content: { routing } }) => {
        const id = routing?.healthCheckId ?? null;
        return id === null ? [] : [`${name} ${id}`];
      }),
  };
  return all;
}

/** The functions of a port, for a spread: those of a proxy are found one by one. */
function spread<T extends object>(port: T): T {
  return Object.fromEntries(Object.keys(port).map((name) => [name, Reflect.get(port, name)])) as T;
}

/** The items that are left of health checks. */
export async function left(world: HealthCheckWorld): Promise<number> {
  return (await partition(world, 'healthchecks')).length;
}
