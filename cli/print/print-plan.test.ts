import { expect, test } from 'vitest';
import { accepted, change, error, hostedZone, invalid, plan, world } from '../../test/support/output-samples.ts';
import type { DnsRecordOutput } from './output.ts';
import { jsonPlan, printPlan } from './print-plan.ts';
import { colourPaint, formatJson, plainPaint, safeLines } from './terminal-text.ts';

test('printPlan() is a diff with both sides of an update, marks what the guard holds, and sums up', () => {
  expect(printPlan(plan, plainPaint)).toBe(`example.org.  hosted zone Z1, Zone default/example
  digest ${'d'.repeat(64)}
+ new.example.org. A [blue]  # Record default/www
+     ttl 60
+     192.0.2.2
+     192.0.2.3
~ www.example.org. A  # Record default/www
~     ttl 300 → 60
-     192.0.2.1
      192.0.2.2
+     192.0.2.3
- old.example.org. A  (held by the guard)  # Record default/www
-     ttl 300
-     192.0.2.1
-     192.0.2.2
+ alias.example.org. A
+     alias lb.example.com. in hosted zone Z2, evaluates target health
! Held by the guard:
! 3 of 4 record sets would be deleted.

2 to create, 1 to update, 1 to delete (1 of them held), in 1 hosted zone.
`);
});

test('printPlan() counts the creates at names where Route 53 has a record set of others', () => {
  const changes = [
    change('create'),
    change('create', { standing: 'none', message: 'Route 53 was not read here.' }),
    change('create', { standing: 'foreign', message: 'It is replaced.' }),
    change('create', { standing: 'external-dns', message: 'It is taken over.' }),
    change('delete', { standing: 'external-dns', message: 'It goes.' }),
  ];
  expect(printPlan({ hostedZones: [hostedZone(changes)], errors: [] }, plainPaint)).toContain(
    '\n4 to create (2 of them where Route 53 already has a record set), 0 to update, 1 to delete, in 1 hosted zone.\n',
  );
});

test('printPlan() says when there is nothing to do', () => {
  expect(printPlan({ hostedZones: [hostedZone([])], errors: [] }, plainPaint)).toBe('Nothing to do.\n');
});

test('printPlan() prints colours, and escapes the text of others', () => {
  const evil = change('create', {
    after: { ttl: 1, values: ['"\u001b]0;owned\u0007"'] },
    objects: ['Record a/b\u009b'],
  });
  const text = printPlan({ hostedZones: [hostedZone([evil])], errors: [] }, colourPaint);
  expect(text).toContain('\u001b[32m');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours
  const bare = text.replaceAll(/\u001b\[\d+m/g, '');
  expect(safeLines(bare)).toBe(bare);
});

test('jsonPlan() has the keys of the contract, in its order', () => {
  const [first] = (JSON.parse(formatJson(jsonPlan(plan))) as { hostedZones: object[] }).hostedZones;
  expect(Object.keys(jsonPlan(plan))).toEqual(['hostedZones', 'problems', 'errors', 'sources']);
  expect(Object.keys(first ?? {})).toEqual('id name zone digest held heldDigest holds reasons changes'.split(' '));
  expect(Object.keys((first as { changes: object[] }).changes[0] ?? {})).toEqual(
    'action name type setIdentifier view before after objects held'.split(' '),
  );
});

test('printPlan() says in its last line how many objects are invalid', () => {
  const resolved = { zones: [], records: [invalid], sources: [] };
  expect(printPlan({ hostedZones: [], errors: [error], resolved }, plainPaint)).toContain(
    'No changes. 1 error; the objects concerned are left unchanged. 1 object with an invalid spec.\n',
  );
});

const dnsRecord: DnsRecordOutput = {
  ...{ namespace: 'shoot--a--b', name: 'api\u009b', operation: 'Reconcile', state: 'Succeeded' },
  ...{ account: 'a'.repeat(64), hostedZone: 'Z1', error: null, message: '' },
  changes: [
    { ...change('create', { after: { ttl: 120, values: ['192.0.2.1'] } }), hostedZone: 'Z1', account: 'a'.repeat(64) },
    { ...change('delete', { before: { ttl: 60, values: ['192.0.2.2'] } }), hostedZone: 'Z0', account: 'b'.repeat(64) },
  ],
};
const refused: DnsRecordOutput = {
  ...{ ...dnsRecord, name: 'no', state: 'Error', account: null, hostedZone: null, changes: [] },
  error: { codes: ['ERR_CONFIGURATION_PROBLEM'], message: 'Error reconciling DNSRecord: no\u001b' },
};

test('printPlan() shows DNSRecords after the Zones, and counts those that are refused', () => {
  const text = printPlan({ hostedZones: [], errors: [], dnsRecords: [dnsRecord, refused] }, plainPaint);
  expect(text).toBe(`DNSRecords
  shoot--a--b/api\\u{9b}: Reconcile, Succeeded, hosted zone Z1, account aaaaaaaaaaaa
+ www.example.org. A
+     ttl 120
+     192.0.2.1
  in hosted zone Z0:
- www.example.org. A
-     ttl 60
-     192.0.2.2
  shoot--a--b/no: Reconcile, Error
! ERR_CONFIGURATION_PROBLEM Error reconciling DNSRecord: no\\u{1b}

No changes of Zones. 2 DNSRecords to serve, 1 refused.
`);
});

test('jsonPlan() has the keys of a DNSRecord, in their order, where DNSRecords are served', () => {
  const json = jsonPlan({ hostedZones: [], errors: [], dnsRecords: [dnsRecord] }) as { dnsRecords: object[] };
  expect(Object.keys(json)).toEqual(['hostedZones', 'problems', 'errors', 'sources', 'dnsRecords']);
  const [first] = json.dnsRecords as { changes: object[] }[];
  expect(Object.keys(first ?? {})).toEqual(
    'namespace name operation state account hostedZone changes error message'.split(' '),
  );
  expect(Object.keys(first?.changes[0] ?? {}).slice(-2)).toEqual(['hostedZone', 'account']);
});

test('what was changed by hand is data in the JSON, and said once in the text', () => {
  const drift = {
    name: 'a.',
    type: 'A',
    setIdentifier: null,
    objects: ['Record default/www'],
    message: 'was changed.',
  };
  const drifts = [{ ...drift, published: null, standing: { ttl: 60, values: ['192.0.2.1'] } }];
  const drifted = {
    ...accepted,
    type: 'Programmed',
    status: 'False',
    reason: 'Drifted',
    message: 'was changed.',
  } as const;
  const records = world.records.slice(0, 1).map((one) => ({ ...one, conditions: [accepted, drifted] }));
  const zone = { ...hostedZone([]), drifts, notes: ['a. A was changed.'] };
  const plan = { errors: [], hostedZones: [zone], resolved: { zones: [], records, sources: [] } };
  expect(JSON.parse(formatJson(jsonPlan(plan)))).toMatchObject({
    hostedZones: [{ drifts }],
    problems: [{ object: 'Record default/www', reason: 'Drifted' }],
  });
  expect(printPlan(plan, plainPaint).match(/was changed/g)).toHaveLength(1);
  expect(printPlan({ ...plan, hostedZones: [{ ...zone, notes: [] }] }, plainPaint)).toContain(
    'Programmed=False, Drifted',
  );
});

test('a create that waits for a held delete is marked and counted as held; a delete that goes is not', () => {
  const changes = [
    change('delete', { name: 'a.', held: true, objects: ['Record a/x'] }),
    change('delete', { name: 'b.', objects: ['Record b/x'] }),
    change('create', { name: 'a.', type: 'CNAME', held: true, objects: ['Record a/y'] }),
    change('create', { name: 'b.', held: true, outcome: 'held', message: 'two sides change it' }),
  ];
  const holds = [{ namespace: 'a', digest: 'd'.repeat(64), reason: 'too many' }];
  const zone = {
    ...hostedZone(changes),
    held: true,
    heldDigest: 'e'.repeat(64),
    holds,
    reasons: ['too many', 'say so'],
  };
  const plan = { errors: [], hostedZones: [zone] };
  const text = printPlan(plan, plainPaint);
  expect(text.split('\n').filter((line) => line.includes('(held by the guard)'))).toEqual([
    '- a. A  (held by the guard)  # Record a/x',
    '+ a. CNAME  (held by the guard)  # Record a/y',
  ]);
  expect(text).toContain('2 to create (1 of them held), 0 to update, 2 to delete (1 of them held), in 1 hosted zone.');
  expect(JSON.parse(formatJson(jsonPlan(plan)))).toMatchObject({
    hostedZones: [
      {
        ...{ held: true, heldDigest: 'e'.repeat(64) },
        holds,
        changes: [{ held: true }, { held: false }, { held: true }, { held: true }],
      },
    ],
  });
});
