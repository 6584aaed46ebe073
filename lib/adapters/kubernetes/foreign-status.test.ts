// What zone53 writes into the status of kinds of other projects, and when it writes nothing.
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../objects/conditions.ts';
import type { Kind } from '../../objects/kind.ts';
import type { ObjectStatus } from '../../ports/cluster.ts';
import { foreignStatusRequest, saidAs } from './foreign-status.ts';

const NOW = '2026-11-23T10:00:00Z';
const BEFORE = '2026-11-22T10:00:00Z';
const TYPE = 'zone53.dev/Programmed';
const ADOPTED: Condition = { type: 'Accepted', status: 'True', reason: 'Adopted', message: 'by it' };
const DENIED: Condition = { type: 'Accepted', status: 'False', reason: 'DelegationDenied', message: 'not yours' };
const PUBLISHED: Condition = { type: 'Programmed', status: 'True', reason: 'Published', message: 'in Route 53' };
const OURS = { type: TYPE, status: 'True', reason: 'Published', message: 'in Route 53' };
const THEIRS = { type: 'Ready', status: 'True', reason: 'Ok', message: '' };

function kind(status: Kind['status']): Kind {
  return { kind: 'Thing', group: 'g.example', version: 'v1', resource: 'things', status, pageSize: 1 };
}
const ref = { kind: 'Thing', namespace: 'team', name: 'web' };
const metadata = { uid: 'u', resourceVersion: '7', generation: 3 };
const statusOf = (...conditions: readonly Condition[]): ObjectStatus => ({ fqdn: null, parent: null, conditions });
const published = statusOf(ADOPTED, PUBLISHED);

function written(form: Kind['status'], object: object, status: ObjectStatus = published) {
  return foreignStatusRequest(kind(form), ref, { metadata, ...object }, status, NOW);
}

describe('foreignStatusRequest()', () => {
  it.each(['events', 'none', 'subresource'] as const)(
    'writes nothing for a kind that is reported in another way: %s',
    (form) => {
      expect(written(form, {})).toBeNull();
    },
  );

  it('writes one condition, only in the status, with a time', () => {
    const request = written('conditions', { status: { conditions: [THEIRS] } });
    expect(request).toMatchObject({
      method: 'PATCH',
      path: '/apis/g.example/v1/namespaces/team/things/web/status',
      contentType: 'application/apply-patch+yaml',
      rule: { group: 'g.example', resource: 'things/status', verb: 'patch' },
    });
    expect(request?.body).toEqual({
      apiVersion: 'g.example/v1',
      kind: 'Thing',
      metadata: { name: 'web', namespace: 'team', uid: 'u' },
      status: { conditions: [{ ...OURS, lastTransitionTime: NOW }] },
    });
  });

  it('reports the refusal when one endpoint is refused and another is published', () => {
    expect(written('conditions', {}, statusOf(DENIED, PUBLISHED))?.body).toMatchObject({
      status: { conditions: [{ type: TYPE, status: 'False', reason: 'DelegationDenied' }] },
    });
  });

  it('writes whether resolvers answer it beside that, and not for what is refused', () => {
    const changing: Condition = { type: 'Propagated', status: 'False', reason: 'Changing', message: 'until then' };
    const ours = { ...changing, type: 'zone53.dev/Propagated' };
    const status = { conditions: [THEIRS, { ...OURS, lastTransitionTime: BEFORE }] };
    const said = statusOf(ADOPTED, PUBLISHED, changing);
    expect(written('conditions', { status }, said)?.body).toMatchObject({
      status: {
        conditions: [
          { ...OURS, lastTransitionTime: BEFORE },
          { ...ours, lastTransitionTime: NOW },
        ],
      },
    });
    expect(written('conditions', { status: { conditions: [...status.conditions, ours] } }, said)).toBeNull();
    expect(written('conditions', { status: { conditions: [...status.conditions, ours] } })?.body).toMatchObject({
      status: { conditions: [OURS] },
    });
    expect(written('conditions', {}, statusOf(DENIED, PUBLISHED, changing))?.body).toMatchObject({
      status: { conditions: [{ reason: 'DelegationDenied' }] },
    });
  });

  it('keeps the time while the status of the condition is the same', () => {
    const standing = { ...OURS, message: 'other words', lastTransitionTime: BEFORE };
    expect(written('conditions', { status: { conditions: [standing] } })?.body).toMatchObject({
      status: { conditions: [{ ...OURS, lastTransitionTime: BEFORE }] },
    });
  });

  it.each<[string, Kind['status'], object, ObjectStatus]>([
    ['a Service says so already', 'conditions', { status: { conditions: [THEIRS, OURS] } }, published],
    ['nothing is asked, and nothing stands', 'conditions', { status: { conditions: [THEIRS] } }, statusOf()],
    ['a CRD keeps no conditions', 'observedGeneration', { status: { observedGeneration: 3 } }, published],
    [
      'a DNSEndpoint says so already',
      'observedGeneration',
      { status: { observedGeneration: 3, conditions: [OURS] } },
      published,
    ],
    [
      'a route says so already',
      'parents',
      {
        spec: { parentRefs: [{ name: 'gw' }] },
        status: { parents: [{ controllerName: 'zone53.dev/dns', conditions: [OURS] }] },
      },
      published,
    ],
    ['a route names no parent', 'parents', { spec: {}, status: { parents: [] } }, published],
    [
      'the list of a route is full',
      'parents',
      {
        spec: { parentRefs: [{ name: 'gw' }] },
        status: { parents: Array.from({ length: 32 }, () => ({ controllerName: 'other' })) },
      },
      published,
    ],
  ])('writes nothing where %s', (_, form, object, status) => {
    expect(written(form, object, status)).toBeNull();
  });

  it('removes its own condition from an object that no longer asks for anything, and no other condition', () => {
    expect(written('conditions', { status: { conditions: [THEIRS, OURS] } }, statusOf())?.body).toMatchObject({
      status: { conditions: [] },
    });
    const request = written(
      'observedGeneration',
      { status: { observedGeneration: 3, conditions: [THEIRS, OURS] } },
      statusOf(),
    );
    expect(request?.body).toMatchObject({ status: { conditions: [THEIRS] } });
  });

  it('gives a DNSEndpoint its generation, and its list of conditions as it was read, with ours', () => {
    const request = written('observedGeneration', { status: { observedGeneration: 2, conditions: [THEIRS] } });
    expect(request).toMatchObject({ contentType: 'application/merge-patch+json' });
    expect(request?.body).toEqual({
      metadata: { uid: 'u', resourceVersion: '7' },
      status: { observedGeneration: 3, conditions: [THEIRS, { ...OURS, lastTransitionTime: NOW }] },
    });
  });
});

describe('foreignStatusRequest() of a route', () => {
  const gateway = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'gw' };
  const spec = { parentRefs: [gateway] };
  const other = { controllerName: 'example.com/gw', parentRef: gateway, conditions: [] };
  const own = { controllerName: 'zone53.dev/dns', parentRef: gateway, conditions: [{ ...OURS, status: 'False' }] };
  const entry = {
    parentRef: gateway,
    controllerName: 'zone53.dev/dns',
    conditions: [{ ...OURS, lastTransitionTime: NOW }],
  };
  const test = { op: 'test', path: '/metadata/resourceVersion', value: '7' };

  it.each<[string, object, object[]]>([
    [
      'without a status',
      {},
      [
        { op: 'add', path: '/status', value: {} },
        { op: 'add', path: '/status/parents', value: [] },
        { op: 'add', path: '/status/parents/-', value: entry },
      ],
    ],
    [
      'with an entry of another',
      { status: { parents: [other] } },
      [{ op: 'add', path: '/status/parents/-', value: entry }],
    ],
    [
      'with an entry of ours',
      { status: { parents: [other, own] } },
      [{ op: 'replace', path: '/status/parents/1', value: entry }],
    ],
  ])('changes a status as it was read, and no other: %s', (_, object, operations) => {
    expect(written('parents', { spec, ...object })?.body).toEqual([test, ...operations]);
  });

  it('removes our entry when the route no longer asks for anything, or names no parent', () => {
    const away = [test, { op: 'remove', path: '/status/parents/1' }];
    expect(written('parents', { spec, status: { parents: [other, own] } }, statusOf())?.body).toEqual(away);
    expect(written('parents', { spec: {}, status: { parents: [other, own] } })?.body).toEqual(away);
  });
});

describe('saidAs()', () => {
  it('gives different texts for different reports, and the same text for the same report', () => {
    const object = { metadata };
    expect(saidAs(object, published)).toBe(saidAs({ metadata: { ...metadata, resourceVersion: '8' } }, published));
    expect(saidAs(object, published)).not.toBe(saidAs(object, statusOf(DENIED)));
    expect(saidAs(object, published)).not.toBe(saidAs({ metadata: { ...metadata, generation: 4 } }, published));
  });
});
