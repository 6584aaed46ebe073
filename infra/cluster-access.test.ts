// Rights over what is given to the construct: a token in Secrets Manager, and a table. Each may have a key of its own.
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, type ITable, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { expect, test } from 'vitest';
import { emptyBundles } from '../test/support/empty-bundles.ts';
import { NAMES, resolved } from '../test/support/example-template.ts';
import { Zone53 } from './zone53.ts';

const bundles = emptyBundles(NAMES);
const ARN = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:token-AbCdEf';
const KEY = 'arn:aws:kms:eu-west-1:111122223333:key/k';

type Statement = {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
};
type Given = (stack: Stack) => { readonly tokenSecret: ISecret; readonly table?: ITable };

/** The resources on which reconcile may do this. */
function allowed(action: string, given: Given): readonly unknown[] {
  return statementsOf(action, given).flatMap(({ Resource }) => resolved(Resource));
}

/** The statements that allow this to reconcile. */
function statementsOf(action: string, given: Given): readonly Statement[] {
  const stack = new Stack(new App(), 'Stack', { env: { region: 'eu-west-1', account: '111122223333' } });
  const { tokenSecret, table } = given(stack);
  new Zone53(stack, 'Dns', {
    roots: [{ zone: 'example.org' }],
    hostedZones: [{ zone: 'example.org', id: 'Z1' }],
    access: { kind: 'token', endpoint: 'https://k8s.example.org', tokenSecret },
    ...(table === undefined ? {} : { table }),
    bundles,
  });
  const policies = Object.entries(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
  const statements = policies
    .filter(([id]) => id.startsWith('DnsReconcile'))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement as Statement[]);
  return statements.filter(({ Action }) => [Action].flat().includes(action));
}

test.each<[string, Given, unknown]>([
  ['its ARN', (stack) => ({ tokenSecret: Secret.fromSecretCompleteArn(stack, 'Token', ARN) }), ARN],
  [
    'its name',
    (stack) => ({ tokenSecret: Secret.fromSecretNameV2(stack, 'Token', 'token') }),
    'arn:aws:secretsmanager:eu-west-1:111122223333:secret:token-??????',
  ],
])('the token may be read if the secret is given by %s', (_title, given, resource) => {
  expect(allowed('secretsmanager:GetSecretValue', given)).toEqual([resource]);
  expect(allowed('kms:Decrypt', given)).toEqual([]);
});

test('the token may be read if the secret has a key of its own', () => {
  const given: Given = (stack) => {
    const encryptionKey = Key.fromKeyArn(stack, 'Key', KEY);
    return { tokenSecret: Secret.fromSecretAttributes(stack, 'Token', { secretCompleteArn: ARN, encryptionKey }) };
  };
  expect(allowed('kms:Decrypt', given)).toEqual([KEY]);
});

test.each(['eu-west-1', 'us-east-1'])('the key of a token in %s may be used in that region', (region) => {
  const given: Given = (stack) => {
    const [secretCompleteArn, key] = [ARN, KEY].map((arn) => arn.replace('eu-west-1', region));
    const encryptionKey = Key.fromKeyArn(stack, 'Key', key ?? '');
    return {
      tokenSecret: Secret.fromSecretAttributes(stack, 'Token', {
        secretCompleteArn: secretCompleteArn ?? '',
        encryptionKey,
      }),
    };
  };
  const [statement] = statementsOf('kms:Decrypt', given);
  expect(JSON.stringify(statement?.Condition)).toContain(`"secretsmanager.${region}.`);
});

test('the ledger may be used if its table has a key of its own', () => {
  const given: Given = (stack) => ({
    tokenSecret: Secret.fromSecretCompleteArn(stack, 'Token', ARN),
    table: new Table(stack, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: Key.fromKeyArn(stack, 'Key', KEY),
    }) as ITable,
  });
  for (const action of ['kms:Decrypt', 'kms:Encrypt']) expect(allowed(action, given)).toEqual([KEY]);
});

test('each function that reaches an EKS cluster may describe that cluster, and no other', () => {
  const stack = new Stack(new App(), 'Stack', { env: { region: 'eu-west-1', account: '111122223333' } });
  new Zone53(stack, 'Dns', {
    roots: [{ zone: 'example.org' }],
    hostedZones: [{ zone: 'example.org', id: 'Z1' }],
    access: { kind: 'eks', clusterName: 'prod', endpoint: 'https://k8s.example.org', certificateAuthority: 'TFMw' },
    bundles,
  });
  const policies = Object.values(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
  const allowing = policies.filter(({ Properties }) => JSON.stringify(Properties.PolicyDocument).includes('"eks:'));
  const said = allowing.map(({ Properties }) => ({
    does: (Properties.PolicyDocument.Statement as Statement[]).map(({ Action, Resource }) => [
      Action,
      resolved(Resource),
    ]),
    roles: (Properties.Roles as { Ref: string }[]).map(({ Ref }) => /^Dns(\w+?)Role/.exec(Ref)?.[1]).toSorted(),
  }));
  const cluster = 'arn:aws:eks:eu-west-1:111122223333:cluster/prod';
  expect(said).toEqual([{ does: [['eks:DescribeCluster', cluster]], roles: ['Poll', 'Reconcile', 'Report', 'Sweep'] }]);
});
