import { expect, test } from 'vitest';
import type { Explanation } from '../../lib/inspect/explanation.ts';
import { plainPaint } from '../print/terminal-text.ts';
import { jsonExplanation, printExplanation } from './print-explanation.ts';

test('printExplanation() shows the file and line of an object', () => {
  const accepted = { reason: 'InvalidSpec', message: 'spec.rdata is required' };
  const asking = { object: 'Record p/www', type: 'A', accepted, programmed: null, parent: null };
  const of: Explanation = {
    ...{
      name: 'www.e.',
      type: null,
      zone: null,
      hostedZone: null,
      route53: [],
      protections: [],
      published: [],
      delegation: null,
      pending: [],
      held: [],
    },
    objects: [{ ...asking, origin: { file: 'dns/www.yaml', line: 7 } }],
    advice: '',
  };
  expect(printExplanation(of, plainPaint)).toContain(
    'Asked for by\n  dns/www.yaml:7: Record p/www (A)\n    Accepted InvalidSpec: spec.rdata is required\n',
  );
});

test('printExplanation() shows what was published last of every record set of the name', () => {
  const content = { kind: 'values' as const, ttlSeconds: 60, values: ['2001:db8::10'] };
  const of: Explanation = {
    ...{ name: 'www.e.', type: null, zone: 'p/z', hostedZone: { id: 'Z1', name: 'e.' }, objects: [], pending: [] },
    route53: [{ type: 'AAAA', setIdentifier: null, content, owner: 'zone53' }],
    protections: [{ type: 'A', comment: 'frozen' }],
    published: [
      { type: 'A', setIdentifier: 'blue', content, atMs: null },
      { type: 'AAAA', setIdentifier: null, content, atMs: 0 },
    ],
    ...{ delegation: null, held: [], advice: 'Nothing to do.' },
  };
  expect(printExplanation(of, plainPaint)).toContain('Protected in Route 53\n  A: frozen\n');
  expect(printExplanation(of, plainPaint)).toContain(
    'Last published by zone53\n  A [blue] ttl 60, 2001:db8::10\n  AAAA ttl 60, 2001:db8::10, at 1970-01-01T00:00:00.000Z\n',
  );
});

test('printExplanation() says that Route 53 could not be read', () => {
  const of: Explanation = {
    ...{ name: 'www.e.', type: null, zone: 'p/z', hostedZone: { id: 'Z1', name: 'e.' }, objects: [], route53: [] },
    ...{
      isUnread: true,
      protections: [],
      protectionsUnread: 'AccessDenied: no',
      published: [],
      delegation: null,
      pending: [],
      held: [],
      advice: '',
    },
  };
  expect(printExplanation(of, plainPaint)).toContain('In Route 53\n  could not be read\n');
  expect(printExplanation(of, plainPaint)).toContain(
    'Protected in Route 53\n  could not be listed: AccessDenied: no\n',
  );
});

test('printExplanation() says where a private hosted zone answers, and warns of one that answers nowhere', () => {
  const explained = (vpcs: readonly { readonly id: string; readonly region: string }[]): Explanation => ({
    ...{ name: 'www.e.@inside.', type: null, zone: 'p/z', hostedZone: { id: 'Z1', name: 'e.@inside.', vpcs } },
    ...{ objects: [], route53: [], protections: [], published: [], delegation: null, pending: [], held: [] },
    advice: '',
  });
  const vpcs = ['a', 'b'].map((name) => ({ id: `vpc-${name}`, region: 'eu-west-1' }));
  const of = explained(vpcs);
  expect(printExplanation(of, plainPaint)).toContain(
    '\n  private: it answers in vpc-a (eu-west-1), vpc-b (eu-west-1) alone\n',
  );
  expect(jsonExplanation(of)).toMatchObject({ hostedZone: { id: 'Z1', name: 'e.', vpcs } });
  expect(printExplanation(explained([]), plainPaint)).toContain(
    '\n  private, and no VPC is associated with it: nothing resolves its names; associate a VPC\n',
  );
});
