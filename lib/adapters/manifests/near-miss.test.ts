import { expect, test } from 'vitest';
import { nearMiss } from './near-miss.ts';

const OURS = 'kubi.zone/v1alpha1';

test.each<[string, unknown, unknown, string]>([
  ['two letters swapped', 'Recrod', OURS, 'did you mean "kind: Record"?'],
  ['the plural', 'Zones', OURS, 'did you mean "kind: Zone"?'],
  ['lower case', 'record', OURS, 'did you mean "kind: Record"?'],
  ['a list', 'RecordsList', OURS, 'did you mean "kind: RecordList"?'],
  ['a kind that our group does not have', 'Policy', OURS, 'the kinds are Zone and Record'],
  ['no kind', undefined, OURS, 'without a kind is not read: write "kind: Zone" or "kind: Record"'],
  ['a group without its dot', 'Record', 'kubizone/v1alpha1', `did you mean "apiVersion: ${OURS}"?`],
  ['a group with a letter wrong', 'Zone', 'kube.zone/v1', `did you mean "apiVersion: ${OURS}"?`],
  ['a group in upper case', 'Zone', 'Kubi.Zone/v1alpha1', `did you mean "apiVersion: ${OURS}"?`],
  ['a group without a version', 'Zone', 'kubi.zone', `did you mean "apiVersion: ${OURS}"?`],
  ['the group of the annotations', 'Zone', 'zone53.dev/v1alpha1', `did you mean "apiVersion: ${OURS}"?`],
  ['a version without a group', 'Record', 'v1alpha1', `did you mean "apiVersion: ${OURS}"?`],
  ['both', 'Recrod', 'kubizone/v1', `did you mean "kind: Record" and "apiVersion: ${OURS}"?`],
  ['a kind, and no apiVersion', 'Recrod', undefined, `did you mean "kind: Record" and "apiVersion: ${OURS}"?`],
])('nearMiss() knows %s', (_, kind, apiVersion, advice) => {
  expect(nearMiss(kind, apiVersion)).toContain(advice);
});

test.each<[string, unknown, unknown]>([
  ['another group with a kind of the same name', 'Record', 'dns.example.com/v1'],
  ['another group with a Zone', 'Zone', 'route53.aws.upbound.io/v1beta1'],
  ['other kinds', 'Deployment', 'apps/v1'],
  ['kinds of the core', 'Node', 'v1'],
  ['a value that is not an object', undefined, undefined],
  ['kinds that are not text', 5, ['kubi.zone/v1alpha1']],
])('nearMiss() gives nothing for %s', (_, kind, apiVersion) => {
  expect(nearMiss(kind, apiVersion)).toBeNull();
});
