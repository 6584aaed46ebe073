import { describe, expect, it } from 'vitest';
import type { StatusForm } from '../objects/kind.ts';
import type { ClusterObject, ObjectStatus } from '../ports/cluster.ts';
import { showsStatus } from '../ports/shown-status.ts';
import { digestEntries, type StatusItem, showsReported } from './status-item.ts';

const accepted = { type: 'Accepted', status: 'True', reason: 'Root', message: 'm', observedGeneration: 2 } as const;
const zone = { entries: [], hash: 'v1:ab', serial: 2026030100, entriesOmitted: 0 };
const wanted: ObjectStatus = { fqdn: 'e.', parent: null, conditions: [accepted], zone };
const shown = {
  fqdn: 'e.',
  conditions: [{ ...accepted, lastTransitionTime: 'x' }],
  hash: 'v1:ab',
  serial: 2026030100,
  entries: [],
};
describe('showsStatus()', () => {
  it.each([
    ['what was reported, with its times', shown, true],
    [
      "what was reported, beside somebody else's condition",
      { ...shown, conditions: [...shown.conditions, { type: 'Other' }] },
      true,
    ],
    ['an omitted entry that does not exist', { ...shown, entriesOmitted: 1 }, false],
    ['nothing', undefined, false],
    ['another name', { ...shown, fqdn: 'f.' }, false],
    ['an older generation', { ...shown, conditions: [{ ...accepted, observedGeneration: 1 }] }, false],
    [
      'a condition of ours that we do not state',
      { ...shown, conditions: [accepted, { type: 'Programmed', status: 'True' }] },
      false,
    ],
    ['a forged serial', { ...shown, serial: 1 }, false],
    ['forged entries', { ...shown, entries: [{ fqdn: 'x.' }] }, false],
    ['a list where a mapping belongs', [], false],
  ])('%s', (_name, status, expected) => {
    expect(showsStatus(status, wanted)).toBe(expected);
  });

  it.each([
    ['the data of an alias', 'ALIAS a.', 'ALIAS a.', true],
    ['forged data of an alias', 'ALIAS a.', 'ALIAS b.', false],
    ['an alias from which its data was removed', 'ALIAS a.', undefined, false],
    ['forged data of a Record that is no alias', undefined, 'ALIAS b.', false],
  ])('%s', (_name, data, standing, expected) => {
    const record = { fqdn: 'e.', parent: null, conditions: [], ...(data === undefined ? {} : { data }) };
    expect(showsStatus({ fqdn: 'e.', data: standing }, record)).toBe(expected);
  });
});

describe('showsReported()', () => {
  it('recognizes a live Zone whose last valid spec is in force (simulation, seed 439)', () => {
    const refused = {
      type: 'Accepted',
      status: 'False',
      reason: 'InvalidSpec',
      message: 'm',
      observedGeneration: 3,
    } as const;
    const entries = [{ fqdn: 'e.', type: 'SOA', class: 'IN', ttl: 360, rdata: 'x' }];
    const reported: StatusItem = {
      uid: 'u',
      fqdn: 'e.',
      parent: null,
      conditions: [refused],
      hash: 'v1:ab',
      serial: 2026030100,
      entries: digestEntries(entries),
    };
    const object: ClusterObject = {
      ref: { kind: 'Zone', namespace: 'a', name: 'root' },
      uid: 'u',
      creationTimestamp: null,
      order: '',
      version: '7',
      generation: 3,
      annotations: {},
      labels: {},
      spec: null,
      status: { fqdn: 'e.', conditions: [refused], hash: 'v1:ab', serial: 2026030100, entries },
      origin: null,
    };
    expect(showsReported(object, reported)).toBe(true);
    expect(showsReported({ ...object, status: { ...(object.status as object), hash: null } }, reported)).toBe(false);
  });
});

describe('showsReported() of kinds that are not our own', () => {
  const published = { type: 'Programmed', status: 'True', reason: 'Published', message: 'm' } as const;
  const ours = { ...published, type: 'zone53.dev/Programmed', lastTransitionTime: 'x' };
  const theirs = { type: 'Ready', status: 'True' };
  const reported: StatusItem = {
    uid: 'u',
    fqdn: 'www.e.',
    parent: 'a/root',
    conditions: [{ ...accepted, reason: 'Adopted', observedGeneration: 3 }, published],
    hash: null,
    serial: null,
    entries: null,
  };
  const object = (statusForm: StatusForm, status: unknown): ClusterObject => ({
    ref: { kind: 'Thing', namespace: 'a', name: 'web' },
    uid: 'u',
    creationTimestamp: null,
    order: '',
    version: '7',
    generation: 3,
    annotations: {},
    labels: {},
    spec: { parentRefs: [{ name: 'gw' }] },
    status,
    statusForm,
    origin: null,
  });
  const entry = { controllerName: 'zone53.dev/dns', conditions: [ours] };

  it.each<[string, StatusForm, unknown, boolean]>([
    ['an Ingress, which has no condition of ours', 'events', {}, true],
    ['the condition of a Service', 'conditions', { conditions: [theirs, ours] }, true],
    ['a Service from which it was removed', 'conditions', { conditions: [theirs] }, false],
    ['a Service without a status', 'conditions', null, false],
    ['a forged condition', 'conditions', { conditions: [{ ...ours, reason: 'Pending' }] }, false],
    ['the entry of a route', 'parents', { parents: [entry] }, true],
    ['a route whose list was replaced', 'parents', { parents: [{ controllerName: 'other' }] }, false],
    ['a DNSEndpoint', 'observedGeneration', { observedGeneration: 3 }, true],
    ['an older generation of a DNSEndpoint', 'observedGeneration', { observedGeneration: 2 }, false],
  ])('%s', (_, form, status, expected) => {
    expect(showsReported(object(form, status), reported)).toBe(expected);
  });
});
