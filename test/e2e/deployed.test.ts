// A deployment end to end (test/deployed/world.ts): a change in the cluster reaches Route 53 and the object's status
// through each event source alone, with the others closed; and what an operator sees of it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { ChangeResourceRecordSetsCommand } from '@aws-sdk/client-route-53';
import { CloudEvent, HTTP } from 'cloudevents';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WayIn } from '../deployed/function-url.ts';
import { runtimeInUse } from '../deployed/lambda-process.ts';
import {
  addressRecord,
  DEPLOYED_ENGINES,
  type DeployedWorld,
  inTime,
  logLines,
  published,
  SECRET,
  standing,
  stands,
  startDeployedWorld,
  TABLE,
  ZONE,
} from '../deployed/world.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, read, succeed } from '../engines/kubernetes/apply.ts';
import { plannedOf } from '../support/zone53-command.ts';

const SAMPLES = path.join(import.meta.dirname, '..', '..', 'events', 'samples');
const sample = (name: string) => JSON.parse(readFileSync(path.join(SAMPLES, name), 'utf8'));
const reference = (name: string) => ({ kind: 'Record', namespace: 'default', name });

describeWithEngine(DEPLOYED_ENGINES, `as deployed, under ${runtimeInUse()}`, () => {
  let world: DeployedWorld;
  beforeAll(async () => {
    world = await startDeployedWorld();
  });
  afterAll(() => world?.close());

  /** Opens these ways in, and closes all others. */
  const only = (...ways: WayIn[]) => {
    world.url.open.clear();
    for (const way of ways) world.url.open.add(way);
  };
  const post = (way: string, headers: Record<string, string>, body: string) =>
    world.deployment.functions.ingest.invoke({
      ...{ version: '2.0', rawPath: `/${way}`, rawQueryString: '', body, isBase64Encoded: false },
      headers: { authorization: `Bearer ${SECRET}`, ...headers },
      requestContext: { http: { method: 'POST', path: `/${way}` } },
    });

  describe('each way in by itself', () => {
    it('publishes by the admission webhook: kubectl apply, an edit, a deletion', async () => {
      only('admission');
      await apply(world.engine, [ZONE, addressRecord('www', '192.0.2.1')]);
      await stands(world, 'www', '192.0.2.1');
      await published(world, 'record/www');
      await published(world, 'zone/example-org');
      await apply(world.engine, [addressRecord('www', '192.0.2.2')]);
      await stands(world, 'www', '192.0.2.2');
      await succeed(world.engine, ['delete', 'record', 'www']);
      await stands(world, 'www', undefined);
    });

    it("publishes by the API server's audit webhook", async () => {
      only('audit');
      await apply(world.engine, [addressRecord('audited', '192.0.2.10')]);
      await stands(world, 'audited', '192.0.2.10');
      await published(world, 'record/audited');
    });

    it('publishes by the audit log, in the envelope of CloudWatch Logs, with lines that the API server wrote', async () => {
      only();
      const before = world.url.bodies.audit.length;
      await apply(world.engine, [addressRecord('logged', '192.0.2.11')]);
      const events = () => world.url.bodies.audit.slice(before).flatMap((body) => JSON.parse(body).items as object[]);
      await inTime(() => events().some((event) => JSON.stringify(event).includes('"name":"logged"')));
      expect(standing(world, 'logged')).toBeUndefined();
      const batch = {
        messageType: 'DATA_MESSAGE',
        logGroup: '/aws/eks/prod/cluster',
        logEvents: events().map((event, index) => ({ id: String(index), message: JSON.stringify(event) })),
      };
      const data = gzipSync(JSON.stringify(batch)).toString('base64');
      await world.deployment.functions.ingest.invoke({ awslogs: { data } });
      await stands(world, 'logged', '192.0.2.11');
      await published(world, 'record/logged');
    });

    it.each(['binary', 'structured'] as const)('publishes by CloudEvents over HTTP, %s', async (mode) => {
      only();
      const name = `cloud-${mode}`;
      await apply(world.engine, [addressRecord(name, '192.0.2.12')]);
      const event = new CloudEvent({ source: 'test', type: 'dev.knative.apiserver.ref.add', data: reference(name) });
      const { headers, body } = HTTP[mode](event);
      const lowerCase = Object.fromEntries(
        Object.entries(headers).map(([key, value]) => [key.toLowerCase(), String(value)]),
      );
      expect(await post('events', lowerCase, String(body))).toMatchObject({ statusCode: 202 });
      await stands(world, name, '192.0.2.12');
      await published(world, `record/${name}`);
    });

    it('publishes by an event of our own EventBridge bus', async () => {
      only();
      await apply(world.engine, [addressRecord('bus', '192.0.2.13')]);
      const event = { ...sample('event-bridge.reference.json'), source: 'zone53.test', detail: reference('bus') };
      await world.deployment.functions.ingest.invoke(event);
      await stands(world, 'bus', '192.0.2.13');
      await published(world, 'record/bus');
    });

    it('publishes again by CloudTrail, when somebody else deleted a record set', async () => {
      only();
      const { route53, hostedZoneId, deployment } = world;
      const ResourceRecordSet = {
        ...{ Name: 'bus.example.org.', Type: 'A' as const, TTL: 60 },
        ResourceRecords: [{ Value: '192.0.2.13' }],
      };
      const ChangeBatch = { Changes: [{ Action: 'DELETE' as const, ResourceRecordSet }] };
      await route53.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: hostedZoneId, ChangeBatch }));
      expect(standing(world, 'bus')).toBeUndefined();
      const event = sample('event-bridge.route53-call.json');
      event.detail.eventTime = new Date().toISOString();
      event.detail.requestParameters.hostedZoneId = `/hostedzone/${hostedZoneId}`;
      await deployment.functions.sweep.invoke(event);
      await stands(world, 'bus', '192.0.2.13');
    });

    it('publishes by the scheduled sweep, with all other ways closed', async () => {
      only();
      await apply(world.engine, [addressRecord('swept', '192.0.2.14')]);
      const { functions, schedules } = world.deployment;
      await functions.sweep.invoke(schedules.sweep);
      await stands(world, 'swept', '192.0.2.14');
      await published(world, 'record/swept');
      await functions.sweep.invoke(schedules.measure);
      const figures = functions.sweep.output.join('');
      for (const name of ['DirtyNames', 'OldestDirty']) expect(figures).toContain(`"${name}":`);
    });
  });

  describe('the door', () => {
    // Only namespace default may have this root.
    const takeRoot = (name: string) => {
      const metadata = { name, namespace: 'tenant' };
      const zone = { apiVersion: 'kubi.zone/v1alpha1', kind: 'Zone', metadata, spec: { domainName: 'example.org.' } };
      return world.engine.kubectl(['apply', '-f', '-'], { input: JSON.stringify(zone) });
    };

    it('refuses at kubectl apply what the rules refuse, in their words, and lets the rest pass', async () => {
      only('admission');
      world.door.open.add('admission');
      await succeed(world.engine, ['create', 'namespace', 'tenant']);
      let refusal = '';
      let tries = 0;
      // On a busy machine a function may start too slowly to answer.
      await inTime(async () => {
        tries += 1;
        const { code, stderr } = await takeRoot(`stolen-${tries}`);
        refusal = stderr;
        return code !== 0;
      });
      expect(refusal).toMatch(/denied the request: RootNotAllowed: .*example\.org\..*tenant/);
      await apply(world.engine, [ZONE, addressRecord('let-in', '192.0.2.1')]);
      await stands(world, 'let-in', '192.0.2.1');
      const lines = logLines(world);
      // A refusal that came too late for an earlier try is logged, too.
      const refused = lines.filter(({ message }) => message === 'a write is refused').map(({ object }) => object);
      expect(refused).toContain(`Zone tenant/stolen-${tries}`);
      expect(lines.some((line) => 'WritesRefused' in line)).toBe(true);
    });

    it('may list Zones in the cluster, and nothing else', async () => {
      const may = async (verb: string, what: string) => {
        const who = ['--as', 'anybody', '--as-group', 'zone53-validate'];
        return (await world.engine.kubectl(['auth', 'can-i', verb, what, '--all-namespaces', ...who])).stdout.trim();
      };
      expect(await may('list', 'zones.kubi.zone')).toBe('yes');
      for (const [verb, what] of [
        ['list', 'records.kubi.zone'],
        ['patch', 'zones.kubi.zone'],
        ['list', 'secrets'],
      ] as const)
        expect(await may(verb, what), `${verb} ${what}`).toBe('no');
    });

    it('blocks no write when it does not answer', async () => {
      world.door.open.clear();
      expect(await takeRoot('unjudged')).toMatchObject({ code: 0 });
      await inTime(async () => {
        const { status } = await read(world.engine, 'zone/unjudged', 'tenant');
        return status?.conditions.some(({ reason }) => reason === 'RootNotAllowed') ?? false;
      });
      await succeed(world.engine, ['delete', 'zone/unjudged', '-n', 'tenant']);
    });
  });

  it('every sample payload is answered or acknowledged by the bundle, and none is an error', async () => {
    const ways: Readonly<Record<string, string>> = {
      'admission-review': 'admission',
      'audit-event-list': 'audit',
      'cloud-event': 'events',
    };
    for (const name of readdirSync(SAMPLES)) {
      const way = ways[name.split('.')[0] ?? ''];
      if (way === undefined) {
        const { ingest, sweep } = world.deployment.functions;
        const handler = /^schedule|route53-call/.test(name) ? sweep : ingest;
        await expect(handler.invoke(sample(name)), name).resolves.toBeNull();
        continue;
      }
      const headers = { 'content-type': way === 'events' ? 'application/cloudevents+json' : 'application/json' };
      const answer = await post(way, headers, readFileSync(path.join(SAMPLES, name), 'utf8'));
      expect(answer, name).toMatchObject({ statusCode: way === 'events' ? 202 : 200 });
    }
  });

  it('zone53 plan --table --context shows nothing when all is published, and otherwise exactly the difference', async () => {
    only();
    const plan = () =>
      world.zone53('plan', '--table', TABLE, '--context', 'admin', '-o', 'json', '--detailed-exitcode');
    await inTime(async () => (await plan()).code === 0);
    expect(plannedOf(await plan()).hostedZones.flatMap(({ changes }) => changes)).toEqual([]);
    await apply(world.engine, [addressRecord('swept', '192.0.2.20'), addressRecord('planned', '192.0.2.21')]);
    await succeed(world.engine, ['delete', 'record', 'logged']);
    const planned = await plan();
    expect(planned.code).toBe(2);
    const changes = plannedOf(planned).hostedZones.flatMap((hostedZone) => hostedZone.changes);
    expect(changes.map(({ action, name }) => `${action} ${name}`).toSorted()).toEqual([
      'create planned.example.org.',
      'delete logged.example.org.',
      'update swept.example.org.',
    ]);
    // A plan writes nothing: the ledger of the functions is unchanged, and the next event publishes.
    await world.deployment.functions.sweep.invoke(world.deployment.schedules.sweep);
    await stands(world, 'planned', '192.0.2.21');
    await stands(world, 'logged', undefined);
    await inTime(async () => (await plan()).code === 0);
  });

  it('the log of every function has the same id, from the request to the batch', async () => {
    only('admission');
    await apply(world.engine, [addressRecord('followed', '192.0.2.30')]);
    await stands(world, 'followed', '192.0.2.30');
    await published(world, 'record/followed');
    const review = world.url.bodies.admission
      .map((body) => JSON.parse(body))
      .findLast(({ request }) => request.name === 'followed');
    const uid = String(review.request.uid);
    const lines = () => logLines(world).filter((line) => JSON.stringify(line).includes(uid));
    const functions = () => [...new Set(lines().map((line) => line.function_name))].toSorted();
    await inTime(() => functions().length === 4);
    expect(functions()).toEqual(['ingest', 'publish', 'reconcile', 'report']);
    const settled = lines().filter(({ message, outcome }) => message === 'a record set' && outcome === 'published');
    expect(settled.map(({ name }) => name)).toEqual(['followed.example.org.']);
  });

  it('the log has only lines of JSON and every metric, and no secret', () => {
    const text = logLines(world)
      .map((line) => JSON.stringify(line))
      .join('\n');
    for (const figure of ['Hints', 'ReconcileLatency', 'PublishLatency', 'Batches', 'BudgetCalls']) {
      expect(text).toContain(`"${figure}":`);
    }
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('zone53-token');
    // Our Route 53 has the buckets of requests that AWS has.
    expect(world.local.requests.Throttling ?? 0).toBe(0);
  });
});
