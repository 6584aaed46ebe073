import { describe, expect, test } from 'vitest';
import { coveredRootNote, hiddenNote, withNotes } from '../../lib/zones/notes.ts';
import { accepted, change, denied, hostedZone, programmed } from '../../test/support/output-samples.ts';
import { problemsOf } from './problems.ts';

const record = (name: string, conditions: readonly (typeof denied)[]) => {
  return { namespace: 'a', name, fqdn: `${name}.e.`, parent: null, conditions, origin: { file: 'a.yaml', line: 7 } };
};
const NOTHING = { zones: [], records: [], sources: [] };

describe('problemsOf()', () => {
  test('has each object that is not accepted or not programmed, with its place', () => {
    const endpoint = { fqdn: 'x.e.', type: 'A', ttl: 1, values: [], alias: null, setIdentifier: null, routing: null };
    const endpoints = [{ ...endpoint, parent: null, conditions: [denied] }];
    const source = { kind: 'Ingress', namespace: 'a', name: 'i', endpoints, problems: ['no host'], notes: [] };
    const resolved = {
      zones: [],
      records: [record('well', [accepted]), record('bad', [denied]), record('o', [accepted, programmed('Occluded')])],
      // Two endpoints with the same verdict are one problem.
      sources: [{ ...source, endpoints: [...endpoints, ...endpoints] }],
    };
    expect(problemsOf({ resolved }).map(({ message: _, ...one }) => Object.values(one))).toEqual([
      ['Record a/bad', 'a.yaml', 7, 'DelegationDenied'],
      ['Record a/o', 'a.yaml', 7, 'Occluded'],
      ['Ingress a/i', null, null, 'DelegationDenied'],
      ['Ingress a/i', null, null, 'InvalidSpec'],
    ]);
  });

  test('has the objects of changes that will not be sent', () => {
    const changes = [
      change('create', { objects: ['Record a/w'], standing: 'foreign', message: 'there' }),
      change('update', { objects: ['Record a/x'], standing: 'foreign', message: 'replaced' }),
      change('create', {
        ...{ objects: ['Record a/y'], standing: 'foreign', message: 'replaced' },
        also: [{ action: 'delete', name: 'y.e.', type: 'CNAME' }],
      }),
      change('update', { objects: ['Record a/z'], outcome: 'drifted', message: 'edited' }),
    ];
    const resolved = { ...NOTHING, records: [record('w', [accepted])] };
    expect(problemsOf({ resolved, hostedZones: [hostedZone(changes)] })).toEqual([
      { object: 'Record a/w', file: 'a.yaml', line: 7, reason: 'ForeignRecord', message: 'there' },
      { object: 'Record a/z', file: null, line: null, reason: 'Drifted', message: 'edited' },
    ]);
  });

  test('has a root that a live Zone covers, which --strict counts', () => {
    const conditions = [
      { ...accepted, reason: 'Root' as const, message: withNotes('m', [coveredRootNote('e.', 'w')]) },
    ];
    const zones = [{ ...record('z', conditions), hash: null, serial: null, entries: [] }];
    expect(problemsOf({ resolved: { ...NOTHING, zones } })).toMatchObject([{ object: 'Zone a/z', reason: 'Root' }]);
  });

  test('has what no resolver sees, although it is accepted', () => {
    const message = withNotes('m', [hiddenNote('x.s.e.', 's.e.', ['Record a/cut'])]);
    const records = [
      record('x', [{ ...accepted, message }]),
      record('y', [{ ...accepted, message: withNotes('m', ['z']) }]),
    ];
    expect(problemsOf({ resolved: { ...NOTHING, records } })).toEqual([
      { object: 'Record a/x', file: 'a.yaml', line: 7, reason: accepted.reason, message },
    ]);
  });

  test('has a DNSRecord with an error', () => {
    const served = { namespace: 's', name: 'api', operation: 'Reconcile', state: 'Error' as const, message: '' };
    const error = { codes: ['ERR_CONFIGURATION_PROBLEM'], message: 'taken' };
    const dnsRecords = [{ ...served, account: null, hostedZone: null, changes: [], error }];
    expect(problemsOf({ resolved: NOTHING, dnsRecords })).toMatchObject([
      { object: 'DNSRecord s/api', reason: 'ERR_CONFIGURATION_PROBLEM', message: 'taken' },
    ]);
  });

  test('has a Zone whose hosted zone could not be read', () => {
    const unread = { ...hostedZone([]), isUnread: true, notes: ['access denied.'] };
    expect(problemsOf({ resolved: NOTHING, hostedZones: [unread] })).toMatchObject([
      { object: 'Zone default/example', reason: 'Unread', message: 'access denied.' },
    ]);
  });
});
