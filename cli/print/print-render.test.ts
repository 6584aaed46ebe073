import { expect, test } from 'vitest';
import { denied, invalid, world } from '../../test/support/output-samples.ts';
import { jsonCluster, printConditions, printRender, printZoneFiles } from './print-render.ts';
import { plainPaint } from './terminal-text.ts';

test('printRender() shows entries, then what is not True with its reason, then a summary', () => {
  expect(printRender(world, plainPaint)).toBe(`example.org.  Zone default/example, root, serial 2026112100
  v1:${'a'.repeat(64)}
  example.org.      360  IN  SOA  ns.example.org. noc.example.org. 2026112100 86400 7200 3600000 360
  www.example.org.  60   IN  TXT  "a\\u{1b}[31m"

In Route 53, the first two names in an SOA are those of the hosted zone.

✗ Record team/x (x.example.org.): Accepted=False, DelegationDenied
    no rule\\u{1b}[2J

1 Zone, 2 Records: 1 not accepted, 1 error
`);
});

test('jsonCluster() has the keys of the contract, in its order, and no others', () => {
  expect(JSON.stringify(jsonCluster(world))).toBe(
    JSON.stringify({
      zones: [
        {
          namespace: 'default',
          name: 'example',
          fqdn: 'example.org.',
          view: 'public',
          parent: null,
          hash: `v1:${'a'.repeat(64)}`,
          serial: 2026112100,
          entries: world.zones[0]?.entries.map(({ fqdn, type, class: c, ttl, ...content }) => ({
            fqdn,
            type,
            class: c,
            ttl,
            ...content,
          })),
          conditions: [{ type: 'Accepted', status: 'True', reason: 'Root', message: 'adopted' }],
        },
      ],
      records: [
        {
          namespace: 'default',
          name: 'www',
          fqdn: 'www.example.org.',
          view: 'public',
          parent: 'default/example',
          conditions: [{ type: 'Accepted', status: 'True', reason: 'Adopted', message: 'adopted' }],
        },
        { namespace: 'team', name: 'x', fqdn: 'x.example.org.', view: 'public', parent: null, conditions: [denied] },
      ],
      sources: [],
      problems: [{ object: 'Record team/x', file: null, line: null, reason: denied.reason, message: denied.message }],
      errors: [{ file: 'dns/a.yaml', line: 3, message: 'Cannot parse YAML: x (column 7)' }],
    }),
  );
});

test('printRender() counts the objects that wait, and says for what', () => {
  const of = (n: number) => ({ kind: 'Service', namespace: 'a', name: `s${n}`, fqdn: `s${n}.e.`, why: 'no address' });
  const printed = (count: number) =>
    printRender(
      { ...world, zones: [], records: [], errors: [], waiting: Array.from({ length: count }, (_, n) => of(n)) },
      plainPaint,
    );
  expect(printed(1)).toBe(`Service a/s0 waits for s0.e.: no address
0 Zones, 0 Records: 1 object waits
`);
  expect(printed(9)).toBe(`Service a/s0 waits for s0.e.: no address
Service a/s1 waits for s1.e.: no address
Service a/s2 waits for s2.e.: no address
6 more names wait (-o json has them)
0 Zones, 0 Records: 9 objects wait
`);
});

test('printZoneFiles() names each live Zone and leaves out those that are not', () => {
  const zone = world.zones[0];
  if (zone === undefined) throw new Error('no zone');
  const dead = { ...zone, name: 'dead', fqdn: 'dead.org.', entries: [], hash: null, serial: null };
  const text = printZoneFiles({ ...world, zones: [zone, dead] });
  expect(text).toContain(
    '; Zone default/example\n; In Route 53, the first two names in an SOA are those of the hosted zone.\n',
  );
  expect(text).toContain('SOA');
  expect(text).not.toContain('dead');
});

test('printConditions() names the file and line of a rejected object', () => {
  const origin = { file: 'dns/a.yaml', line: 7 };
  expect(printConditions({ zones: [], sources: [], records: [{ ...invalid, origin }] }, plainPaint)).toBe(
    '✗ dns/a.yaml:7: Record a/b: Accepted=False, InvalidSpec\n    no rule\\u{1b}[2J\n',
  );
});

test('printConditions() shows the note on an object that is accepted, and nothing of one without', () => {
  const accepted = (message: string) => {
    const conditions = [{ type: 'Accepted', status: 'True', reason: 'Adopted', message } as const];
    return { namespace: 'a', name: 'r', fqdn: 'a.e.e.', parent: 'a/e', conditions };
  };
  const records = [accepted('adopted by Zone a/e (e.)'), accepted('adopted by Zone a/e (e.); note: look again')];
  expect(printConditions({ zones: [], sources: [], records }, plainPaint)).toBe(
    '! Record a/r (a.e.e.): Accepted=True, Adopted\n    look again\n',
  );
});

test('printConditions() prints an equal message once, with the number of further objects', () => {
  const named = (count: number) => Array.from({ length: count }, (_, n) => ({ ...invalid, name: `r${n}` }));
  expect(printConditions({ zones: [], sources: [], records: named(2) }, plainPaint)).toBe(
    `✗ Record a/r0: Accepted=False, InvalidSpec
✗ Record a/r1: Accepted=False, InvalidSpec
    no rule\\u{1b}[2J
`,
  );
  const many = printConditions({ zones: [], sources: [], records: named(500) }, plainPaint);
  expect(many.split('\n')).toHaveLength(6);
  expect(many).toContain('✗ 497 more objects\n    no rule');
});

test('printConditions() notes a Zone that is hosted elsewhere in one line, because that is no failure', () => {
  const conditions = [
    { type: 'Accepted', status: 'True', reason: 'Adopted', message: '' },
    { type: 'Programmed', status: 'False', reason: 'HostedElsewhere', message: 'Zone c/partner declares its own.' },
  ] as const;
  const zone = {
    namespace: 'c',
    name: 'partner',
    fqdn: 'partner.e.',
    parent: 'p/e',
    hash: null,
    serial: null,
    entries: [],
  };
  expect(printConditions({ zones: [{ ...zone, conditions }], records: [], sources: [] }, plainPaint)).toBe(
    'note: partner.e. (Zone c/partner) is served by its own name servers; only its NS and glue are published\n',
  );
});
