// What a deployment looks like with ten hosted zones, fifty and five hundred: within the quotas of IAM and Lambda, and
// with the same rights.
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { evaluatePolicy } from '../test/support/evaluate-policy.ts';
import { NAMES, resolved } from '../test/support/example-template.ts';
import { Zone53 } from './zone53.ts';

const bundles = emptyBundles(NAMES);
const CHANGE = 'route53:ChangeResourceRecordSets';
/** IAM's quotas; white space does not count. Last verified 2026-11-22. */
const INLINE_CHARACTERS_MAX = 10_240;
const MANAGED_CHARACTERS_MAX = 6_144;
const MANAGED_MAX = 10;
/** As long as one that `aws eks describe-cluster` prints. */
const CERTIFICATE_AUTHORITY = Buffer.alloc(1_107, 'a').toString('base64');

// biome-ignore lint/suspicious/noExplicitAny: resources of a template
type Resources = Record<string, any>;
const characters = (value: unknown) => JSON.stringify(resolved(value)).length;

describe.each([10, 50, 500])('%i hosted zones', (count) => {
  // One of them lies below another.
  const zones = Array.from({ length: count }, (_, index) =>
    index === 0 ? 'shop.a-brand-1.example' : `a-brand-${index}.example`,
  );
  const idOf = (index: number) => `Z${String(index).padStart(3, '0')}3456789ABCDEFGHIJ`;
  let template: Template;
  beforeAll(() => {
    const scope = new Stack(new App(), 'Zone53', { env: { region: 'eu-west-1', account: '111122223333' } });
    new Zone53(scope, 'Zone53', {
      roots: zones.map((zone) => ({ zone, namespaces: ['platform'] })),
      hostedZones: zones.map((zone, index) => ({ zone, id: idOf(index) })),
      access: {
        kind: 'eks',
        clusterName: 'prod',
        endpoint: 'https://0123456789ABCDEF0123456789ABCDEF.gr7.eu-west-1.eks.amazonaws.com',
        certificateAuthority: CERTIFICATE_AUTHORITY,
      },
      events: { webhook: { front: 'url' }, validate: true },
      intents: {},
      bundles,
    });
    template = Template.fromStack(scope);
  }, 60_000);

  /** The statements of a function's role, from every policy that it has. */
  const policiesOf = (name: string) => {
    const [role] = Object.keys(template.findResources('AWS::IAM::Role')).filter((id) =>
      id.startsWith(`Zone53${name}Role`),
    );
    const attached = (type: string): Resources[] =>
      Object.values(template.findResources(type)).filter(({ Properties }) =>
        Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === role),
      );
    return { inline: attached('AWS::IAM::Policy'), managed: attached('AWS::IAM::ManagedPolicy') };
  };

  it.each(['Publish', 'Reconcile', 'Sweep', 'Intents'])(
    "%s: the role's policies are within the limits of IAM",
    (name) => {
      const { inline, managed } = policiesOf(name);
      const own = inline.reduce((sum, { Properties }) => sum + characters(Properties.PolicyDocument), 0);
      expect(own).toBeLessThanOrEqual(INLINE_CHARACTERS_MAX);
      expect(managed.length).toBeLessThanOrEqual(MANAGED_MAX);
      for (const { Properties } of managed)
        expect(characters(Properties.PolicyDocument)).toBeLessThanOrEqual(MANAGED_CHARACTERS_MAX);
    },
  );

  it('publish may change each, but no apex, except a delegation from one to another', () => {
    const { inline, managed } = policiesOf('Publish');
    const statements = [...inline, ...managed].flatMap(
      ({ Properties }) => resolved(Properties.PolicyDocument.Statement) as unknown[],
    );
    const decide = (index: number, name: string, type: string, action = 'CREATE') =>
      evaluatePolicy(statements, {
        action: CHANGE,
        resource: `arn:aws:route53:::hostedzone/${idOf(index)}`,
        context: {
          'route53:ChangeResourceRecordSetsNormalizedRecordNames': [name],
          'route53:ChangeResourceRecordSetsRecordTypes': [type],
          'route53:ChangeResourceRecordSetsActions': [action],
        },
      });
    for (const [index, zone] of zones.entries()) {
      expect(decide(index, `www.${zone}`, 'A')).toBe('allowed');
      expect(decide(index, zone, 'A')).toBe('allowed');
      expect(decide(index, zone, 'NS')).toBe('explicitly denied');
      expect(decide(index, zone, 'DS')).toBe('explicitly denied');
      expect(decide(index, zone, 'SOA', 'DELETE')).toBe('explicitly denied');
      expect(decide(index, zone, 'SOA', 'UPSERT')).toBe('allowed');
    }
    expect(decide(1, 'shop.a-brand-1.example', 'NS')).toBe('allowed');
    expect(decide(count, 'www.other.example', 'A')).toBe('not allowed');
  });

  it('the environments and the code have nothing of the configuration', () => {
    const functions = Object.values(template.findResources('AWS::Lambda::Function'));
    expect(functions).toHaveLength(9);
    for (const { Properties } of functions) {
      expect(JSON.stringify(Properties.Environment.Variables)).not.toMatch(/brand-1|LS0t|eks\.amazonaws/);
      // Lambda takes 4,096 octets. A reference becomes 160 at most.
      const octets = JSON.stringify(Properties.Environment.Variables, (_, value) =>
        typeof value === 'object' && ('Ref' in value || 'Fn::GetAtt' in value) ? 'x'.repeat(160) : value,
      );
      expect(octets.length).toBeLessThanOrEqual(2_048);
    }
    const [written] = Object.values(template.findResources('Custom::Zone53Configuration'));
    expect(JSON.parse(written?.Properties.Configuration).hostedZones).toHaveLength(count);
  });
});
