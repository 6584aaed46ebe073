// Lambda stops a chain of messages that invokes a function more than 16 times. Functions whose messages come back to
// them are exempt from that, and no others.
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { exampleTemplate, NAMES, resolved } from '../../test/support/example-template.ts';
import { addStacks } from '../stacks.ts';

const example = exampleTemplate();

/** The functions that a message of this function invokes, through the queues. */
function invokedBy(name: (typeof NAMES)[number]): readonly (typeof NAMES)[number][] {
  const sends = example.statementsOf(name).filter(({ Action }) => [Action].flat().includes('sqs:SendMessage'));
  const queues = new Set(sends.flatMap(({ Resource }) => [Resource].flat()));
  return NAMES.filter((other) => {
    const [id] = example.functionOf(other);
    return example.ofType('AWS::Lambda::EventSourceMapping').some(([, { Properties }]) => {
      const { EventSourceArn, FunctionName } = resolved(Properties) as Record<string, string>;
      return FunctionName === `ref:${id}` && queues.has(EventSourceArn);
    });
  });
}

function isInLoop(name: (typeof NAMES)[number]): boolean {
  const reached = new Set(invokedBy(name));
  for (const other of reached) for (const next of invokedBy(other)) reached.add(next);
  return reached.has(name);
}

describe('recursive loops', () => {
  it('are allowed for the functions whose messages come back to them', () => {
    const inLoop = NAMES.filter(isInLoop);
    expect(inLoop).toEqual(['reconcile', 'publish', 'report']);
    const allowed = NAMES.filter((name) => example.functionOf(name)[1].Properties.RecursiveLoop === 'Allow');
    expect(allowed).toEqual(inLoop);
  });

  it.each(['us-gov-west-1', 'mx-central-1', 'cn-north-1'])(
    'are not mentioned in %s, which does not know the setting',
    (region) => {
      const app = new App();
      const access = { eks: 'prod', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' };
      const source = stringify({
        roots: [{ zone: 'example.org' }],
        hostedZones: [{ zone: 'example.org', id: 'Z1' }],
        access,
        aws: { region, account: '111122223333' },
      });
      addStacks(app, source, 'zone53.yaml', example.bundles);
      const stacks = app.node.children.filter((child) => child instanceof Stack);
      expect(JSON.stringify(stacks.map((stack) => Template.fromStack(stack).toJSON()))).not.toContain('RecursiveLoop');
    },
  );
});
