import { expect, test } from 'vitest';
import { VIEWS_ANNOTATION } from './annotations.ts';
import type { Endpoint } from './endpoint.ts';
import { annotatedViews, inViews, withoutUncovered } from './views.ts';

const annotated = (value: string) => annotatedViews({ annotations: { [VIEWS_ANNOTATION]: value } });

test('annotatedViews() is null without the annotation, and has each view of it once', () => {
  expect(annotatedViews({ annotations: {} })).toEqual({ views: null });
  expect(annotated('internal, public,internal')).toEqual({ views: ['internal', 'public'] });
  expect(annotated(' public ')).toEqual({ views: ['public'] });
});

test.each([
  ['', 'got none'],
  ['  ', 'got none'],
  ['Internal', 'got "Internal"'],
  ['public;internal', 'got "public;internal"'],
  ['public,', 'got ""'],
  ['*,public', 'got "*"'],
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

test('inViews() asks for a full name in every view of the configuration by "*", and for others in that of their Zone', () => {
  const partial: Endpoint = { ...ADDRESS, domainName: { kind: 'partial', labels: 'www' }, zoneRef: 'a/z' };
  const { endpoints } = inViews({ ok: true, endpoints: [ADDRESS, partial] }, ['*'], ['public', 'internal']);
  expect(endpoints).toEqual([
    { ...ADDRESS, anyView: true },
    { ...ADDRESS, anyView: true, domainName: { kind: 'full', fqdn: 'www.e.@internal.' } },
    partial,
  ]);
});

test('withoutUncovered() says of "*" only what is so where a Zone covers the name, and else of the public view', () => {
  const endpoint: Endpoint = { ...ADDRESS, anyView: true };
  const reasonOf = (reason: string) => ({ reason });
  const outside = { endpoint, fqdn: 'www.e.', verdict: reasonOf('ParentNotFound') };
  const inside = { endpoint, fqdn: 'www.e.@internal.', verdict: reasonOf('ParentNotFound') };
  const said = (all: readonly (typeof outside)[]) => withoutUncovered(all, (one) => one);
  expect(said([outside, inside])).toEqual([outside]);
  const denied = { ...inside, verdict: reasonOf('DelegationDenied') };
  expect(said([outside, denied])).toEqual([denied]);
  const adopted = { ...outside, verdict: reasonOf('Adopted') };
  expect(said([adopted, inside])).toEqual([adopted]);
  const named = { ...inside, endpoint: ADDRESS };
  expect(said([outside, named])).toEqual([outside, named]);
});
