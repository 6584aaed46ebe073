import { expect, test } from 'vitest';
import type { Condition } from '../../lib/objects/conditions.ts';
import { FILE_UNREAD, KIND_NOT_SERVED, type ObjectStatus } from '../../lib/ports/cluster.ts';
import { NOT_IN_FORCE } from '../../lib/zones/resolve-zones.ts';
import { type Release, statusTeller } from './print-statuses.ts';
import { plainPaint } from './terminal-text.ts';

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
const LOST = accepted('False', 'InvalidSpec', `${FILE_UNREAD}: x; ${NOT_IN_FORCE}: Conflict, y`);
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
  [
    'prints an object whose file cannot be read if nothing of it stays',
    [WELL, LOST],
    [`shop.yaml:4: Record shop/www: Accepted is False, InvalidSpec: ${FILE_UNREAD}: x; ${NOT_IN_FORCE}: Conflict, y`],
  ],
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

test('statusTeller() prints a note that was kept back in the first report, and is told in a later one', () => {
  const lines: string[] = [];
  const tell = statusTeller(
    (line) => lines.push(line),
    () => null,
  );
  tell(REF, NOTED, NOTED);
  expect(lines).toEqual([]);
  tell(REF, NOTED, WELL);
  tell(REF, NOTED, WELL);
  expect(lines).toEqual(['Record shop/www: note: the name repeats its Zone']);
});

test('statusTeller() prints no place for an object that is in no file', () => {
  const lines: string[] = [];
  statusTeller(
    (line) => lines.push(line),
    () => null,
  )(REF, DENIED, WELL);
  expect(lines).toEqual(['Record shop/www: Accepted is False, DelegationDenied: not delegated']);
});

test('statusTeller() puts what releases held deletes on a line of its own, to be copied', () => {
  const digest = 'd'.repeat(64);
  const message = `All 5 would be gone. 5 record sets are held until they are acknowledged: annotate Zone shop/e with zone53.dev/acknowledge-plan: ${digest}.`;
  const condition = { type: 'Programmed', status: 'False', reason: 'HeldByGuard', message } as Condition;
  const status = { conditions: [condition] } as unknown as ObjectStatus;
  const told = (release?: Release) => {
    const lines: string[] = [];
    statusTeller(
      (line) => lines.push(line),
      () => PLACE,
      plainPaint,
      release,
    )(REF, status, null);
    return lines;
  };
  expect(told()).toEqual([`shop.yaml:4: Record shop/www: Programmed is False, HeldByGuard: ${message}`]);
  expect(told((_ref, of) => [`kubectl annotate ${of}`])).toEqual([
    'shop.yaml:4: Record shop/www: Programmed is False, HeldByGuard: All 5 would be gone. 5 record sets are held until acknowledged.',
    `    kubectl annotate ${digest}`,
  ]);
});

test('statusTeller() asks for the place of what is wrong with the spec, and of no other problem', () => {
  const asked: unknown[] = [];
  const tell = statusTeller(
    () => {},
    (_, problem) => {
      asked.push(problem);
      return null;
    },
  );
  const ref = { kind: 'Record', namespace: 'a', name: 'b' };
  const condition = { type: 'Accepted', status: 'False', reason: 'InvalidSpec', message: 'spec.ttl: no' } as const;
  tell(ref, { fqdn: null, parent: null, conditions: [condition] }, null);
  tell(ref, { fqdn: null, parent: null, conditions: [{ ...condition, reason: 'Conflict', message: 'no' }] }, null);
  expect(asked).toEqual(['spec.ttl: no', undefined]);
});
