// A role that an AWS service may assume on behalf of this account only.
import { Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** `service`: its principal, such as `lambda.amazonaws.com`. */
export function serviceRole(
  scope: Construct,
  id: string,
  { service, description }: { readonly service: string; readonly description: string },
): Role {
  const ours = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  return new Role(scope, id, { assumedBy: new ServicePrincipal(service).withConditions(ours), description });
}
