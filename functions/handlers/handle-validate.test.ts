import { expect, test } from 'vitest';
import { parseRootPattern } from '../../lib/dns/names/pattern.ts';
import { parseRef } from '../../lib/objects/object-ref.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { sample, watching } from '../../test/fakes/handler-world.ts';
import { memoryCluster } from '../../test/fakes/memory-cluster.ts';
import { handleValidate, type ValidateDeps } from './handle-validate.ts';

const SECRET = 'current-secret-of-forty-three-characters-xx';
const ROOT = parseRootPattern('e.');
if (!ROOT.ok) throw new Error(ROOT.problems.join());
const CONFIG = { ...DEFAULT_CONFIG, roots: [{ pattern: ROOT.pattern, namespaces: null }] };
const PARENT = { domainName: 'e.', delegations: [{ namespace: 'team', records: [{ pattern: '*.app' }] }] };
const GOOD = { domainName: 'www.app.e.', type: 'A', rdata: '192.0.2.1' };

function validate(change: Partial<ValidateDeps> = {}) {
  const { deps, counted, lines } = watching();
  const cluster = memoryCluster();
  cluster.put(parseRef('Zone dns/e'), PARENT, {}, 1_000);
  const handle = handleValidate({
    ...deps,
    cluster: cluster.port,
    config: CONFIG,
    secrets: async () => [SECRET],
    clock: { nowMs: () => 0 },
    ...change,
  });
  return { handle, counted, lines };
}

function review(spec: unknown, more: object = {}) {
  const resource = { group: 'kubi.zone', version: 'v1alpha1', resource: 'records' };
  const object = { metadata: { name: 'www', namespace: 'team', generation: 1 }, spec };
  const request = { uid: 'u-1', resource, operation: 'CREATE', name: 'www', namespace: 'team', object, ...more };
  return { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request };
}

function post(rawPath: string, body: unknown, method = 'POST') {
  return {
    ...{ version: '2.0', rawPath, rawQueryString: 'timeout=3s', headers: {} },
    requestContext: { http: { method, path: rawPath } },
    body: JSON.stringify(body),
    isBase64Encoded: false,
  };
}

async function answerOf(handler: ReturnType<typeof validate>['handle'], body: unknown) {
  const { statusCode, body: text } = await handler(post(`/admission/${SECRET}`, body));
  expect(statusCode).toBe(200);
  return JSON.parse(text).response as { uid: string; allowed: boolean; status?: { message: string; code: number } };
}

test.each<[string, unknown, object, RegExp | null]>([
  ['a good Record', GOOD, {}, null],
  ['an invalid spec', { ...GOOD, rdata: '192.0.2.300' }, {}, /^InvalidSpec: .*192\.0\.2\.300/],
  ['a name that is not delegated', { ...GOOD, domainName: 'www.e.' }, {}, /^DelegationDenied: .*www\.e\./],
  ['a dry run of the same', { ...GOOD, domainName: 'www.e.' }, { dryRun: true }, /^DelegationDenied: /],
  ['a write of the status', GOOD, { subResource: 'status' }, null],
])('%s', async (_title, spec, more, message) => {
  const { handle, counted, lines } = validate();
  const answer = await answerOf(handle, review(spec, more));
  expect(answer).toMatchObject({ uid: 'u-1', allowed: message === null });
  if (message !== null) {
    expect(answer.status?.message).toMatch(message);
    expect(answer.status?.code).toBe(422);
    expect(lines.join()).toMatch(/a write is refused .*Record team\/www/);
  }
  expect(counted.get('WritesRefused') ?? 0).toBe(message === null ? 0 : 1);
});

const failing = (listPage: Cluster['listPage']) => validate({ cluster: { listPage }, judgeMsMax: 20 });

test.each<[string, Cluster['listPage'], RegExp]>([
  ['refuses the call', () => Promise.reject(new Error('zones is forbidden')), /zones is forbidden/],
  ['does not answer', () => new Promise(() => {}), /no verdict within 20 ms/],
  ['changes while it is listed', async () => null, /changed while they were listed/],
])('if the cluster %s, the write passes and is counted', async (_title, listPage, words) => {
  const { handle, counted, lines } = failing(listPage);
  expect(await answerOf(handle, review({ ...GOOD, domainName: 'www.e.' }))).toEqual({ uid: 'u-1', allowed: true });
  expect(counted.get('WritesUnjudged')).toBe(1);
  expect(lines.join()).toMatch(words);
});

test('an invalid spec is refused without a call of the cluster', async () => {
  const { handle, counted } = failing(() => Promise.reject(new Error('no cluster')));
  expect(await answerOf(handle, review({ ...GOOD, rdata: 'x' }))).toMatchObject({ allowed: false });
  expect(counted.get('WritesUnjudged')).toBeUndefined();
});

test.each([
  ['without the secret', '/admission', 'POST', 401],
  ['with a wrong secret', '/admission/wrong', 'POST', 401],
  ['for an audit list', `/audit/${SECRET}`, 'POST', 404],
  ['for CloudEvents', `/events/${SECRET}`, 'POST', 404],
  ['by GET', `/admission/${SECRET}`, 'GET', 405],
])('a request %s', async (_title, at, method, status) => {
  const { handle, counted, lines } = validate();
  expect((await handle(post(at, sample('admission-review.update'), method))).statusCode).toBe(status);
  expect(counted.get('EventsRefused')).toBe(1);
  expect(lines.join()).not.toContain(SECRET);
});

test('a write of an API server that shows another secret passes and is counted, and a request of a stranger is not', async () => {
  const { handle, counted } = validate();
  const from = (agent: string) => ({ ...post('/admission/old', review(GOOD)), headers: { 'user-agent': agent } });
  await handle(from('Mozilla/5.0'));
  expect(counted.get('WritesUnjudged')).toBeUndefined();
  await handle(from('kube-apiserver-admission'));
  expect(counted.get('WritesUnjudged')).toBe(1);
});

test('throws if the secret does not come in time, so the API server lets the write pass', async () => {
  const { handle } = validate({ secrets: () => new Promise(() => {}), judgeMsMax: 20 });
  await expect(handle(post(`/admission/${SECRET}`, review(GOOD)))).rejects.toThrow(
    'the secret was not read within 20 ms',
  );
});

test('the answer has at most the length of a condition, and the log line is short', async () => {
  const { handle, lines } = validate();
  const patterns = Array.from({ length: 2_000 }, () => ({ pattern: '..' }));
  const spec = { domainName: 'e.', delegations: [{ records: patterns }] };
  const resource = { group: 'kubi.zone', version: 'v1alpha1', resource: 'zones' };
  const answer = await answerOf(handle, review(spec, { resource }));
  expect(answer.status?.message.length).toBeGreaterThan(1_000);
  expect(answer.status?.message.length).toBeLessThan(9_000);
  expect(lines.join().length).toBeLessThan(1_000);
});

test('a body that is not an AdmissionReview is refused, with a status that is not tried again', async () => {
  expect((await validate().handle(post(`/admission/${SECRET}`, { kind: 'List' }))).statusCode).toBe(400);
});
