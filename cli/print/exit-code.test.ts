import { expect, test } from 'vitest';
import type { ZoneOutput } from '../../lib/report/describe-cluster.ts';
import { coveredRootNote, withNotes } from '../../lib/zones/notes.ts';
import {
  accepted,
  applied,
  bare,
  change,
  denied,
  error,
  hostedZone,
  invalid,
  plan,
  programmed,
  record,
} from '../../test/support/output-samples.ts';
import { exitOfApply, exitOfPlan, exitOfRender, type FailWord, type Wanted } from './exit-code.ts';
import type { ApplyOutput, ChangeOutput, ClusterOutput, DnsRecordOutput, PlanOutput } from './output.ts';

const zoneSaying = (note: string): ZoneOutput => ({
  ...record({ type: 'Accepted', status: 'True', reason: 'Root', message: withNotes('x', [note]) }),
  ...{ hash: null, serial: null, entries: [] },
});
const coveredRoot = zoneSaying(coveredRootNote('s.e.', 'y'));
const notedZone = zoneSaying('another');

test.each<[string, ClusterOutput, boolean, number]>([
  ['all well', { ...bare, records: [record(accepted)] }, true, 0],
  ['errors', { ...bare, errors: [error] }, false, 1],
  ['an object that is not accepted', { ...bare, records: [record(denied)] }, false, 0],
  ['an object that is not accepted, strictly', { ...bare, records: [record(denied)] }, true, 1],
  ['a root that a live Zone covers', { ...bare, zones: [coveredRoot] }, false, 0],
  ['a root that a live Zone covers, strictly', { ...bare, zones: [coveredRoot] }, true, 1],
  ['a Zone with another note, strictly', { ...bare, zones: [notedZone] }, true, 0],
])('exitOfRender() for %s', (_, output, strict, expected) => {
  expect(exitOfRender(output, strict)).toBe(expected);
});

const NOTHING = { hostedZones: [], errors: [] };
const served = (changes: readonly ChangeOutput[]): DnsRecordOutput => ({
  ...{ namespace: 'a', name: 'b', operation: 'Create', state: 'Error', account: null, hostedZone: null, message: '' },
  changes: changes.map((one) => ({ ...one, hostedZone: 'Z1', account: 'a' })),
  error: { codes: ['ERR_CONFIGURATION_PROBLEM'], message: 'no' },
});

test.each<[string, PlanOutput, boolean, number]>([
  ['nothing to do', { hostedZones: [hostedZone([])], errors: [] }, true, 0],
  ['changes', { hostedZones: [hostedZone([change('create')])], errors: [] }, false, 0],
  ['changes, in detail', { hostedZones: [hostedZone([change('create')])], errors: [] }, true, 2],
  ['changes of a DNSRecord, in detail', { ...NOTHING, dnsRecords: [served([change('create')])] }, true, 2],
  ['a DNSRecord that is refused', { ...NOTHING, dnsRecords: [served([])] }, true, 0],
  ['deletes held by the guard', plan, true, 3],
  [
    'held deletes beside other changes',
    { ...plan, hostedZones: [...plan.hostedZones, hostedZone([change('create')])] },
    false,
    3,
  ],
  ['errors, before all else', { ...plan, errors: [error] }, true, 1],
])('exitOfPlan() for %s', (_, output, detailed, expected) => {
  expect(exitOfPlan(output, detailed, 'valid')).toBe(expected);
});

const apexNs = { fqdn: 'example.org.', type: 'NS', class: 'IN', ttl: 360, rdata: 'ns1.example.net.' };
const ownNameServers: Partial<ClusterOutput> = {
  zones: [{ ...record(accepted), fqdn: 'example.org.', hash: 'v1:0', serial: 2026112100, entries: [apexNs] }],
  records: [{ ...record(accepted, programmed('ForeignRecord')), fqdn: 'example.org.', parent: 'a/b' }],
};

test.each<[string, ApplyOutput, number]>([
  ['nothing to do', applied([]), 0],
  ['everything published', applied(['published', 'published']), 0],
  ['only deletes held by the guard', applied(['published', 'held']), 3],
  ['a foreign record', applied(['published', 'foreign', 'held']), 1],
  ['a drifted record', applied(['drifted']), 1],
  ['a rejected record', applied(['rejected']), 1],
  ['a failed call', applied(['failed']), 1],
  ['errors', applied(['published'], { errors: [error] }), 1],
  [
    'a hosted zone that could not be compared',
    applied([], { hostedZones: [{ ...hostedZone([]), isUnread: true }] }),
    1,
  ],
  ['a foreign record of an earlier run', applied([], { records: [record(accepted, programmed('ForeignRecord'))] }), 1],
  ['the NS set of a root, which is never changed', applied([], ownNameServers), 0],
  ['no hosted zone', applied([], { records: [record(accepted, programmed('HostedZoneNotFound'))] }), 1],
  [
    'a type that Route 53 does not have',
    applied([], { records: [record(accepted, programmed('UnsupportedType'))] }),
    0,
  ],
  ['an occluded record', applied([], { records: [record(accepted, programmed('Occluded'))] }), 0],
  ['a record that the guard held before', applied([], { records: [record(accepted, programmed('HeldByGuard'))] }), 3],
  ['an object that nobody adopts', applied([], { records: [record(denied)] }), 0],
  ['a DNSRecord that succeeded', { ...applied([]), dnsRecords: [{ ...served([]), state: 'Succeeded' }] }, 0],
  ['a DNSRecord that failed', { ...applied(['published']), dnsRecords: [served([])] }, 1],
  ['a DNSRecord that has not ended', { ...applied([]), dnsRecords: [{ ...served([]), state: 'Processing' }] }, 1],
])('exitOfApply() for %s', (_, output, expected) => {
  expect(exitOfApply(output, 'valid')).toBe(expected);
});

test.each<[string, typeof invalid, Wanted, number]>([
  ['an invalid object of a file', invalid, 'valid', 1],
  ['an object of a file that is refused for another reason', record(denied), 'valid', 0],
  ['the same, strictly', record(denied), 'accepted', 1],
  ['an accepted object, strictly', record(accepted), 'accepted', 0],
  ['an invalid object of a cluster', invalid, 'any', 0],
  ['an invalid object of a cluster, strictly', invalid, 'accepted', 1],
])('exitOfPlan() and exitOfApply() for %s', (_, object, wanted, expected) => {
  const resolved = { zones: [], records: [object], sources: [] };
  expect(exitOfPlan({ hostedZones: [], errors: [], resolved }, true, wanted)).toBe(expected);
  expect(exitOfApply(applied([], { records: [object] }), wanted)).toBe(expected);
});

test('an invalid object outweighs the guard: exit code 3 means that only held deletes remain', () => {
  expect(exitOfPlan({ ...plan, resolved: { zones: [], records: [invalid], sources: [] } }, true, 'valid')).toBe(1);
  expect(exitOfApply(applied(['held'], { records: [invalid] }), 'valid')).toBe(1);
});

test('exitOfPlan() strictly counts a root that a live Zone covers', () => {
  const resolved = { zones: [coveredRoot], records: [], sources: [] };
  expect(exitOfPlan({ hostedZones: [], errors: [], resolved }, false, 'valid')).toBe(0);
  expect(exitOfPlan({ hostedZones: [], errors: [], resolved }, false, 'accepted')).toBe(1);
});

test('exitOfPlan() is 2 for what is known to be changed by hand, with --detailed-exitcode alone', () => {
  const drift = { name: 'a.', type: 'A', setIdentifier: null, objects: [], published: null, message: '' };
  const plan = { errors: [], hostedZones: [{ ...hostedZone([]), drifts: [drift] }] };
  expect([exitOfPlan(plan, true, 'valid'), exitOfPlan(plan, false, 'valid')]).toEqual([2, 0]);
  expect(exitOfPlan({ ...plan, ledger: { zones: ['a/z'], says: '' } }, true, 'any')).toBe(1);
});

const planOf = (...changes: readonly ChangeOutput[]): PlanOutput => ({
  ...NOTHING,
  hostedZones: [hostedZone(changes)],
});
const foreign = planOf(change('create', { standing: 'foreign' }));
const unreadOf = ({ hostedZones, ...rest }: PlanOutput): PlanOutput => ({
  ...rest,
  hostedZones: hostedZones.map((one) => ({ ...one, isUnread: true })),
});
const notAccepted: PlanOutput = { ...NOTHING, resolved: { ...bare, records: [record(denied)] } };

test.each<[string, PlanOutput, readonly FailWord[], number]>([
  ['held deletes', plan, ['held'], 4],
  ['held deletes, not asked for', plan, ['invalid', 'foreign'], 3],
  ['a foreign record set', foreign, ['foreign'], 4],
  ['a foreign record set, not asked for', foreign, ['held'], 0],
  ['a record set that was refused as foreign', planOf(change('update', { outcome: 'foreign' })), ['foreign'], 4],
  ['a foreign record set as wanted', planOf(change('create', { standing: 'equal' })), ['foreign'], 4],
  ['the same, with a ledger that knows none', { ...foreign, ledger: { zones: ['a/z'], says: '' } }, ['foreign'], 4],
  ['a foreign record set that is taken over', planOf(change('adopt', { standing: 'equal' })), ['foreign'], 0],
  ['several words, of which one applies', foreign, ['held', 'invalid', 'foreign'], 4],
  ['a hosted zone that is not read', unreadOf(foreign), ['foreign'], 1],
  ['an object that is not accepted', notAccepted, ['invalid'], 4],
  ['an object that is not accepted, not asked for', notAccepted, ['held'], 0],
  ['input that cannot be read', { ...plan, errors: [error] }, ['held'], 1],
])('exitOfPlan() with --fail-on, for %s', (_, output, failOn, expected) => {
  expect(exitOfPlan(output, false, 'valid', failOn)).toBe(expected);
});
