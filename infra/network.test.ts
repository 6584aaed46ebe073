// `aws.vpc` of zone53.yaml: which functions go into the VPC, and what each of them needs for it before it is made.
import { App, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { NAMES } from '../test/support/example-template.ts';
import { addStacks } from './stacks.ts';

/** What Lambda asks of the role (developer guide, "Giving Lambda functions access to resources in an Amazon VPC"). */
const ASKED = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];
const VPC = {
  id: 'vpc-0123456789abcdef0',
  subnets: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
  securityGroups: ['sg-0123456789abcdef0'],
};

test('functions that call the API server are in the VPC, and get the rights for it before they are created', {
  timeout: 120_000,
}, () => {
  const access = { eks: 'prod', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' };
  const source = stringify({
    roots: [{ zone: 'example.org' }],
    hostedZones: [{ zone: 'example.org', id: 'Z1' }],
    intents: {},
    access,
    events: { webhook: { front: 'url' }, validate: true },
    aws: { region: 'eu-west-1', vpc: VPC },
  });
  const app = new App();
  const made = Template.fromStack(addStacks(app, source, 'zone53.yaml', emptyBundles(NAMES)).home);
  // As synthesize() does it: what cdk-nag finds would end the synth.
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  expect(() => app.synth({ force: true })).not.toThrow();
  const functions = Object.values(made.findResources('AWS::Lambda::Function', {}));
  const inside = functions.filter(({ Properties }) => Properties.VpcConfig !== undefined);
  expect(functions).toHaveLength(9);
  expect(inside).toHaveLength(6);
  for (const { Properties, DependsOn } of inside) {
    expect(Properties.VpcConfig).toMatchObject({ SubnetIds: VPC.subnets, SecurityGroupIds: VPC.securityGroups });
    const role = Properties.Role['Fn::GetAtt'][0];
    const policies = Object.entries(made.findResources('AWS::IAM::Policy')).filter(([, policy]) =>
      policy.Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === role),
    );
    const own = policies.flatMap(([id, policy]) =>
      (policy.Properties.PolicyDocument.Statement as { Sid?: string; Action: string[]; Resource: unknown }[])
        .filter(({ Sid }) => Sid === 'NetworkInterfaces')
        .map((statement) => ({ id, ...statement })),
    );
    expect(own.map(({ Action }) => Action.toSorted())).toEqual([ASKED]);
    expect(own[0]?.Resource).toBe('*');
    // The acknowledgement for cdk-nag counts for every statement of the role.
    const all = policies.flatMap(
      ([, policy]) => policy.Properties.PolicyDocument.Statement as Record<string, unknown>[],
    );
    expect(all.filter(({ Effect, Resource }) => Effect === 'Allow' && Resource === '*')).toHaveLength(1);
    // Lambda looks at the role when the function is made.
    expect(DependsOn).toContain(own[0]?.id);
  }
  for (const [, { Properties }] of Object.entries(made.findResources('AWS::IAM::Role')))
    expect(Properties.ManagedPolicyArns).toBeUndefined();
});
