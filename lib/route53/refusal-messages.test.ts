// parseRefusal(): texts that Route 53 has been seen to answer, and texts that it has not.
import { describe, expect, test } from 'vitest';
import { accusedIn, factKinds, fullMessage, parseRefusal } from './refusal-messages.ts';

const W = "[name='www.example.com.', type='A']";

test.each([
  {
    text: `Tried to create resource record set ${W} but it already exists`,
    kind: 'exists',
    name: 'www.example.com.',
    type: 'A',
  },
  {
    text: `Tried to delete resource record set ${W} but it was not found`,
    kind: 'absent',
    name: 'www.example.com.',
    type: 'A',
  },
  {
    text: `Tried to delete resource record set ${W} but the values provided do not match the current values`,
    kind: 'differs',
    name: 'www.example.com.',
    type: 'A',
  },
  {
    text: "Tried to create resource record set [name='\\052.example.com.', type='A'] but it already exists",
    kind: 'exists',
    name: '*.example.com.',
    type: 'A',
  },
  {
    text: 'RRSet of type CNAME with DNS name www.example.com. is not permitted as it conflicts with other records with the same DNS name in zone example.com.',
    kind: 'neighbour',
    name: 'www.example.com.',
    type: 'CNAME',
  },
  {
    text: 'RRSet of type TXT with DNS name www.example.com. is not permitted because a conflicting RRSet of type  CNAME with the same DNS name already exists in zone example.com.',
    kind: 'neighbour',
    name: 'www.example.com.',
    type: 'TXT',
  },
  {
    text: 'RRSet of type CNAME with DNS name example.com. is not permitted at apex in zone example.com.',
    kind: 'other',
    name: 'example.com.',
    type: 'CNAME',
  },
  {
    text: 'RRSet with DNS name www.example.org. is not permitted in zone example.com.',
    kind: 'other',
    name: 'www.example.org.',
    type: null,
  },
])('reads "$text"', ({ text, kind, name, type }) => {
  expect(parseRefusal([text])).toMatchObject([{ kind, name, type, setIdentifier: null }]);
  expect(factKinds(parseRefusal([text]), [text])).toEqual(new Set([kind]));
});

test('splitMessages() reads several messages in one bracketed and cut text', () => {
  const one = `Tried to create resource record set ${W} but it already exists`;
  const two =
    "Tried to create resource record set [name='geo.example.com.', type='A', set-identifier='Default'] but it already exists";
  const facts = parseRefusal([`Message was too long, it was truncated. [${one}, ${two}, Tried to create resource rec`]);
  expect(facts.map((fact) => [fact.name, fact.setIdentifier])).toEqual([
    ['www.example.com.', null],
    ['geo.example.com.', 'Default'],
  ]);
});

test.each([
  ['www.example.com', 'null', null],
  ['\\052.example.com.', 'blue', 'blue'],
])('reads which change is invalid input: %s, %s', (written, identifier, setIdentifier) => {
  const text = `Invalid request: Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or TrafficPolicyInstanceId], but found none in Change with [Action=CREATE, Name=${written}, Type=A, SetIdentifier=${identifier}]`;
  const name = setIdentifier === null ? 'www.example.com.' : '*.example.com.';
  expect(parseRefusal([text])).toEqual([{ kind: 'other', name, type: 'A', setIdentifier, message: text }]);
});

test.each([
  'Invalid Resource Record: FATAL problem: CharacterStringTooLong (Value is too long) encountered with \'"v=DKIM1"\'',
  "Duplicate Resource Record: '192.0.2.1'",
  '',
])('reads "%s" as a fault of the content', (text) => {
  expect(parseRefusal([text])).toEqual([]);
  expect(factKinds([], [text])).toEqual(new Set(['other']));
});

/** A change that creates a record set with this value. */
const adds = (value: string) => ({
  name: 'full.example.com.',
  type: 'TXT',
  setIdentifier: null,
  before: null,
  after: { kind: 'values' as const, ttlSeconds: 300, values: [value] },
});

test.each([
  'LimitsExceeded: The limit has been reached.',
  'Exceeded limit on number of RRSets in this zone.',
  'Number of records limit of 10000 exceeded.',
  'Number of records limit of 10,000 exceeded.',
  'The maximum number of resource record sets for hosted zone Z1 has been reached.',
  'The maximum number of records in zone example.com. would be exceeded.',
  'Cannot have more than 10000 resource record sets in a hosted zone.',
  'Too many resource record sets in hosted zone Z1.',
  'Hosted zone Z1 has reached its quota of 10000 records.',
  'MAX_RRSETS_BY_ZONE: 10000',
])('fullMessage() reads "%s" as a full hosted zone', (text) => {
  const other = 'RRSet with DNS name www.example.org. is not permitted in zone example.com.';
  expect(fullMessage([text], [adds('"x"')])).toBe(text);
  expect(fullMessage([other, text], [adds('"x"')])).toBe(text);
});

test.each([
  'Number of records limit of 1000 exceeded.',
  'RDATA character limit of 32000 exceeded.',
  'Cannot have more than 400 records in a RRSet.',
  'Exceeded limit on number of weighted RRSets for www.example.com., type A in this zone.',
  "Tried to create resource record set [name='limit.of.records.in.this.zone.', type='A'] but it already exists",
  'Tried to create an alias that targets too-many.records.zone., type A in zone Z1, but that target was not found',
  'RRSet with DNS name quota.records.exceeded. is not permitted in zone exceeded.',
  "Invalid Resource Record: FATAL problem: X encountered with 'LimitsExceeded in this hosted zone of records'",
])('fullMessage() reads "%s" as something else', (text) => {
  expect(fullMessage([text], [adds('"x"')])).toBeNull();
});

test('fullMessage() does not trust words that may come from a value of the batch', () => {
  expect(fullMessage(['LimitsExceeded: why'], [adds('"exceeded"')])).toBeNull();
});

describe('accusedIn() finds the aliases whose target a message names', () => {
  const alias = (name: string, dnsName: string, type = 'A', hostedZoneId = 'Z1') => ({
    ...{ name, type, setIdentifier: null, before: null },
    after: { kind: 'alias' as const, alias: { dnsName, hostedZoneId, evaluateTargetHealth: true } },
  });
  const sent = [
    adds('"x"'),
    alias('a.example.com.', 'gone.example.com.'),
    alias('b.example.com.', 'gone.example.com.'),
    alias('c.example.com.', 'gone.example.com.', 'AAAA'),
    alias('d.example.com.', 'gone.example.com.', 'A', 'Z2'),
    alias('e.example.com.', '*.example.com.'),
  ];
  const of = (target: string, but: string) =>
    `Tried to create an alias that targets ${target}, type A in zone Z1, but ${but}`;
  test.each([
    ['gone.example.com.', ['a', 'b']],
    ['\\052.example.com.', ['e']],
    ['gone.example.com', ['a', 'b']],
    ['other.example.com.', []],
  ])('%s', (target, names) => {
    for (const but of [
      'that target was not found',
      'the alias target name does not lie within the target zone',
      'EvaluateTargetHealth must be false for a CloudFront distribution',
    ]) {
      const message = of(target, but);
      const facts = accusedIn([message], sent);
      expect(facts.map(({ name }) => name.split('.')[0])).toEqual(names);
      expect(facts.map(({ kind, message: said }) => [kind, said])).toEqual(names.map(() => ['other', message]));
    }
  });
});

test('accusedIn() accuses no alias whose target the same batch changes', () => {
  const alias = (name: string, dnsName: string) => ({
    ...{ name, type: 'A', setIdentifier: null, before: null },
    after: { kind: 'alias' as const, alias: { dnsName, hostedZoneId: 'Z1', evaluateTargetHealth: true } },
  });
  const but = (target: string) =>
    `Tried to create an alias that targets ${target}, type A in zone Z1, but that target was not found`;
  const sent = [alias('a.example.com.', 'b.example.com.'), alias('b.example.com.', 'gone.example.com.')];
  const facts = accusedIn([but('b.example.com.'), but('gone.example.com.')], sent);
  expect(facts.map(({ name }) => name)).toEqual(['b.example.com.']);
});

describe('accusedIn() finds the record sets whose value a message quotes', () => {
  const a = (name: string, ...values: string[]) => ({
    ...{ name: `${name}.example.com.`, type: 'A', setIdentifier: null, before: null },
    after: { kind: 'values' as const, ttlSeconds: 300, values },
  });
  const mx = { ...a('m', '10 mail.example.net.'), type: 'MX' };
  const namesIn = (message: string, sent: readonly Parameters<typeof accusedIn>[1][number][]) =>
    accusedIn([message], sent).map(({ name }) => name.split('.')[0]);
  const invalid = (value: string) => `Invalid Resource Record: FATAL problem: X (why) encountered with '${value}'`;
  test('accuses all record sets that have an invalid value', () => {
    const sent = [a('x', '192.0.2.1'), a('y', '192.0.2.1', '192.0.2.2'), a('z', '192.0.2.3'), mx];
    expect(namesIn(invalid('192.0.2.1'), sent)).toEqual(['x', 'y']);
    expect(namesIn(invalid('10 mail.example.net.'), sent)).toEqual(['m']);
    expect(namesIn(invalid('192.0.2.9'), sent)).toEqual([]);
  });
  test('with other words, accuses a record set only if no other has the value', () => {
    const sent = [a('x', '192.0.2.1'), a('y', '192.0.2.1'), a('z', '192.0.2.3'), adds('"it\'s"')];
    expect(namesIn("Duplicate Resource Record: '192.0.2.3'", sent)).toEqual(['z']);
    expect(namesIn("Duplicate Resource Record: '192.0.2.1'", sent)).toEqual([]);
    expect(namesIn("No such value '\"it's\"' is taken.", sent)).toEqual(['full']);
  });
  test('accuses no record set when the quoted value is the name of another', () => {
    const cname = { ...a('c', 'www.example.com.'), type: 'CNAME' };
    const taken = "Tried to create resource record set [name='www.example.com.', type='A'] but it already exists";
    expect(namesIn(taken, [a('www', '192.0.2.1'), cname])).toEqual(['www']);
  });
  test('accuses all record sets whose health check a message names', () => {
    const checked = (name: string, healthCheckId: string | null) => {
      const { after, ...one } = a(name, '192.0.2.1');
      const routing = { policy: { kind: 'weight' as const, weight: 1 }, healthCheckId };
      return { ...one, setIdentifier: name, after: { ...after, routing } };
    };
    const [one, two] = ['11111111-89ab-cdef-0123-456789abcdef', '22222222-89ab-cdef-0123-456789abcdef'];
    const sent = [checked('x', one), checked('y', two), checked('z', null), checked('w', two), checked('v', 'check')];
    const gone = `No health check exists with the specified ID: ${two}.`;
    expect(namesIn(gone, sent)).toEqual(['y', 'w']);
    expect(namesIn('No health check exists with the specified ID.', sent)).toEqual([]);
    expect(namesIn(`No record has the ID ${one}.`, sent)).toEqual([]);
    expect(namesIn(gone, [...sent, adds(`"health check ${two}"`)])).toEqual([]);
    const key = 'shop/{"protocol":"TCP","host":"a.example.net","port":22}';
    const refused = `Health check ${key} was not created: TooManyHealthChecks: the maximum of the zone's records`;
    expect(namesIn(refused, [...sent, checked('made', key)])).toEqual(['made']);
    expect(fullMessage([refused], [checked('made', key)])).toBe(null);
    // Its texts are its author's, who must not accuse others.
    const evil = key.replace(
      '}',
      `,"searchString":"Tried to create resource record set [name='x', type='A'] but it already exists"}`,
    );
    expect(namesIn(`Health check ${evil} was not created`, [...sent, checked('evil', evil)])).toEqual([]);
  });
});
