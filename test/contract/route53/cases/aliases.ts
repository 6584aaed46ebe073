// The contract of alias targets: which targets are accepted, the order of changes in a batch, and how aliases are
// deleted.
import { CreateHostedZoneCommand, type ResourceRecordSet } from '@aws-sdk/client-route-53';
import { expect } from 'vitest';
import { type Account, type ContractCase, simple, special } from '../route53-account.ts';

const WWW = 'www.example.com.';
const OUTSIDE = 'but the alias target name does not lie within the target zone';
const NOT_FOUND = 'but that target was not found';
const CLOUDFRONT = 'Z2FDTNDATAQYW2';

/** An alias at x.example.com. */
function alias(dnsName: string, zoneId: string, more: Partial<ResourceRecordSet> = {}, health = false) {
  const HostedZoneId = zoneId.replace('/hostedzone/', '');
  const AliasTarget = { HostedZoneId, DNSName: dnsName, EvaluateTargetHealth: health };
  return { Name: 'x.example.com.', Type: 'A', AliasTarget, ...more } as ResourceRecordSet;
}

async function refusedAlone(account: Account, set: ResourceRecordSet): Promise<string> {
  const { id } = await account.createZone();
  const message = await account.refused(id, special('CREATE', set));
  expect(await account.keys(id)).toEqual([]);
  return message;
}

async function acceptedAlone(account: Account, set: ResourceRecordSet): Promise<void> {
  const { id } = await account.createZone();
  await account.change(id, special('CREATE', set));
  const [found] = (await account.list(id)).filter(({ AliasTarget }) => AliasTarget !== undefined);
  expect(found).toMatchObject(set);
  await account.change(id, special('DELETE', set));
  expect(await account.keys(id)).toEqual([]);
}

/** Targets of AWS services that are accepted: name, hosted zone id, type. */
const TAKEN: readonly (readonly [string, string, string])[] = [
  ['dualstack.lb-1.eu-west-1.elb.amazonaws.com.', 'Z32O12XQLNTSW2', 'A'],
  ['lb-1.elb.us-east-1.amazonaws.com.', 'Z26RNL4JYFTOTI', 'AAAA'],
  ['a1.awsglobalaccelerator.com.', 'Z2BJ6XQ5FK7U4H', 'A'],
  ['d-1.execute-api.eu-west-1.amazonaws.com.', 'ZLY8HYME6SFDD', 'A'],
  ['vpce-1-x.ec2.eu-west-1.vpce.amazonaws.com.', 'Z38GZ743OKFT7T', 'A'],
  ['s3-website-eu-west-1.amazonaws.com.', 'Z1BKCTXD74EZPE', 'A'],
  ['env.eu-west-1.elasticbeanstalk.com.', 'Z2NYPWQ7DFZAZH', 'A'],
];

/** Targets that are refused: name, hosted zone id, type, the reasons. */
const REFUSED: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['lb-1.eu-west-1.elb.amazonaws.com.', 'Z35SXDOTRQ7X7K', 'A', [OUTSIDE, NOT_FOUND]],
  ['lb-1.elb.eu-west-1.amazonaws.com.', 'Z32O12XQLNTSW2', 'A', [OUTSIDE, NOT_FOUND]],
  ['www.example.org.', CLOUDFRONT, 'A', [OUTSIDE, NOT_FOUND]],
  ['d1.cloudfront.net.', CLOUDFRONT, 'TXT', [NOT_FOUND]],
];

export const aliasCases: readonly ContractCase[] = [
  ...TAKEN.map(([name, zone, type]) => ({
    name: `an alias of type ${type} to ${name} is accepted`,
    run: (account: Account) => acceptedAlone(account, alias(name, zone, { Type: type as 'A' })),
  })),
  ...REFUSED.map(([name, zone, type, reasons]) => ({
    name: `an alias of type ${type} to ${name} in zone ${zone} is refused`,
    run: async (account: Account) => {
      const message = await refusedAlone(account, alias(name, zone, { Type: type as 'A' }));
      for (const reason of reasons) {
        expect(message).toContain(
          `Tried to create an alias that targets ${name}, type ${type} in zone ${zone}, ${reason}`,
        );
      }
    },
  })),
  {
    name: 'an alias to CloudFront that evaluates health is refused',
    run: async (account) => void (await refusedAlone(account, alias('d1.cloudfront.net.', CLOUDFRONT, {}, true))),
  },
  {
    name: 'an alias to CloudFront in a private zone is refused',
    run: async (account) => {
      const VPC = { VPCRegion: 'eu-west-1' as const, VPCId: 'vpc-0fedcba9876543210' };
      const input = { Name: 'example.com', CallerReference: crypto.randomUUID(), VPC };
      const { HostedZone } = await account.client.send(new CreateHostedZoneCommand(input));
      await account.refused(HostedZone?.Id ?? '', special('CREATE', alias('d1.cloudfront.net.', CLOUDFRONT)));
    },
  },
  {
    name: 'an alias to a record set of another hosted zone is refused',
    run: async (account) => {
      const other = await account.createZone('example.org');
      await account.change(other.id, simple('CREATE', 'www.example.org.', 'A', ['192.0.2.1']));
      await refusedAlone(account, alias('www.example.org.', other.id));
    },
  },
  {
    name: 'in a batch the target of an alias comes before it',
    run: async (account) => {
      const { id } = await account.createZone();
      const target = simple('CREATE', WWW, 'A', ['192.0.2.1']);
      const set = special('CREATE', alias(WWW, id));
      expect(await account.refused(id, set, target)).toContain(NOT_FOUND);
      await account.change(id, target, set);
      expect(await account.keys(id)).toEqual([`${WWW} A`, 'x.example.com. A']);
    },
  },
  {
    name: 'an alias to weighted record sets, and to another alias, is accepted',
    run: async (account) => {
      const { id } = await account.createZone();
      const weighted = { SetIdentifier: 'a', Weight: 1, TTL: 60, ResourceRecords: [{ Value: '192.0.2.1' }] };
      await account.change(
        id,
        special('CREATE', { Name: WWW, Type: 'A', ...weighted }),
        special('CREATE', alias(WWW, id)),
        special('CREATE', alias('x.example.com', id, { Name: 'y.example.com.' })),
      );
      expect(await account.keys(id)).toHaveLength(3);
    },
  },
  {
    name: 'an alias is deleted by its target in any spelling, and by nothing else',
    run: async (account) => {
      const { id } = await account.createZone();
      await account.change(id, special('CREATE', alias('d1.cloudfront.net.', CLOUDFRONT)));
      const differs = 'but the values provided do not match the current values';
      for (const other of [
        alias('d2.cloudfront.net.', CLOUDFRONT),
        alias('d1.cloudfront.net.', 'Z32O12XQLNTSW2'),
        alias('d1.cloudfront.net.', CLOUDFRONT, {}, true),
      ]) {
        expect(await account.refused(id, special('DELETE', other))).toContain(differs);
      }
      await account.change(id, special('DELETE', alias('D1.cloudfront.net', CLOUDFRONT)));
      expect(await account.keys(id)).toEqual([]);
    },
  },
  {
    name: 'an alias of type NS is refused',
    run: async (account) => {
      const { id } = await account.createZone();
      await account.change(id, simple('CREATE', WWW, 'NS', ['ns.example.org.']));
      await account.refused(id, special('CREATE', alias(WWW, id, { Type: 'NS' })));
    },
  },
];
