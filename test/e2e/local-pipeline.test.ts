import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeResourceRecordSetsCommand,
  ListHostedZonesCommand,
  ListResourceRecordSetsCommand,
  type Route53Client,
} from '@aws-sdk/client-route-53';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EMBEDDED_HOLDER, publishDeps } from '../../cli/run/publish-deps.ts';
import { KubernetesError } from '../../lib/adapters/kubernetes/http/kubernetes-error.ts';
import { memoryLedger } from '../../lib/adapters/ledger/memory-ledger.ts';
import { route53Client } from '../../lib/adapters/route53/route53-client.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { formatRef, type ObjectRef } from '../../lib/objects/object-ref.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { startPipeline } from '../../local/pipeline.ts';
import { startRoute53 } from '../../local/route53/api/server.ts';
import { type MemoryCluster, memoryCluster } from '../fakes/memory-cluster.ts';
import { testAccount } from '../fakes/route53-account.ts';

const ZONE = { kind: 'Zone', namespace: 'dns', name: 'example-org' } satisfies ObjectRef;
const RECORDS = ['a', 'b', 'c'].map((name) => ({ kind: 'Record', namespace: 'dns', name }) satisfies ObjectRef);

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** A cluster of one Zone and three Records, and a pipeline that was not started over it. */
async function pipelineOver(cluster: MemoryCluster, options: { readonly stalledMs?: number } = {}) {
  cluster.put(ZONE, {
    domainName: 'example.org.',
    delegations: [{ namespaces: ['dns'], zones: ['*'], records: [{ pattern: '*' }] }],
  });
  for (const ref of RECORDS)
    cluster.put(ref, {
      domainName: ref.name,
      zoneRef: { name: 'example-org' },
      type: 'A',
      class: 'IN',
      ttl: 60,
      rdata: '192.0.2.1',
    });
  const told: string[] = [];
  const port: Cluster = {
    ...cluster.port,
    report: async (ref, status, before) => {
      const programmed = status.conditions.find(({ type }) => type === 'Programmed');
      told.push(`${formatRef(ref)} ${programmed?.reason}`);
      await cluster.port.report(ref, status, before);
    },
  };
  const route53 = await startRoute53({ state: testAccount().state, limits: null });
  open.push(route53);
  const client = route53Client({
    endpoint: route53.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  open.push({ close: async () => client.destroy() });
  const pipeline = startPipeline(
    {
      config: { ...DEFAULT_CONFIG, createHostedZones: 'all' },
      cluster: port,
      clock: systemClock,
      log: () => {},
      deps: (context) => publishDeps(context, EMBEDDED_HOLDER),
      onChange: () => {},
      ...options,
    },
    memoryLedger(),
    client,
  );
  open.push(pipeline);
  return { pipeline, told, client };
}

/**
 * True when a name is found by whoever begins in the hosted zone of example.org and follows its delegation of
 * sub.example.org.
 */
async function isFound(client: Route53Client, name: string): Promise<boolean> {
  const { HostedZones = [] } = await client.send(new ListHostedZonesCommand({}));
  const setsOf = async (zone: string): Promise<string[]> => {
    const id = HostedZones.find(({ Name }) => Name === zone)?.Id;
    if (id === undefined) return [];
    const { ResourceRecordSets = [] } = await client.send(new ListResourceRecordSetsCommand({ HostedZoneId: id }));
    return ResourceRecordSets.map(({ Name, Type }) => `${Name} ${Type}`);
  };
  const above = await setsOf('example.org.');
  const sets = above.includes('sub.example.org. NS') ? await setsOf('sub.example.org.') : above;
  return sets.includes(`${name} A`);
}

describe('startPipeline()', () => {
  describe('if a kind cannot be listed at the start', () => {
    /** A cluster that refuses lists with this status: of everything at once, and of the kinds in `refused`. */
    function refusing(status: number | null, refused: Set<string>) {
      const cluster = memoryCluster();
      const refuse = () => {
        throw new KubernetesError('403: no', { status });
      };
      const list: Cluster['list'] = async () => (refused.size > 0 ? refuse() : cluster.port.list());
      const listPage: Cluster['listPage'] = async (kind, ...rest) =>
        refused.has(kind) ? refuse() : cluster.port.listPage(kind, ...rest);
      return { ...cluster, port: { ...cluster.port, list, listPage } };
    }

    it.each([403, 500])('publishes all others (%i), and its objects as soon as it can be', async (status) => {
      const refused = new Set(['Record']);
      const { pipeline, told, client } = await pipelineOver(refusing(status, refused));
      // Slower than the window in which reports of a Zone are combined.
      const send = client.send.bind(client) as (command: unknown) => Promise<unknown>;
      const slow = vi.spyOn(client, 'send').mockImplementation(async (command: unknown) => {
        await sleep(600);
        return send(command);
      });
      await pipeline.sweep();
      expect(told).toEqual(['Zone dns/example-org Published']);
      slow.mockRestore();
      refused.clear();
      await pipeline.hint([{ kind: 'Record', namespace: null, name: null }]);
      await vi.waitFor(
        () => {
          for (const ref of RECORDS) expect(told).toContain(`${formatRef(ref)} Published`);
        },
        { timeout: 20_000 },
      );
    });

    it.each([null, 401])('ends if the API server is away or does not know who asks (%s)', async (status) => {
      const { pipeline } = await pipelineOver(refusing(status, new Set(['Record'])));
      await expect(pipeline.sweep()).rejects.toThrow('403: no');
    });
  });

  it('answers every name while a sub-zone gets a hosted zone and loses it again', async () => {
    const cluster = memoryCluster();
    const { pipeline, client } = await pipelineOver(cluster);
    const name = 'x.sub.example.org.';
    const X = { kind: 'Record', namespace: 'dns', name: 'x' } satisfies ObjectRef;
    const SUB = { kind: 'Zone', namespace: 'dns', name: 'sub' } satisfies ObjectRef;
    cluster.put(X, { domainName: name, type: 'A', class: 'IN', ttl: 60, rdata: '192.0.2.1' });
    await pipeline.sweep();
    expect(await isFound(client, name)).toBe(true);
    const found: boolean[] = [];
    const send = client.send.bind(client) as (command: unknown) => Promise<unknown>;
    vi.spyOn(client, 'send').mockImplementation(async (command: unknown) => {
      const answer = await send(command);
      if (command instanceof ChangeResourceRecordSetsCommand) found.push(await isFound(client, name));
      return answer;
    });
    cluster.put(SUB, { domainName: 'sub.example.org.', delegations: [{ records: [{ pattern: '*' }] }] });
    await pipeline.hint([SUB]);
    await pipeline.idle();
    cluster.remove(SUB);
    await pipeline.hint([SUB]);
    await pipeline.idle();
    expect(found).not.toContain(false);
    expect(found.length).toBeGreaterThanOrEqual(6);
  });

  it('reports every object once at the first load, after it was published', async () => {
    const { pipeline, told } = await pipelineOver(memoryCluster());
    await pipeline.sweep();
    expect(told.toSorted()).toEqual([...RECORDS, ZONE].map((ref) => `${formatRef(ref)} Published`).toSorted());
  });

  it('reports waiting objects if Route 53 accepts nothing', async () => {
    const cluster = memoryCluster();
    const { pipeline, told, client } = await pipelineOver(cluster, { stalledMs: 500 });
    let refuses = true;
    const send = client.send.bind(client) as (command: unknown) => Promise<unknown>;
    const broken = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    vi.spyOn(client, 'send').mockImplementation(async (command: unknown) => {
      if (refuses && command instanceof ChangeResourceRecordSetsCommand) throw broken;
      return send(command);
    });
    const loading = pipeline.sweep();
    const saying = (reason: string) => RECORDS.map((ref) => `${formatRef(ref)} ${reason}`);
    await vi.waitFor(() => expect(told).toEqual(expect.arrayContaining(saying('Pending'))), 10_000);
    refuses = false;
    await loading;
    await vi.waitFor(() => expect(told).toEqual(expect.arrayContaining(saying('Published'))), 10_000);
  });

  it('tries denied changes again by one series of runs, however many edits there are meanwhile', async () => {
    const cluster = memoryCluster();
    const { pipeline, client } = await pipelineOver(cluster);
    await pipeline.sweep();
    let tries = 0;
    const send = client.send.bind(client) as (command: unknown) => Promise<unknown>;
    const denied = Object.assign(new Error('no'), {
      name: 'AccessDenied',
      $fault: 'client',
      $metadata: { httpStatusCode: 403 },
    });
    vi.spyOn(client, 'send').mockImplementation(async (command: unknown) => {
      if (!(command instanceof ChangeResourceRecordSetsCommand)) return send(command);
      tries += 1;
      throw denied;
    });
    /** The messages of the queue that are due in five minutes. */
    const delayed: (() => void)[] = [];
    const later = globalThis.setTimeout;
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, ms?: number) => {
      if (ms !== 300_000) return later(callback, ms);
      delayed.push(callback);
      return later(() => {}, 0);
    }) as typeof setTimeout);
    for (const name of ['d', 'e']) {
      const ref = { kind: 'Record', namespace: 'dns', name } satisfies ObjectRef;
      cluster.put(ref, { domainName: `${name}.example.org.`, type: 'A', class: 'IN', ttl: 60, rdata: '192.0.2.1' });
      await pipeline.hint([ref]);
      await pipeline.idle();
    }
    const triesAfter = async (message: (() => void) | undefined) => {
      const before = tries;
      message?.();
      await pipeline.idle();
      return tries - before;
    };
    expect(delayed).toHaveLength(2);
    expect(await triesAfter(delayed[0])).toBe(0);
    expect(await triesAfter(delayed[1])).toBeGreaterThan(0);
  });

  it('reports objects that were edited during the first load', async () => {
    const cluster = memoryCluster();
    const { pipeline, told } = await pipelineOver(cluster);
    const edited = RECORDS[0] as ObjectRef;
    const loading = pipeline.sweep();
    cluster.remove(edited);
    cluster.put(edited, {
      domainName: 'x',
      zoneRef: { name: 'no-such' },
      type: 'A',
      class: 'IN',
      ttl: 60,
      rdata: '192.0.2.2',
    });
    await pipeline.hint([edited]);
    await loading;
    await pipeline.idle();
    expect(told.filter((line) => line.startsWith(formatRef(edited))).at(-1)).not.toContain('Published');
    expect(cluster.statuses.get(formatRef(edited))?.conditions[0]?.reason).toBe('ParentNotFound');
  });
});
