// Which cluster an event is of, and which secret its sender shows.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { clusterSecret } from '../../lib/adapters/aws/cluster-secret.ts';
import type { Hint } from '../../lib/ports/queues.ts';
import { sample, watching } from '../../test/fakes/handler-world.ts';
import { senderSecrets } from '../runtime/clusters.ts';
import { bySender } from './by-sender.ts';
import { handleIngest, refuseUnknown } from './handle-ingest.ts';

const SECRET = 'secret-of-the-stack';

/** The function ingest for these clusters, and the hints of each. */
function ingest(...ids: readonly string[]) {
  const { deps, counted, lines } = watching();
  const clock = { nowMs: () => Date.parse('2026-11-21T12:00:00Z') };
  const sent: string[] = [];
  const common = { ...deps, clock, newId: () => 'made', secrets: senderSecrets(async () => [SECRET]) };
  const handlers = ids.map((id) => {
    const hint = async (hints: readonly Hint[]) => void sent.push(...hints.map(() => id));
    return [id, handleIngest({ ...common, queues: { hint } })] as const;
  });
  const eks = new Map(ids.map((id) => [`kube-${id}`, id]));
  return { handle: bySender(new Map(handlers), refuseUnknown(common), eks), sent, counted, lines };
}

const admission = (path: string, more: { readonly iam?: boolean; readonly bearer?: string } = {}) => ({
  rawPath: path,
  headers: {
    'content-type': 'application/json',
    'user-agent': 'kube-apiserver-admission',
    ...(more.bearer !== undefined && { authorization: `Bearer ${more.bearer}` }),
  },
  requestContext: {
    http: { method: 'POST' },
    ...(more.iam === true && { authorizer: { iam: { userArn: 'arn:aws:iam::1:role/sender' } } }),
  },
  body: JSON.stringify(sample('admission-review.update')),
  isBase64Encoded: false,
});

describe('bySender()', () => {
  const [ofEu, ofUs] = [clusterSecret(SECRET, 'eu'), clusterSecret(SECRET, 'us')];

  it.each<[string, object, readonly string[], number]>([
    ['the path and the secret of a cluster', admission(`/clusters/us/admission/${ofUs}`), ['us'], 200],
    ['a bearer token', admission('/clusters/eu/admission', { bearer: ofEu }), ['eu'], 200],
    ['IAM', admission('/clusters/eu/admission', { iam: true }), ['eu'], 200],
    ['the secret of another cluster', admission(`/clusters/us/admission/${ofEu}`), [], 401],
    ['the secret of the stack', admission(`/clusters/us/admission/${SECRET}`), [], 401],
    ['a cluster that is not there', admission(`/clusters/ap/admission/${clusterSecret(SECRET, 'ap')}`), [], 401],
    ['no cluster', admission(`/admission/${SECRET}`), [], 401],
    ['no cluster, by IAM', admission('/admission', { iam: true }), [], 404],
    ['no kind of event', admission('/clusters/us', { iam: true }), [], 404],
  ])('of two clusters: %s', async (_, event, clusters, status) => {
    const { handle, sent, counted } = ingest('eu', 'us');
    expect((await handle(event))?.statusCode).toBe(status);
    expect(sent).toEqual(clusters);
    expect(counted.get('HintsLost') ?? 0).toBe(status === 401 ? 1 : 0);
  });

  it.each<[string, string, readonly string[]]>([
    ['needs no name', `/admission/${SECRET}`, ['eu']],
    ['may have one', `/clusters/eu/admission/${ofEu}`, ['eu']],
    ['has no other', `/clusters/us/admission/${ofUs}`, []],
    ['has no secret of another path', `/admission/${ofEu}`, []],
  ])('an only cluster %s', async (_, path, clusters) => {
    const { handle, sent } = ingest('eu');
    await handle(admission(path));
    expect(sent).toEqual(clusters);
  });

  it('knows the audit log of a cluster by its name in EKS', async () => {
    const audit = sample('audit-event-list.metadata') as { readonly items: readonly object[] };
    const logged = (logGroup: string) => {
      const logEvents = audit.items.map((item) => ({ message: JSON.stringify(item) }));
      const text = JSON.stringify({ messageType: 'DATA_MESSAGE', logGroup, logEvents });
      return { awslogs: { data: gzipSync(text).toString('base64') } };
    };
    const { handle, sent, counted } = ingest('eu', 'us');
    await handle(logged('/aws/eks/kube-us/cluster'));
    expect(new Set(sent)).toEqual(new Set(['us']));
    sent.length = 0;
    await handle(logged('/aws/eks/kube-ap/cluster'));
    expect([sent, counted.get('EventsRefused')]).toEqual([[], 1]);
  });

  it('knows an event of the bus by the cluster in its detail', async () => {
    const event = sample('event-bridge.reference') as { readonly detail: object };
    const { handle, sent, lines } = ingest('eu', 'us');
    await handle({ ...event, detail: { ...event.detail, cluster: 'us' } });
    expect(sent).toEqual(['us']);
    await handle(event);
    expect([sent, lines.join()]).toEqual([['us'], expect.stringContaining('detail.cluster names one')]);
  });
});
