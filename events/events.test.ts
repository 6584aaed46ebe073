// The parsers on the payloads of events/samples/, which a kube-apiserver 1.36 sent (the CloudWatch one is such a
// payload in the envelope and with the users of EKS), and on what is broken, foreign or forged.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../lib/objects/source-settings.ts';
import { KINDS, kindsRead, sourcesOn } from '../lib/sources/source.ts';
import { buildAdmissionAnswer, parseAdmissionReview } from './admission-review.ts';
import { parseAuditEventList, parseAuditEvents } from './audit-event-list.ts';
import { parseCloudwatchLogs } from './cloudwatch-logs.ts';

const www = { kind: 'Record', namespace: 'default', name: 'www' };
const anyRecord = { kind: 'Record', namespace: 'default', name: null };
/** With the user who made the requests of the samples. */
const byAdmin = <T extends object>(hint: T) => ({ ...hint, user: 'admin' });

// biome-ignore lint/suspicious/noExplicitAny: samples are changed at will
function sample(name: string): any {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, 'samples', `${name}.json`), 'utf8'));
}

describe('parseAdmissionReview()', () => {
  const old = (name: string) => sample(`admission-review.${name}`).request.oldObject.metadata.resourceVersion;
  const uidOf = (name: string) => sample(`admission-review.${name}`).request.oldObject.metadata.uid;
  const goneOf = (name: string) => ({ uid: uidOf(name), generation: null });
  it.each([
    ['create', [{ ...www, oldVersion: '', atMs: 7 }]],
    ['update', [{ ...www, oldVersion: old('update'), awaited: { uid: uidOf('update'), generation: 2 }, atMs: 7 }]],
    ['dry-run', []],
    ['generate-name', [{ ...www, name: 'made-qdxsn', oldVersion: '', atMs: 7 }]],
    ['delete', [{ ...www, oldVersion: old('delete'), awaited: goneOf('delete'), atMs: 7 }]],
    [
      'delete-collection',
      [
        {
          ...www,
          name: 'made-qdxsn',
          oldVersion: old('delete-collection'),
          awaited: goneOf('delete-collection'),
          atMs: 7,
        },
      ],
    ],
  ])('%s', (name, hints) => {
    const review = sample(`admission-review.${name}`);
    const parsed = parseAdmissionReview(KINDS, review, 7);
    expect(parsed.hints).toEqual(hints.map(byAdmin));
    expect(parsed.uid).toBe(review.request.uid);
    expect(parsed.subject?.spec).toEqual(review.request.object?.spec);
  });

  it.each([
    ['a subresource', { subResource: 'status' }],
    ['another API group', { resource: { group: 'example.org', version: 'v1', resource: 'records' } }],
    ['another resource of ours', { resource: { group: 'kubi.zone', version: 'v1alpha1', resource: 'wishes' } }],
    ['a write of our own', { userInfo: { groups: ['zone53', 'system:authenticated'] } }],
  ])('makes no hint for %s', (_title, change) => {
    const review = sample('admission-review.update');
    Object.assign(review.request, change);
    expect(parseAdmissionReview(KINDS, review, 7).hints).toEqual([]);
  });

  it('an Ingress gets a hint and is never refused, because it does more than ask for names', () => {
    const review = sample('admission-review.update');
    review.request.resource = { group: 'networking.k8s.io', version: 'v1', resource: 'ingresses' };
    const kinds = kindsRead(sourcesOn({ ingresses: DEFAULT_SETTINGS }));
    const { hints, subject } = parseAdmissionReview(kinds, review, 7);
    expect(hints).toMatchObject([{ kind: 'Ingress', namespace: 'default', name: 'www' }]);
    expect(subject).toBeNull();
  });

  it('makes a hint for the namespace if no name is known', () => {
    const review = sample('admission-review.create');
    delete review.request.name;
    delete review.request.object.metadata.name;
    expect(parseAdmissionReview(KINDS, review, 7).hints).toEqual([byAdmin({ ...anyRecord, atMs: 7 })]);
  });

  it.each([null, 5, {}, { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1beta1', request: {} }])(
    'refuses %j',
    (value) => {
      expect(() => parseAdmissionReview(KINDS, value, 7)).toThrow('Cannot parse AdmissionReview');
    },
  );

  it('buildAdmissionAnswer() allows, or refuses with a message', () => {
    expect(buildAdmissionAnswer('u')).toMatchObject({ kind: 'AdmissionReview', response: { uid: 'u', allowed: true } });
    expect(buildAdmissionAnswer('u', 'no')).toMatchObject({
      response: { uid: 'u', allowed: false, status: { code: 422, message: 'no' } },
    });
  });
});

describe('parseAuditEventList()', () => {
  const withoutTime = ({ hints }: ReturnType<typeof parseAuditEventList>) =>
    hints.map(({ atMs: _, correlationId: __, ...hint }) => hint);

  it('level Metadata: each object once, the namespace for generateName and deletecollection', () => {
    const parsed = parseAuditEventList(KINDS, sample('audit-event-list.metadata'));
    expect(withoutTime(parsed)).toEqual([www, anyRecord].map(byAdmin));
    expect(parsed.problems).toEqual([]);
    expect(parsed.hints[0]?.atMs).toBeGreaterThan(Date.parse('2026-01-01'));
    expect(parsed.hints[0]?.correlationId).toBe('83648a54-53d5-4774-bea7-2df33cf21db1');
  });

  it('level RequestResponse: the generated name, too', () => {
    const parsed = parseAuditEventList(KINDS, sample('audit-event-list.request-response'));
    expect(withoutTime(parsed)).toEqual(
      [www, { ...www, name: expect.stringMatching(/^made-/) }, anyRecord].map(byAdmin),
    );
  });

  const create = sample('audit-event-list.metadata').items.find(({ verb }: { verb: string }) => verb === 'create');
  it.each([
    ['the unchanged event', {}, 1],
    ['an event of another stage', { stage: 'RequestReceived' }, 0],
    ['a read', { verb: 'watch' }, 0],
    ['a refused request', { responseStatus: { code: 409 } }, 0],
    ['no response status', { responseStatus: undefined }, 0],
    ['a dry run in the query', { requestURI: '/apis/kubi.zone/v1alpha1/records?fieldManager=x&dryRun=All' }, 0],
    ['a dry run in the body', { verb: 'delete', requestObject: { kind: 'DeleteOptions', dryRun: ['All'] } }, 0],
    ['a status write', { objectRef: { ...create.objectRef, subresource: 'status' } }, 0],
    ['a write of our own', { user: { username: 'me', groups: ['zone53'] } }, 0],
    ['a user agent that pretends to be us', { userAgent: 'zone53' }, 1],
    ['a namespace being deleted', { verb: 'delete', objectRef: { resource: 'namespaces', name: 'team-a' } }, 0],
    ['an object of another kind', { objectRef: { ...create.objectRef, apiGroup: 'apps' } }, 0],
    ['no object reference', { objectRef: undefined }, 0],
  ])('%s', (_title, change, count) => {
    const { hints, problems } = parseAuditEvents(KINDS, [{ ...create, ...change }]);
    expect([hints.length, problems]).toEqual([count, []]);
  });

  it.each([
    ['as whom somebody acts', { impersonatedUser: { username: 'jane' } }, 'jane'],
    ['253 characters of a long name', { user: { username: 'x'.repeat(500) } }, 'x'.repeat(253)],
    ['nobody if the event names nobody', { user: {} }, undefined],
  ])('names as the user %s', (_title, change, user) => {
    expect(parseAuditEvents(KINDS, [{ ...create, ...change }]).hints.map((hint) => hint.user)).toEqual([user]);
  });

  it('an event that cannot be read affects only itself', () => {
    const { hints, problems } = parseAuditEvents(KINDS, [5, create, { verb: 7 }]);
    expect([hints.length, problems.length]).toEqual([1, 2]);
  });

  it('refuses a value that is not an EventList', () => {
    expect(() => parseAuditEventList(KINDS, { kind: 'EventList', items: [] })).toThrow('Cannot parse audit EventList');
  });
});

describe('parseCloudwatchLogs()', () => {
  const pack = (value: unknown) => ({ awslogs: { data: gzipSync(JSON.stringify(value)).toString('base64') } });

  it('reads the audit events of an EKS log stream', () => {
    const { hints, problems } = parseCloudwatchLogs(KINDS, sample('cloudwatch-logs'));
    expect(hints).toMatchObject([www, anyRecord]);
    expect(problems).toEqual([]);
  });

  it('a control message makes no hint', () => {
    expect(
      parseCloudwatchLogs(KINDS, pack({ messageType: 'CONTROL_MESSAGE', logEvents: [{ message: 'probe' }] })).hints,
    ).toEqual([]);
  });

  it('a line that is not JSON affects only itself', () => {
    const lines = [
      { message: 'I1121 started' },
      { message: JSON.stringify(sample('audit-event-list.metadata').items[1]) },
    ];
    const { hints, problems } = parseCloudwatchLogs(KINDS, pack({ messageType: 'DATA_MESSAGE', logEvents: lines }));
    expect(hints).toMatchObject([www]);
    expect(problems).toEqual(['Cannot parse log line "I1121 started": it is not JSON']);
  });

  it.each([[{}], [{ message: 5 }], [null], ['text']])('the line %j, which has no text, affects only itself', (bad) => {
    const lines = [bad, { message: JSON.stringify(sample('audit-event-list.metadata').items[1]) }];
    const { hints, problems } = parseCloudwatchLogs(KINDS, pack({ messageType: 'DATA_MESSAGE', logEvents: lines }));
    expect(hints).toMatchObject([www]);
    expect(problems).toEqual(['Cannot parse log line "": it is not JSON']);
  });

  it.each([
    ['a value without awslogs', {}, 'Cannot parse CloudWatch Logs event'],
    ['data that is not gzip', { awslogs: { data: 'aGVsbG8=' } }, 'Cannot unpack CloudWatch Logs batch'],
    ['data that is not a batch', pack([1]), 'Cannot unpack CloudWatch Logs batch'],
  ])('refuses %s', (_title, value, message) => {
    expect(() => parseCloudwatchLogs(KINDS, value)).toThrow(message);
  });
});
