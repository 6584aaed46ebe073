import { expect, test } from 'vitest';
import type { Condition } from '../../lib/objects/conditions.ts';
import { exitOfApply, exitOfPlan, exitOfRender, type Wanted } from './exit-code.ts';
import type {
  AppliedChangeOutput,
  ApplyOutput,
  ChangeOutput,
  HostedZoneOutput,
  Outcome,
  PlanOutput,
  RemarkOutput,
  WorldOutput,
} from './output.ts';
import { jsonApply, printApply } from './print-apply.ts';
import { printErrors, printRemarks } from './print-errors.ts';
import { jsonPlan, printPlan } from './print-plan.ts';
import { jsonWorld, printConditions, printRender, printZoneFiles } from './print-render.ts';
import { colourPaint, plainPaint, safeLines } from './terminal-text.ts';

const accepted: Condition = {
  type: 'Accepted',
  status: 'True',
  reason: 'Adopted',
  message: 'adopted',
  observedGeneration: 3,
};
const denied: Condition = {
  type: 'Accepted',
  status: 'False',
  reason: 'DelegationDenied',
  message: 'no rule\u001b[2J',
};
const programmed = (reason: Condition['reason']): Condition => ({
  type: 'Programmed',
  status: 'False',
  reason,
  message: 'm',
});

const world: WorldOutput = {
  zones: [
    {
      namespace: 'default',
      name: 'example',
      fqdn: 'example.org.',
      parent: null,
      hash: `v1:${'a'.repeat(64)}`,
      serial: 2026112100,
      entries: [
        {
          fqdn: 'example.org.',
          type: 'SOA',
          class: 'IN',
          ttl: 360,
          rdata: 'ns.example.org. noc.example.org. 2026112100 86400 7200 3600000 360',
        },
        { fqdn: 'www.example.org.', type: 'TXT', class: 'IN', ttl: 60, rdata: '"a\u001b[31m"' },
      ],
      conditions: [{ ...accepted, reason: 'Root' }],
    },
  ],
  records: [
    { namespace: 'default', name: 'www', fqdn: 'www.example.org.', parent: 'default/example', conditions: [accepted] },
    { namespace: 'team', name: 'x', fqdn: 'x.example.org.', parent: null, conditions: [denied] },
  ],
  errors: [{ file: 'dns/a.yaml', line: 3, column: 7, message: 'Cannot parse YAML: x' }],
};

test('printRender() shows entries, then what is not True with its reason, then a summary', () => {
  expect(printRender(world, plainPaint)).toBe(`example.org.  Zone default/example, root, serial 2026112100
  v1:${'a'.repeat(64)}
  example.org.      360  IN  SOA  ns.example.org. noc.example.org. 2026112100 86400 7200 3600000 360
  www.example.org.  60   IN  TXT  "a\\u{1b}[31m"

✗ Record team/x (x.example.org.): Accepted=False, DelegationDenied
    no rule\\u{1b}[2J

1 of 1 Zone live, 1 of 2 Records adopted, 1 error
`);
});

test('jsonWorld() has the keys of the contract, in its order, and no others', () => {
  expect(JSON.stringify(jsonWorld(world))).toBe(
    JSON.stringify({
      zones: [
        {
          namespace: 'default',
          name: 'example',
          fqdn: 'example.org.',
          parent: null,
          hash: `v1:${'a'.repeat(64)}`,
          serial: 2026112100,
          entries: world.zones[0]?.entries.map(({ fqdn, type, class: c, ttl, rdata }) => ({
            fqdn,
            type,
            class: c,
            ttl,
            rdata,
          })),
          conditions: [{ type: 'Accepted', status: 'True', reason: 'Root', message: 'adopted' }],
        },
      ],
      records: [
        {
          namespace: 'default',
          name: 'www',
          fqdn: 'www.example.org.',
          parent: 'default/example',
          conditions: [{ type: 'Accepted', status: 'True', reason: 'Adopted', message: 'adopted' }],
        },
        { namespace: 'team', name: 'x', fqdn: 'x.example.org.', parent: null, conditions: [denied] },
      ],
      errors: [{ file: 'dns/a.yaml', line: 3, message: 'Cannot parse YAML: x (column 7)' }],
    }),
  );
});

test('printErrors() writes file:line:column as editors know it', () => {
  expect(printErrors([...world.errors, { file: '-', line: 2, message: 'b' }], plainPaint)).toBe(
    'error dns/a.yaml:3:7: Cannot parse YAML: x\nerror standard input:2: b\n',
  );
});

test('printZoneFiles() names each live Zone and leaves out those that are not', () => {
  const zone = world.zones[0];
  if (zone === undefined) throw new Error('no zone');
  const dead = { ...zone, name: 'dead', fqdn: 'dead.org.', entries: [], hash: null, serial: null };
  const text = printZoneFiles({ ...world, zones: [zone, dead] });
  expect(text).toContain('; Zone default/example\n');
  expect(text).toContain('SOA');
  expect(text).not.toContain('dead');
});

const change = (action: ChangeOutput['action'], parts: Partial<ChangeOutput> = {}): ChangeOutput => ({
  action,
  name: 'www.example.org.',
  type: 'A',
  setIdentifier: null,
  before: action === 'create' ? null : { ttl: 300, values: ['192.0.2.1', '192.0.2.2'] },
  after: action === 'delete' ? null : { ttl: 60, values: ['192.0.2.2', '192.0.2.3'] },
  objects: ['Record default/www'],
  ...parts,
});

const hostedZone = <Of extends ChangeOutput>(changes: readonly Of[], held = false): HostedZoneOutput<Of> => ({
  id: 'Z1',
  name: 'example.org.',
  zone: 'default/example',
  digest: 'd'.repeat(64),
  held,
  reasons: held ? ['3 of 4 record sets would be deleted.'] : [],
  changes,
});

const plan: PlanOutput = {
  hostedZones: [
    hostedZone(
      [
        change('create', { name: 'new.example.org.', setIdentifier: 'blue' }),
        change('update'),
        change('delete', { name: 'old.example.org.' }),
        change('create', {
          name: 'alias.example.org.',
          after: { alias: { hostedZoneId: 'Z2', dnsName: 'lb.example.com.', evaluateTargetHealth: true } },
          objects: [],
        }),
      ],
      true,
    ),
    hostedZone([]),
  ],
  errors: [],
};

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

test('printPlan() says when there is nothing to do', () => {
  expect(printPlan({ hostedZones: [hostedZone([])], errors: [] }, plainPaint)).toBe('Nothing to do.\n');
});

test('printPlan() paints, and what is not ours stays harmless', () => {
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
  const [first] = (jsonPlan(plan) as { hostedZones: object[] }).hostedZones;
  expect(Object.keys(jsonPlan(plan))).toEqual(['hostedZones', 'errors']);
  expect(Object.keys(first ?? {})).toEqual(['id', 'name', 'zone', 'digest', 'held', 'reasons', 'changes']);
  expect(Object.keys((first as { changes: object[] }).changes[0] ?? {})).toEqual(
    'action name type setIdentifier before after objects'.split(' '),
  );
});

const applied = (outcomes: readonly Outcome[], parts: Partial<ApplyOutput> = {}): ApplyOutput => ({
  hostedZones: [
    hostedZone(
      outcomes.map(
        (outcome): AppliedChangeOutput => ({
          ...change('create'),
          outcome,
          message: outcome === 'published' ? '' : 'why',
        }),
      ),
    ),
  ],
  zones: [],
  records: [],
  errors: [],
  ...parts,
});

test('printApply() says what became of each change', () => {
  expect(
    printApply(applied(['published', 'foreign']), plainPaint),
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

test('printApply() says once why the guard holds, and nothing of what went well', () => {
  const [zone] = applied(['held', 'published']).hostedZones;
  if (zone === undefined) throw new Error('no hosted zone');
  const reasons = ['3 of 4 record sets would be deleted.', 'Acknowledge it.'];
  const message = (outcome: Outcome) => (outcome === 'held' ? reasons.join(' ') : 'Published.');
  const changes = zone.changes.map((one) => ({ ...one, message: message(one.outcome) }));
  const text = printApply({ ...applied([]), hostedZones: [{ ...zone, held: true, reasons, changes }] }, plainPaint);
  expect(text.split('\n').filter((line) => line.startsWith('      '))).toEqual(['      held', '      published']);
  expect(text).toContain('! 3 of 4 record sets would be deleted.\n! Acknowledge it.\n');
});

test('jsonApply() adds outcome and message to each change, and zones and records', () => {
  const json = jsonApply(applied(['held'])) as { hostedZones: { changes: object[] }[] };
  expect(Object.keys(json)).toEqual(['hostedZones', 'errors', 'zones', 'records']);
  expect(json.hostedZones[0]?.changes[0]).toMatchObject({ outcome: 'held', message: 'why' });
});

const record = (...conditions: Condition[]) => ({ namespace: 'a', name: 'b', fqdn: null, parent: null, conditions });
const error = { file: 'a', line: 1, message: 'b' };
const bare: WorldOutput = { zones: [], records: [], errors: [] };

test.each<[string, WorldOutput, boolean, number]>([
  ['all well', { ...bare, records: [record(accepted)] }, true, 0],
  ['errors', { ...bare, errors: [error] }, false, 1],
  ['an object that is not accepted', { ...bare, records: [record(denied)] }, false, 0],
  ['an object that is not accepted, strictly', { ...bare, records: [record(denied)] }, true, 1],
])('exitOfRender() for %s', (_, output, strict, expected) => {
  expect(exitOfRender(output, strict)).toBe(expected);
});

test.each<[string, PlanOutput, boolean, number]>([
  ['nothing to do', { hostedZones: [hostedZone([])], errors: [] }, true, 0],
  ['changes', { hostedZones: [hostedZone([change('create')])], errors: [] }, false, 0],
  ['changes, in detail', { hostedZones: [hostedZone([change('create')])], errors: [] }, true, 2],
  ['a guard that holds', plan, true, 3],
  ['errors, before all else', { ...plan, errors: [error] }, true, 1],
])('exitOfPlan() for %s', (_, output, detailed, expected) => {
  expect(exitOfPlan(output, detailed, 'valid')).toBe(expected);
});

const apexNs = { fqdn: 'example.org.', type: 'NS', class: 'IN', ttl: 360, rdata: 'ns1.example.net.' };
const ownNameServers: Partial<WorldOutput> = {
  zones: [{ ...record(accepted), fqdn: 'example.org.', hash: 'v1:0', serial: 2026112100, entries: [apexNs] }],
  records: [{ ...record(accepted, programmed('ForeignRecord')), fqdn: 'example.org.', parent: 'a/b' }],
};

test.each<[string, ApplyOutput, number]>([
  ['nothing to do', applied([]), 0],
  ['everything published', applied(['published', 'published']), 0],
  ['only the guard in the way', applied(['published', 'held']), 3],
  ['a foreign record', applied(['published', 'foreign', 'held']), 1],
  ['a drifted record', applied(['drifted']), 1],
  ['a rejected record', applied(['rejected']), 1],
  ['a failed call', applied(['failed']), 1],
  ['errors', applied(['published'], { errors: [error] }), 1],
  ['a foreign record of an earlier run', applied([], { records: [record(accepted, programmed('ForeignRecord'))] }), 1],
  ['the NS set of a root, which is left alone', applied([], ownNameServers), 0],
  ['no hosted zone', applied([], { records: [record(accepted, programmed('HostedZoneNotFound'))] }), 1],
  ['a type that Route 53 has not', applied([], { records: [record(accepted, programmed('UnsupportedType'))] }), 0],
  ['what a cut hides', applied([], { records: [record(accepted, programmed('Occluded'))] }), 0],
  ['what the guard held before', applied([], { records: [record(accepted, programmed('HeldByGuard'))] }), 3],
  ['an object that nobody adopts', applied([], { records: [record(denied)] }), 0],
])('exitOfApply() for %s', (_, output, expected) => {
  expect(exitOfApply(output, 'valid')).toBe(expected);
});

const invalid = record({ ...denied, reason: 'InvalidSpec' });

test.each<[string, typeof invalid, Wanted, number]>([
  ['an invalid object of a file', invalid, 'valid', 1],
  ['an object of a file that is refused for another reason', record(denied), 'valid', 0],
  ['the same, strictly', record(denied), 'accepted', 1],
  ['an accepted object, strictly', record(accepted), 'accepted', 0],
  ['an invalid object of a cluster', invalid, 'any', 0],
  ['an invalid object of a cluster, strictly', invalid, 'accepted', 1],
])('exitOfPlan() and exitOfApply() for %s', (_, object, wanted, expected) => {
  const world = { zones: [], records: [object] };
  expect(exitOfPlan({ hostedZones: [], errors: [], world }, true, wanted)).toBe(expected);
  expect(exitOfApply(applied([], { records: [object] }), wanted)).toBe(expected);
});

test('an invalid object outweighs the guard: exit code 3 means that the guard alone stands in the way', () => {
  expect(exitOfPlan({ ...plan, world: { zones: [], records: [invalid] } }, true, 'valid')).toBe(1);
  expect(exitOfApply(applied(['held'], { records: [invalid] }), 'valid')).toBe(1);
});

test('printConditions() names the file and line of a rejected object', () => {
  const origin = { file: 'dns/a.yaml', line: 7 };
  expect(printConditions({ zones: [], records: [{ ...invalid, origin }] }, plainPaint)).toBe(
    '✗ dns/a.yaml:7: Record a/b: Accepted=False, InvalidSpec\n    no rule\\u{1b}[2J\n',
  );
});

test('printConditions() says once what several objects say, and counts those beyond the first', () => {
  const named = (count: number) => Array.from({ length: count }, (_, n) => ({ ...invalid, name: `r${n}` }));
  expect(printConditions({ zones: [], records: named(2) }, plainPaint)).toBe(
    `✗ Record a/r0: Accepted=False, InvalidSpec
✗ Record a/r1: Accepted=False, InvalidSpec
    no rule\\u{1b}[2J
`,
  );
  const many = printConditions({ zones: [], records: named(500) }, plainPaint);
  expect(many.split('\n')).toHaveLength(6);
  expect(many).toContain('✗ 497 more objects\n    no rule');
});

test('printPlan() says in its last line how many objects are invalid', () => {
  const world = { zones: [], records: [invalid] };
  expect(printPlan({ hostedZones: [], errors: [error], world }, plainPaint)).toContain(
    'No changes. 1 error; the objects concerned are left unchanged. 1 object with an invalid spec.\n',
  );
});

const remark = (file: string, level: 'warning' | 'note' = 'note'): RemarkOutput => ({
  level,
  file,
  line: 1,
  message: 'm',
});

test('printRemarks() gives warnings first, few notes a line each, many one line with a count', () => {
  const few = [remark('a'), remark('b', 'warning'), remark('c')];
  expect(printRemarks(few, plainPaint)).toBe('warning b:1: m\nnote a:1: m\nnote c:1: m\n');
  const many = Array.from({ length: 400 }, (_, n) => remark(`f${n}`));
  expect(printRemarks(many, plainPaint)).toBe('note 400 files have no Zone or Record: f0, f1, f2 and 397 more\n');
  expect(printRemarks([], plainPaint)).toBe('');
});

test('a path that cannot be read has no line, save in JSON, whose contract has one', () => {
  const unread = { file: 'x', line: 0, message: 'Cannot read "x": permission denied' };
  expect(printErrors([unread], plainPaint)).toBe('error Cannot read "x": permission denied\n');
  expect(jsonWorld({ ...bare, errors: [unread] })).toEqual({
    zones: [],
    records: [],
    errors: [{ ...unread, line: 1 }],
  });
});
