// If the hosted zone of an alias's target is not known, the alias is InvalidSpec. The message names the field that the
// object has.
import { expect, test } from 'vitest';
import { hostingsOf, recordOf, worldOf, zoneOf } from '../../test/support/declared.ts';

const X = zoneOf('a/x', { domainName: 'x.e.' });

test.each([
  ['Record', 'lb.y.e.', 'spec.alias.hostedZoneId is required: lb.y.e. is not the name'],
  ['Ingress', 'lb.y.e.', 'the alias w.x.e. needs the hosted zone of its target: lb.y.e. is not the name'],
])('resolveName() reports to a %s that its alias leads to %s', (kind, target, message) => {
  const alias = recordOf('a/1', { domainName: 'w.x.e.', type: 'A', alias: { target } });
  const world = worldOf([X], [{ ...alias, ref: { ...alias.ref, kind } }], hostingsOf('x.e.'));
  expect(world.objects.get(`${kind} a/1`)?.[0]?.verdict).toEqual({
    reason: 'InvalidSpec',
    message: expect.stringContaining(message),
  });
});
