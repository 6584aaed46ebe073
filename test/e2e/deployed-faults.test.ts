// Faults of a deployment (test/deployed/world.ts): functions killed during their work, messages delivered twice,
// invalid messages, two publishers at once. In the end, Route 53 has what the cluster wants.

import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runtimeInUse } from '../deployed/lambda-process.ts';
import {
  addressRecord,
  DEPLOYED_ENGINES,
  type DeployedWorld,
  delayedIn,
  inTime,
  logLines,
  published,
  SECRET,
  standing,
  stands,
  startDeployedWorld,
  waiting,
  withTrouble,
  ZONE,
} from '../deployed/world.ts';
import { describeWithEngine } from '../engines/engines.ts';
import { apply, succeed } from '../engines/kubernetes/apply.ts';

describeWithEngine(DEPLOYED_ENGINES, `faults as deployed, under ${runtimeInUse()}`, () => {
  let world: DeployedWorld;
  beforeAll(async () => {
    world = await startDeployedWorld();
    // Audit events that the API server could not send would be sent again while a test counts reads.
    for (const way of ['admission', 'audit'] as const) world.url.open.add(way);
    await apply(world.engine, [ZONE, addressRecord('www', '192.0.2.1')]);
    await stands(world, 'www', '192.0.2.1');
  });
  afterAll(() => world?.close());

  const send = (queueUrl: string, MessageBody: string, group?: string) =>
    world.sqs.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody,
        ...(group === undefined ? {} : { MessageGroupId: group, MessageDeduplicationId: `${performance.now()}` }),
      }),
    );
  const bodiesOf = async (queueUrl: string) => {
    const { Messages = [] } = await world.sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
    );
    return Messages.map(({ Body }) => Body);
  };
  it('two publishers of one hosted zone at once send each change once, and neither fails', async () => {
    const { publish } = world.deployment.functions;
    const burst = Array.from({ length: 40 }, (_, index) => addressRecord(`burst${index}`, `198.51.100.${index}`));
    await apply(world.engine, burst);
    const body = JSON.stringify({ v: 1, kind: 'publish', hostedZoneId: world.hostedZoneId });
    const event = (id: string) => ({
      Records: [
        {
          messageId: id,
          receiptHandle: id,
          body,
          attributes: { MessageGroupId: world.hostedZoneId, ApproximateReceiveCount: '1' },
        },
      ],
    });
    const answers = await Promise.all(['one', 'two', 'three'].map((id) => publish.invoke(event(id))));
    for (const answer of answers) expect(answer).toEqual({ batchItemFailures: [] });
    for (const index of burst.keys()) await stands(world, `burst${index}`, `198.51.100.${index}`);
    const names = () => {
      const lines = logLines(world).filter(
        ({ message, name }) => message === 'a record set' && /^burst/.test(`${name}`),
      );
      return lines.map(({ name, outcome }) => `${outcome} ${name}`);
    };
    await inTime(() => names().length >= 40);
    expect(names().toSorted()).toEqual(burst.map(({ name }) => `published ${name}.example.org.`).toSorted());
    // This Route 53 has the buckets of requests that AWS has. All functions together keep to them.
    expect(world.local.requests.Throttling ?? 0).toBe(0);
  });

  it('a message delivered twice does no harm', async () => {
    const { hints, publish, reports } = world.deployment.queues;
    await published(world, 'record/burst39');
    for (const queue of [hints, publish, reports]) await inTime(async () => (await waiting(world, queue)) === 0);
    const before = world.local.requests.ChangeResourceRecordSets ?? 0;
    for (let count = 0; count < 2; count += 1) {
      await send(
        hints,
        JSON.stringify({ v: 1, kind: 'hint', hint: { kind: 'Record', namespace: 'default', name: 'www' } }),
      );
      await send(
        publish,
        JSON.stringify({ v: 1, kind: 'publish', hostedZoneId: world.hostedZoneId }),
        world.hostedZoneId,
      );
      await send(
        reports,
        JSON.stringify({ v: 1, kind: 'report', ref: { kind: 'Record', namespace: 'default', name: 'www' } }),
      );
    }
    for (const queue of [hints, publish, reports]) await inTime(async () => (await waiting(world, queue)) === 0);
    expect(standing(world, 'www')).toBe('192.0.2.1');
    await published(world, 'record/www');
    expect(world.local.requests.ChangeResourceRecordSets ?? 0).toBe(before);
  });

  describe("what a stolen sender's secret is worth, from outside", () => {
    const idle = async () => {
      const { hints, publish, reports } = world.deployment.queues;
      for (const queue of [hints, publish, reports]) await inTime(async () => (await waiting(world, queue)) === 0);
    };
    /** How many reads of single Records the API server has served, and how many calls Route 53. */
    const counts = async () => {
      const metrics = await succeed(world.engine, ['get', '--raw', '/metrics']);
      const reads = metrics.matchAll(/^apiserver_request_total\{.*resource="records".*verb="GET".*\} (\d+)$/gm);
      return {
        reads: [...reads].reduce((sum, [, count]) => sum + Number(count), 0),
        route53: Object.values(world.local.requests).reduce((sum, count) => sum + count, 0),
      };
    };
    /** The same counts, after all earlier work is done. */
    const settled = async () => {
      await inTime(async () => (await delayedIn(world, world.deployment.queues.reports)) === 0);
      await idle();
      let last = await counts();
      await vi.waitFor(
        async () => {
          const before = last;
          await sleep(1_000);
          last = await counts();
          expect(last).toEqual(before);
        },
        { timeout: 60_000 },
      );
      return last;
    };
    const audit = (names: readonly string[], namespace = 'default') => {
      const event = (name: string) => ({
        ...{ stage: 'ResponseComplete', verb: 'update', responseStatus: { code: 200 } },
        objectRef: { apiGroup: 'kubi.zone', resource: 'records', namespace, name },
      });
      return { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: names.map(event) };
    };
    const numbered = (count: number) => Array.from({ length: count }, (_, index) => `nothing-${index}`);
    const steal = (body: string, secret = SECRET) => postTo(`${world.url.url}audit/${secret}`, body, world.url.ca);

    // moto takes 30 ms for ten messages. With 1,000 events the function would exceed its timeout.
    it('300 events cost 300 reads of the API server, and no call of Route 53', async () => {
      const before = await settled();
      expect(await steal(JSON.stringify(audit(numbered(300))))).toBe(200);
      await inTime(async () => (await counts()).reads >= before.reads + 300);
      const after = await settled();
      // SQS may deliver a message twice.
      expect(after.reads - before.reads).toBeLessThanOrEqual(310);
      expect(after.route53).toBe(before.route53);
    });

    it.each([
      ['1,001 events', 413, () => JSON.stringify(audit(numbered(1_001)))],
      ['more than 5 MiB', 413, () => JSON.stringify({ ...audit([]), more: 'x'.repeat(5 * 1024 * 1024) })],
      ['no JSON', 400, () => '{'],
    ])('%s: %i, and nothing follows', async (_, status, body) => {
      const before = await settled();
      expect(await steal(body())).toBe(status);
      expect(await settled()).toEqual(before);
    });

    it('invalid names lead to nothing, 20 of them are logged, and the valid ones count', async () => {
      const bad = ['../../secrets', 'a/b', 'UPPER', '-x', 'x'.repeat(254), ' ', '*', 'a..b', '%2e%2e', 'a?b'];
      const names = [...bad, ...Array.from({ length: 30 }, (_, index) => `No_${index}`), 'www'];
      const { output } = world.deployment.functions.ingest;
      const from = output.length;
      expect(await steal(JSON.stringify(audit(names)))).toBe(200);
      expect(await steal(JSON.stringify(audit(['www'], 'Not_A_Namespace')))).toBe(200);
      const lines = () =>
        output
          .slice(from)
          .join('')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Record<string, unknown>);
      await inTime(() => lines().filter(({ message }) => message === 'an event is refused').length === 2);
      const [many, one] = lines().filter(({ message }) => message === 'an event is refused');
      expect([many?.count, one?.count]).toEqual([40, 1]);
      expect([many?.reason, ...((many?.more ?? []) as unknown[])]).toHaveLength(20);
      expect(lines().filter(({ message }) => message === 'hints queued')).toMatchObject([{ hints: 1 }]);
    });

    it('a sender with a wrong secret is refused, and nothing follows', async () => {
      expect(await steal(JSON.stringify(audit(['www'])), 'guessed')).toBe(401);
    });
  });

  it('poisoned messages end unchanged in the dead-letter queues, while the others are processed', async () => {
    const { hints, publish, reports, hintsDead, publishDead, reportsDead } = world.deployment.queues;
    const poison = ['{', '{"v":99,"kind":"hint"}', JSON.stringify({ v: 1, kind: 'wish', text: 'x'.repeat(200_000) })];
    for (const body of poison) await send(hints, body);
    await send(publish, '{"v":99,"kind":"publish"}', world.hostedZoneId);
    await send(reports, 'no JSON');
    await apply(world.engine, [addressRecord('meanwhile', '192.0.2.5')]);
    await stands(world, 'meanwhile', '192.0.2.5');
    await published(world, 'record/meanwhile');
    await inTime(async () => (await waiting(world, hintsDead)) === 3 && (await waiting(world, publishDead)) === 1);
    expect((await bodiesOf(hintsDead)).toSorted()).toEqual(poison.toSorted());
    expect(await bodiesOf(publishDead)).toEqual(['{"v":99,"kind":"publish"}']);
    await inTime(async () => (await waiting(world, reportsDead)) === 1);
    expect(await bodiesOf(reportsDead)).toEqual(['no JSON']);
    for (const queue of [hints, publish, reports]) await inTime(async () => (await waiting(world, queue)) === 0);
  });

  it('a function that is killed during its work: its message comes back, and everything is published', async () => {
    const names = ['reconcile', 'publish', 'report'] as const;
    for (const name of names) {
      const killing = setInterval(() => world.deployment.functions[name].kill(), 15);
      const before = world.mappings[name].counts.failed;
      try {
        await apply(world.engine, [addressRecord(`killed-${name}`, '192.0.2.3')]);
        await withTrouble(world, () => world.mappings[name].counts.failed > before);
      } finally {
        clearInterval(killing);
      }
    }
    // A publisher that took the lease before it died keeps the hosted zone for 35 s (DEFAULT_LEASE_LIMITS). Waiting for
    // all names together costs that time only once.
    for (const name of names) {
      await stands(world, `killed-${name}`, '192.0.2.3');
      await published(world, `record/killed-${name}`);
    }
  });
});

/** Posts a body; returns the status of the answer. */
function postTo(url: string, body: string, ca: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', ca, headers: { 'content-type': 'application/json' } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
