// If the hosted zone of an alias's target is not known, the alias is InvalidSpec. The message is the same for every
// kind of object, and says where the id can be set.
import { expect, test } from 'vitest';
import { hostingsOf, recordOf, worldOf, zoneOf } from '../../test/support/declared.ts';

const X = zoneOf('a/x', { domainName: 'x.e.' });
const NEEDED =
  /^the alias w\.x\.e\. needs the hosted zone of its target: lb\.y\.e\. is not the name .* in Zone a\/x \(x\.e\.\); set its id \(spec\.alias\.hostedZoneId of a Record, else aws-target-hosted-zone\)$/;

test.each(['Record', 'Ingress'])('resolveName() reports to a %s that its alias needs a hosted zone id', (kind) => {
  const alias = recordOf('a/1', { domainName: 'w.x.e.', type: 'A', alias: { target: 'lb.y.e.' } });
  const world = worldOf([X], [{ ...alias, ref: { ...alias.ref, kind } }], hostingsOf('x.e.'));
  expect(world.objects.get(`${kind} a/1`)?.[0]?.verdict).toEqual({
    reason: 'InvalidSpec',
    message: expect.stringMatching(NEEDED),
  });
});
