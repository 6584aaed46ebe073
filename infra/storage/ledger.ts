// The ledger's table: on demand, encrypted, recoverable to any second of the last 35 days. It is kept when the stack is
// deleted, because nothing else records which record sets zone53 created.
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type ITable, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

export interface LedgerProps {
  /**
   * An existing table to use; its keys `pk` and `sk` are strings. Stacks that share a table share the budget of calls.
   *
   * @default - a new table, which survives the stack
   */
  readonly table?: ITable;
  /**
   * The key of a new table.
   *
   * @default - a key of AWS
   */
  readonly encryptionKey?: IKey | undefined;
}

/** The actions that the functions use, and no others. */
const ACTIONS = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:Query',
  'dynamodb:PutItem',
  'dynamodb:DeleteItem',
  // Conditional writes of many items in one request (lib/adapters/ledger/batched-writes.ts).
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
  'dynamodb:PartiQLDelete',
];

/** The table, new or given. */
export class Ledger extends Construct {
  readonly table: ITable | Table;

  constructor(scope: Construct, id: string, props: LedgerProps = {}) {
    super(scope, id);
    this.table =
      props.table ??
      new Table(this, 'Table', {
        partitionKey: { name: 'pk', type: AttributeType.STRING },
        sortKey: { name: 'sk', type: AttributeType.STRING },
        billingMode: BillingMode.PAY_PER_REQUEST,
        ...(props.encryptionKey === undefined
          ? { encryption: TableEncryption.AWS_MANAGED }
          : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: props.encryptionKey }),
        timeToLiveAttribute: 'ttl',
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
        deletionProtection: true,
        removalPolicy: RemovalPolicy.RETAIN,
      });
  }

  /**
   * Lets a function read, query and write items, singly and in batches, with the table's own key if it has one. It may
   * neither scan the table nor change it.
   */
  grantUse(grantee: IGrantable): void {
    this.table.grant(grantee, ...ACTIONS);
    this.table.encryptionKey?.grantEncryptDecrypt(grantee);
  }
  /** Lets a function read the items of one partition, and nothing else. */
  grantReadOf(one: LambdaFunction, partition: string): void {
    one.addToRolePolicy(
      new PolicyStatement({
        sid: 'ReadLedger',
        actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem'],
        resources: [this.table.tableArn],
        conditions: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [partition] } },
      }),
    );
    this.table.encryptionKey?.grantDecrypt(one);
  }
}
