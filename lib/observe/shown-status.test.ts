import { describe, expect, it } from 'vitest';
import type { ClusterObject, ObjectStatus } from '../ports/cluster.ts';
import { showsStatus } from '../ports/shown-status.ts';
import { showsReported } from './shown-status.ts';
import { digestEntries, type StatusItem } from './status-item.ts';

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
    ['an entry said to be left out that there is not', { ...shown, entriesOmitted: 1 }, false],
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
});

describe('showsReported()', () => {
  it('knows a live Zone whose last valid spec stays in force for what was reported (simulation, seed 439)', () => {
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
