import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Endpoint, openEndpoint } from '../../objects/endpoint.ts';
import { DEFAULT_SETTINGS } from '../../objects/source-settings.ts';
import type { ClusterObject } from '../../ports/cluster.ts';
import { sourcesOn } from '../../sources/source.ts';
import { type InForce, inForce } from './last-valid-spec.ts';

const views = { known: ['public', 'internal'], ofInternalLoadBalancers: 'internal' };
const SOURCES = sourcesOn({ ingresses: DEFAULT_SETTINGS, views });

const METADATA = {
  ...{ uid: 'u', version: '1', generation: 1, order: '', creationTimestamp: null, labels: {}, origin: null },
} as const;

function record(spec: Readonly<Record<string, unknown>>): ClusterObject {
  return { ...METADATA, ref: { kind: 'Record', namespace: 'a', name: 'r' }, annotations: {}, spec, status: {} };
}

function ingress(annotations: Readonly<Record<string, string>>): ClusterObject {
  return {
    ...METADATA,
    ...{ ref: { kind: 'Ingress', namespace: 'a', name: 'i' }, annotations },
    spec: { rules: [{ host: 'w.e' }] },
    status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } },
  };
}

const INTERNAL = { 'alb.ingress.kubernetes.io/scheme': 'internal' };
test.each([
  [{}, ['w.e.']],
  [INTERNAL, ['w.e.@internal.']],
  [{ ...INTERNAL, 'zone53.dev/views': 'public' }, ['w.e.']],
  [{ 'zone53.dev/views': 'public, internal' }, ['w.e.', 'w.e.@internal.']],
  [{ 'zone53.dev/views': '*' }, ['w.e.', 'w.e.@internal.']],
])('an Ingress with %j asks for %j', (annotations, names) => {
  const { endpoints, problems } = inForce(SOURCES, ingress(annotations));
  expect(problems).toEqual([]);
  expect(endpoints?.map(({ domainName }) => (domainName.kind === 'full' ? domainName.fqdn : ''))).toEqual(names);
});

test('a wrong annotation keeps what was in force, and publishes nothing of a new object', () => {
  const wrong = ingress({ 'zone53.dev/views': 'Internal' });
  const before = inForce(SOURCES, ingress(INTERNAL));
  expect(inForce(SOURCES, wrong).endpoints).toBe(null);
  const now = inForce(SOURCES, wrong, undefined, before);
  expect(now.endpoints).toEqual(before.endpoints);
  expect(now.problems).toEqual([expect.stringContaining('got "Internal"')]);
});

const TYPES = [
  { type: 'A', rdata: '192.0.2.1' },
  { type: 'TXT', rdata: '"x"' },
  { type: 'A', alias: { target: 't.e.' } },
];
const NAMES = [
  { domainName: 'a.e.' },
  { domainName: 'b.e.' },
  { domainName: '@', zoneRef: { namespace: 'a', name: 'z' } },
  { domainName: 'w', zoneRef: { namespace: 'a', name: 'z' } },
  { domainName: 'w.w', zoneRef: { namespace: 'a', name: 'y' } },
];
const VIEWS = [{}, ...[['public'], ['internal'], ['internal', 'public'], ['*']].map((list) => ({ views: list }))];
const anySpec = fc
  .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...TYPES), fc.constantFrom(...VIEWS))
  .map((parts): Readonly<Record<string, unknown>> => Object.assign({}, ...parts));

test('the last spec that no Zone has to judge stays in all its views, however often newer ones are seen', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anySpec, fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 6 }),
      (specs) => {
        let now: InForce | undefined;
        let closed: readonly Endpoint[] = [];
        for (const [spec, times] of specs) {
          const asked = inForce(SOURCES, record(spec));
          expect(asked.problems).toEqual([]);
          if (asked.endpoints?.every((one) => openEndpoint(one) === null)) closed = asked.endpoints;
          const first = inForce(SOURCES, record(spec), undefined, now);
          for (let seen = 1; seen < times; seen += 1)
            expect(inForce(SOURCES, record(spec), undefined, first)).toEqual(first);
          now = first;
          const standing = first.endpoints?.map(({ standsInFor: _, ...one }) => one) ?? [];
          expect(standing).toEqual(expect.arrayContaining([...closed]));
        }
      },
    ),
    { numRuns: 500 },
  );
});
