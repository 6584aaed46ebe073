// If the hosted zone of an alias's target is not known, the alias is InvalidSpec. The message is the same for every
// kind of object, and says where the id can be set.
import { expect, test } from 'vitest';
import { hostingsOf, recordOf, worldOf, zoneOf } from '../../test/support/declared.ts';

const X = zoneOf('a/x', { domainName: 'x.e.' });
const NEEDED =
  /^the alias w\.x\.e\. needs the hosted zone of its target: lb\.y\.e\. is not the name .* in Zone a\/x \(x\.e\.\); if it is of AWS, set its id \(spec\.alias\.hostedZoneId of a Record, else aws-target-hosted-zone\), else write a CNAME, or its values$/;

test.each(['Record', 'Ingress'])('resolveName() reports to a %s that its alias needs a hosted zone id', (kind) => {
  const alias = recordOf('a/1', { domainName: 'w.x.e.', type: 'A', alias: { target: 'lb.y.e.' } });
  const world = worldOf([X], [{ ...alias, ref: { ...alias.ref, kind } }], hostingsOf('x.e.'));
  expect(world.objects.get(`${kind} a/1`)?.[0]?.verdict).toEqual({
    reason: 'InvalidSpec',
    message: expect.stringMatching(NEEDED),
  });
});

const Y = zoneOf('a/y', { domainName: 'y.e.' });
const SUB = zoneOf('a/s', { domainName: 's.x.e.' });

/** The message to an alias of type `type` at `name`. x.e., s.x.e. and y.e. have hosted zones of their own. */
function messageOf(name: string, target: string, type = 'A') {
  const alias = recordOf('a/1', { domainName: name, type, alias: { target } });
  const world = worldOf([X, Y, SUB], [alias], hostingsOf('x.e.', 's.x.e.', 'y.e.'));
  const [found] = world.objects.get('Record a/1') ?? [];
  return found?.verdict.reason === 'InvalidSpec' ? found.verdict.message : found?.verdict.reason;
}

test.each([
  ['downwards', 'w.x.e.', 'lb.s.x.e.', 'lb.s.x.e. is at or below the zone cut s.x.e. of Zone a/s'],
  ['upwards', 'w.s.x.e.', 'lb.x.e.', 'lb.x.e. is in Zone a/x (x.e.), not in Zone a/s (s.x.e.)'],
  ['sideways', 'w.x.e.', 'lb.y.e.', 'lb.y.e. is in Zone a/y (y.e.), not in Zone a/x (x.e.)'],
])('resolveName() says that an alias cannot lead out of its hosted zone: %s', (_, name, target, where) => {
  const head = `the alias ${name} cannot lead out of its hosted zone: ${where}; write another target, `;
  expect(messageOf(name, target)).toBe(`${head}a CNAME, or its values`);
});

test('resolveName() advises no CNAME at an apex, nor instead of another type', () => {
  expect(messageOf('s.x.e.', 'x.e.')).toMatch(/write another target, its values$/);
  expect(messageOf('w.x.e.', 'lb.y.e.', 'MX')).toMatch(/write another target, its values$/);
  expect(messageOf('w.x.e.', 'lb.z.e.')).toMatch(/, else write a CNAME, or its values$/);
  expect(messageOf('x.e.', 'lb.z.e.')).toMatch(/aws-target-hosted-zone\), else write its values$/);
  expect(messageOf('w.x.e.', 'lb.x.e.')).toBe('Adopted');
});
