// parseRefusal(): the texts that Route 53 was seen to answer with, and those that it was not.
import { expect, test } from 'vitest';
import { factKinds, parseRefusal } from './refusal-messages.ts';

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
