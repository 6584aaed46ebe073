// The statements of lib/route53/hosted-zone-policy.ts for the CDK.
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type Statement, VALUES_OPERATOR } from '../../lib/route53/hosted-zone-policy.ts';

/** The same statements for the CDK. */
export function policyStatements(statements: readonly Statement[]): PolicyStatement[] {
  return statements.map(
    ({ sid, effect, actions, resources, values }) =>
      new PolicyStatement({
        ...{ sid, actions: [...actions], resources: [...resources] },
        effect: effect === 'Deny' ? Effect.DENY : Effect.ALLOW,
        ...(values === undefined ? {} : { conditions: { [VALUES_OPERATOR]: values } }),
      }),
  );
}
