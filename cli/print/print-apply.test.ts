import { expect, test } from 'vitest';
import { applied } from '../../test/support/output-samples.ts';
import type { DnsRecordOutput, Outcome } from './output.ts';
import { applyPieces, jsonApply } from './print-apply.ts';
import { formatJson, plainPaint } from './terminal-text.ts';

test('applyPieces() prints the outcome of each change', () => {
  expect(
    [...applyPieces(applied(['published', 'foreign']), plainPaint)].join(''),
  ).toBe(`example.org.  hosted zone Z1, Zone default/example
  digest ${'d'.repeat(64)}
+ www.example.org. A  # Record default/www
+     ttl 60
+     192.0.2.2
+     192.0.2.3
      published
+ www.example.org. A  # Record default/www
+     ttl 60
+     192.0.2.2
+     192.0.2.3
      foreign: why

1 published, 1 foreign.
`);
});

test('applyPieces() prints once why the guard holds, and nothing about successful changes', () => {
  const [zone] = applied(['held', 'published']).hostedZones;
  if (zone === undefined) throw new Error('no hosted zone');
  const reasons = ['3 of 4 record sets would be deleted.', 'Acknowledge it.'];
  const message = (outcome: Outcome) => (outcome === 'held' ? reasons.join(' ') : 'Published.');
  const changes = zone.changes.map((one) => ({ ...one, message: message(one.outcome) }));
  const text = [
    ...applyPieces({ ...applied([]), hostedZones: [{ ...zone, held: true, reasons, changes }] }, plainPaint),
  ].join('');
  expect(text.split('\n').filter((line) => line.startsWith('      '))).toEqual(['      held', '      published']);
  expect(text).toContain('! 3 of 4 record sets would be deleted.\n! Acknowledge it.\n');
});

test('applyPieces() says why deletes are held in one place', () => {
  const output = applied(['held', 'published']);
  const hostedZones = output.hostedZones.map((one) => ({
    ...one,
    held: true,
    reasons: ['All would be gone.', 'Acknowledge it.'],
    changes: one.changes.map((change) => ({ ...change, action: 'delete' as const })),
  }));
  const message = 'All would be gone. Acknowledge it.';
  const conditions = [{ type: 'Programmed', status: 'False', reason: 'HeldByGuard', message }] as never;
  const zones = [{ namespace: 'default', name: 'example', fqdn: 'example.org.', conditions, entries: [] }] as never;
  const text = [...applyPieces({ ...output, hostedZones, zones }, plainPaint)].join('');
  expect(text.match(/All would be gone/g)).toHaveLength(1);
  expect(text).toContain(
    'Zone default/example (example.org.): Programmed=False, HeldByGuard\n    The reasons are above.\n',
  );
});

test('jsonApply() adds outcome and message to each change, and zones and records', () => {
  const json = JSON.parse(formatJson(jsonApply(applied(['held'])))) as { hostedZones: { changes: object[] }[] };
  expect(Object.keys(json)).toEqual(['hostedZones', 'problems', 'errors', 'zones', 'records', 'sources']);
  expect(json.hostedZones[0]?.changes[0]).toMatchObject({ outcome: 'held', message: 'why' });
});

test('applyPieces() and jsonApply() show the DNSRecords that were served, as they ended', () => {
  const done: DnsRecordOutput = {
    ...{ namespace: 'shoot--a--b', name: 'api', operation: 'Create', state: 'Succeeded', account: 'a'.repeat(64) },
    ...{ hostedZone: 'Z1', changes: [], error: null, message: '' },
  };
  const error = { codes: ['ERR_INFRA_UNAUTHORIZED'], message: 'no' };
  const dnsRecords = [done, { ...done, name: 'no', state: 'Error' as const, error }];
  expect([...applyPieces({ ...applied([]), dnsRecords }, plainPaint)].join('')).toBe(`DNSRecords
  shoot--a--b/api: Create, Succeeded, hosted zone Z1, account aaaaaaaaaaaa
  shoot--a--b/no: Create, Error, hosted zone Z1, account aaaaaaaaaaaa
! ERR_INFRA_UNAUTHORIZED no

No changes of Zones. 2 DNSRecords: 1 succeeded, 1 failed, 0 not finished.
`);
  const json = jsonApply({ ...applied([]), dnsRecords }) as { dnsRecords: object[] };
  expect(Object.keys(json)).toEqual(['hostedZones', 'problems', 'errors', 'zones', 'records', 'sources', 'dnsRecords']);
  expect(json.dnsRecords[1]).toMatchObject({ name: 'no', state: 'Error', error });
});
