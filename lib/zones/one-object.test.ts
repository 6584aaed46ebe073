// Several endpoints of one object, as a source makes them of one load balancer or of one list.
import { describe, expect, test } from 'vitest';
import { hostingsOf, worldOf, zoneOf } from '../../test/support/declared.ts';
import type { Endpoint } from '../objects/endpoint.ts';
import type { DeclaredObject } from './adopt-endpoint.ts';

const E = zoneOf('a/e', { domainName: 'e.' });

function endpoint(fqdn: string, type: string, said: Partial<Endpoint>): Endpoint {
  return { domainName: { kind: 'full', fqdn }, zoneRef: null, type, class: 'IN', ttl: null, values: [], ...said };
}

/** The reasons and messages of an object's endpoints, as `TYPE content: reason message`. */
function verdicts(...spec: readonly Endpoint[]): string[] {
  const age = { creationTimestamp: '2026-01-01T00:00:00Z', uid: 'u', order: '' };
  const object: DeclaredObject = { ref: { kind: 'Ingress', namespace: 'a', name: 'i' }, age, spec, problems: [] };
  const outcomes = worldOf([E], [object], hostingsOf('e.')).objects.get('Ingress a/i') ?? [];
  return outcomes.map(({ endpoint: one, verdict }) => {
    const content = one?.alias === undefined ? one?.values.join() : 'alias';
    return `${one?.type} ${content}: ${verdict.reason} ${verdict.message}`;
  });
}

const alias = { target: 'lb.e.', hostedZoneId: 'Z9', evaluateTargetHealth: true };
const A = endpoint('w.e.', 'A', { values: ['192.0.2.1'] });
const ALIAS = endpoint('w.e.', 'A', { alias });
const CNAME = endpoint('w.e.', 'CNAME', { values: ['x.'] });

describe('of one object', () => {
  test.each([
    [
      'values are published, and an alias beside them is not',
      [ALIAS, A],
      ['A alias: Conflict', 'A 192.0.2.1: Adopted'],
    ],
    [
      'addresses are published, and a CNAME beside them is not',
      [CNAME, A],
      ['CNAME x.: Conflict', 'A 192.0.2.1: Adopted'],
    ],
  ])('%s', (_, spec, expected) => {
    const found = verdicts(...spec);
    for (const [index, line] of expected.entries()) expect(found[index]?.slice(0, line.length)).toBe(line);
    expect(verdicts(...spec.toReversed()).toReversed()).toEqual(found);
  });

  test('a conflict message says that the object itself asks for both', () => {
    expect(verdicts(A, CNAME)[1]).toBe(
      'CNAME x.: Conflict it asks for w.e. A 192.0.2.1 too: a CNAME allows no other record at its name (RFC 1034 §3.6.2); remove one of the two, or give one another name',
    );
  });

  test('the message for a CNAME at the apex says what works there', () => {
    expect(verdicts(endpoint('e.', 'CNAME', { values: ['x.'] }))[0]).toMatch(
      /Conflict .*apex.*A and AAAA, or an alias/,
    );
  });

  test('a note of the source is in the message', () => {
    expect(verdicts({ ...A, note: 'the annotation x is ignored' })[0]).toMatch(
      /Adopted adopted by .*; note: the annotation x is ignored$/,
    );
  });
});
