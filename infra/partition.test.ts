// In the partitions of AWS beside the public one: the ARNs, and where Route 53's calls are told of.
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { partitionOf } from '../lib/route53/partition.ts';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { NAMES } from '../test/support/example-template.ts';
import { addStacks } from './stacks.ts';
import { Zone53, type Zone53Props } from './zone53.ts';

const bundles = emptyBundles(NAMES);

function stacksIn(region: string, more: object = {}, intents?: object): readonly Stack[] {
  const app = new App();
  const access = { eks: 'prod', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' };
  // The China regions have no function URLs.
  const urls = region.startsWith('cn-') ? {} : { webhook: { front: 'url' }, validate: true };
  const events = { ...urls, bus: true, drift: true, ...more };
  const source = stringify({
    roots: [{ zone: 'example.org' }],
    hostedZones: [{ zone: 'example.org', id: 'Z1' }],
    access,
    events,
    ...(intents === undefined ? {} : { intents }),
    aws: { region, account: '111122223333' },
  });
  addStacks(app, source, 'zone53.yaml', bundles);
  return app.node.children.filter((child) => child instanceof Stack);
}

describe('partitionOf()', () => {
  it.each([
    ['eu-west-1', 'aws', ['eu-west-1', 'us-east-1']],
    ['us-east-1', 'aws', ['us-east-1']],
    ['us-gov-east-1', 'aws-us-gov', ['us-gov-east-1', 'us-gov-west-1']],
    ['us-gov-west-1', 'aws-us-gov', ['us-gov-west-1']],
    ['cn-north-1', 'aws-cn', ['cn-north-1', 'cn-northwest-1']],
  ])('%s is in partition %s: its stacks have only ARNs of that partition', (region, partition, regions) => {
    expect(partitionOf(region)?.name).toBe(partition);
    const stacks = stacksIn(region);
    expect(stacks.map((stack) => stack.region)).toEqual(regions);
    const text = stacks.map((stack) => JSON.stringify(Template.fromStack(stack).toJSON())).join();
    const named = [...text.matchAll(/arn:(aws[a-z-]*):/g)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set([partition]));
  });

  it('function URLs are refused in China', () => {
    expect(() => stacksIn('cn-north-1', { webhook: { front: 'url' }, validate: true }, {})).toThrow(
      /events\.webhook: Lambda has no function URLs in the China regions: write another front than url\n.*events\.validate: .*\n.*intents: /,
    );
    expect(() => stacksIn('cn-north-1', { webhook: { front: 'none' } })).not.toThrow();
  });

  it('the construct refuses them, too', () => {
    const scope = new Stack(new App(), 'Stack', { env: { region: 'cn-north-1', account: '111122223333' } });
    const props: Zone53Props = {
      roots: [{ zone: 'example.org' }],
      hostedZones: [{ zone: 'example.org', id: 'Z1' }],
      access: { kind: 'eks', clusterName: 'c', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' },
      intents: {},
      bundles,
    };
    expect(() => new Zone53(scope, 'Zone53', props)).toThrow('intents: Lambda has no function URLs');
  });

  it.each(['us-iso-east-1', 'us-isob-east-1', 'eu-isoe-west-1', 'eusc-de-east-1'])(
    '%s is refused with a message',
    (region) => {
      expect(() => stacksIn(region)).toThrow(`aws.region: the partition of ${region} is not supported`);
    },
  );
});
