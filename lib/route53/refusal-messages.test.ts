// parseRefusal(): the texts that Route 53 was seen to answer with, and those that it was not.
import { expect, test } from 'vitest';
import { factKinds, fullMessage, parseRefusal } from './refusal-messages.ts';

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

test('reads several in one bracketed and truncated text', () => {
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
  'Invalid Resource Record: FATAL problem: CharacterStringTooLong (Value is too long) encountered with \'"v=DKIM1"\'',
  "Duplicate Resource Record: '192.0.2.1'",
  '',
])('takes "%s" for a fault of the content', (text) => {
  expect(parseRefusal([text])).toEqual([]);
  expect(factKinds([], [text])).toEqual(new Set(['other']));
});

/** A change that adds a record set with this value. */
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
])('fullMessage() takes "%s" for a hosted zone that is full', (text) => {
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
])('fullMessage() takes "%s" for something else', (text) => {
  expect(fullMessage([text], [adds('"x"')])).toBeNull();
});

test('fullMessage() does not believe words that a value of the batch may have brought', () => {
  expect(fullMessage(['LimitsExceeded: why'], [adds('"exceeded"')])).toBeNull();
});
