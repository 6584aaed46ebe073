import { expect, test } from 'vitest';
import { VIEWS_ANNOTATION } from './annotations.ts';
import type { Endpoint } from './endpoint.ts';
import { annotatedViews, inViews } from './views.ts';

const annotated = (value: string) => annotatedViews({ annotations: { [VIEWS_ANNOTATION]: value } });

test('annotatedViews() is public without the annotation, and has each view of it once', () => {
  expect(annotatedViews({ annotations: {} })).toEqual({ views: ['public'], isPublic: true });
  expect(annotated('internal, public,internal')).toEqual({ views: ['internal', 'public'], isPublic: false });
  expect(annotated(' public ')).toEqual({ views: ['public'], isPublic: true });
});

test.each([
  ['', 'got none'],
  ['  ', 'got none'],
  ['Internal', 'got "Internal"'],
  ['public;internal', 'got "public;internal"'],
  ['public,', 'got ""'],
])('annotatedViews() refuses %j', (value, said) => {
  expect(annotated(value)).toEqual({ problem: expect.stringContaining(said) });
});

test('annotatedViews() refuses a value that is no text', () => {
  const odd = annotatedViews({ annotations: {}, oddAnnotations: { [VIEWS_ANNOTATION]: 'a list' } });
  expect(odd).toEqual({ problem: expect.stringContaining('got a list') });
});

const ADDRESS: Endpoint = {
  domainName: { kind: 'full', fqdn: 'www.e.' },
  zoneRef: null,
  type: 'A',
  class: 'IN',
  ttl: null,
  values: ['192.0.2.1'],
};

test('inViews() asks for everything once in each view, but for the names of a cluster', () => {
  const ofCluster: Endpoint = { ...ADDRESS, domainName: { kind: 'full', fqdn: 'a.svc.c.' }, clusterZone: 'c.' };
  const asked = inViews(
    {
      ok: true,
      endpoints: [ADDRESS, ofCluster],
      invalid: [{ fqdn: 'x.e.', type: 'A', setIdentifier: null, message: 'wrong' }],
      problems: [{ message: 'all' }, { message: 'one', leavesOut: 'y.e.' }],
      waits: ['w.e.'],
      wants: ['www.e.'],
      waiting: [{ fqdn: 'w.e.', why: 'no address' }],
    },
    ['public', 'internal'],
  );
  const names = asked.endpoints.map(({ domainName }) => (domainName.kind === 'full' ? domainName.fqdn : ''));
  expect(names).toEqual(['a.svc.c.', 'www.e.', 'www.e.@internal.']);
  expect(asked.invalid?.map(({ fqdn }) => fqdn)).toEqual(['x.e.', 'x.e.@internal.']);
  expect(asked.problems?.map(({ leavesOut }) => leavesOut)).toEqual([undefined, 'y.e.', 'y.e.@internal.']);
  expect([asked.waits, asked.wants]).toEqual([
    ['w.e.', 'w.e.@internal.'],
    ['www.e.', 'www.e.@internal.'],
  ]);
  expect(asked.waiting?.map(({ fqdn }) => fqdn)).toEqual(['w.e.', 'w.e.@internal.']);
});

test('inViews() gives an alias within the hosted zone the view of its name, and leaves others alone', () => {
  const alias = (hostedZoneId: string | null): Endpoint => ({
    ...ADDRESS,
    values: [],
    alias: { target: 't.e.', hostedZoneId, evaluateTargetHealth: true },
  });
  const asked = inViews({ ok: true, endpoints: [alias(null), alias('Z1')] }, ['internal']);
  expect(asked.endpoints.map((one) => one.alias?.target)).toEqual(['t.e.@internal.', 't.e.']);
});
