import { expect, test } from 'vitest';
import type { Condition } from '../../lib/objects/conditions.ts';
import { FILE_UNREAD, KIND_NOT_SERVED, type ObjectStatus } from '../../lib/ports/cluster.ts';
import { statusTeller } from './print-statuses.ts';

const PLACE = { file: 'shop.yaml', line: 4 };
const REF = { kind: 'Record', namespace: 'shop', name: 'www' };

function accepted(status: 'True' | 'False', reason: string, message: string): ObjectStatus {
  const condition: Condition = { type: 'Accepted', status, reason, message, observedGeneration: 1 } as Condition;
  return { conditions: [condition] } as unknown as ObjectStatus;
}

/** The lines that come of reporting these, one after the other. */
function linesOf(...statuses: readonly ObjectStatus[]): readonly string[] {
  const lines: string[] = [];
  const tell = statusTeller(
    (line) => lines.push(line),
    () => PLACE,
  );
  statuses.forEach((status, index) => {
    tell(REF, status, index === 0 ? null : (statuses[index - 1] ?? null));
  });
  return lines;
}

const WELL = accepted('True', 'Adopted', 'Adopted by Zone shop/e.');
const DENIED = accepted('False', 'DelegationDenied', 'not delegated');
const NOTED = accepted('True', 'Adopted', 'Adopted by Zone shop/e.; note: the name repeats its Zone');
const UNSERVED = accepted(
  'False',
  'InvalidSpec',
  `DNSEndpoint (externaldns.k8s.io) ${KIND_NOT_SERVED}: install its CRD`,
);
const UNREAD = accepted('False', 'InvalidSpec', `${FILE_UNREAD}: Cannot read "a.yaml"`);

test.each<[string, readonly ObjectStatus[], readonly string[]]>([
  [
    'prints a problem once',
    [DENIED, DENIED],
    ['shop.yaml:4: Record shop/www: Accepted is False, DelegationDenied: not delegated'],
  ],
  [
    'prints when a problem is over',
    [DENIED, WELL, WELL],
    [
      'shop.yaml:4: Record shop/www: Accepted is False, DelegationDenied: not delegated',
      'Record shop/www: Accepted is True again',
    ],
  ],
  [
    'prints a note once, and nothing when it is removed',
    [NOTED, NOTED, WELL],
    ['shop.yaml:4: Record shop/www: note: the name repeats its Zone'],
  ],
  ['prints nothing about an object whose file cannot be read, because the file is reported', [WELL, UNREAD, WELL], []],
  ['prints nothing about an object whose kind is not served, because the kind is reported', [WELL, UNSERVED, WELL], []],
  ['prints nothing about a status that does not exist yet', [accepted('False', 'Pending', 'x')], []],
])('statusTeller() %s', (_, statuses, lines) => {
  expect(linesOf(...statuses)).toEqual(lines);
});

test('statusTeller() prints nothing about a problem that the object showed before', () => {
  const lines: string[] = [];
  statusTeller(
    (line) => lines.push(line),
    () => PLACE,
  )(REF, DENIED, DENIED);
  expect(lines).toEqual([]);
});

test('statusTeller() prints no place for an object that is in no file', () => {
  const lines: string[] = [];
  statusTeller(
    (line) => lines.push(line),
    () => null,
  )(REF, DENIED, WELL);
  expect(lines).toEqual(['Record shop/www: Accepted is False, DelegationDenied: not delegated']);
});
