// The ledger's table: on demand, encrypted, recoverable to any second of the last 35 days, and kept when the stack
// goes: what zone53 knows to be its own in Route 53 stands nowhere else.
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, type ITable, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

export interface LedgerProps {
  /**
   * A table to use instead of a new one: keys `pk` and `sk`, both strings. Stacks that share one share the budget too.
   *
   * @default - a new table, which survives the stack
   */
  readonly table?: ITable;
}

/** What the functions do with the table, and nothing else. */
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

/** The table. */
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
        encryption: TableEncryption.AWS_MANAGED,
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
        deletionProtection: true,
        removalPolicy: RemovalPolicy.RETAIN,
      });
  }

  /** Reads and conditional writes of single items, and queries of one partition. */
  grantUse(grantee: IGrantable): void {
    this.table.grant(grantee, ...ACTIONS);
  }
}
