// In the partitions of AWS beside the public one: the ARNs, and where Route 53's calls are told of.
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { NAMES } from '../test/support/example-template.ts';
import { addStacks } from './app.ts';
import { partitionOf } from './settings/partition.ts';

const bundles = emptyBundles(NAMES);

function stacksIn(region: string): readonly Stack[] {
  const app = new App();
  const cluster = { eks: 'prod', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' };
  const events = { webhook: 'secret', validate: true, bus: true, drift: true };
  const source = stringify({
    roots: [{ zone: 'example.org' }],
    hostedZones: [{ zone: 'example.org', id: 'Z1' }],
    aws: { region, account: '111122223333', cluster, events },
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

  it.each(['us-iso-east-1', 'us-isob-east-1', 'eu-isoe-west-1', 'eusc-de-east-1'])(
    '%s is refused with a message',
    (region) => {
      expect(() => stacksIn(region)).toThrow(`aws.region: the partition of ${region} is not supported`);
    },
  );
});
