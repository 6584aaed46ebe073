// A role that a service of AWS takes on, on behalf of this account and no other.
import { Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** `service`: such as `lambda.amazonaws.com`. */
export function serviceRole(
  scope: Construct,
  id: string,
  { service, description }: { readonly service: string; readonly description: string },
): Role {
  const ours = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  return new Role(scope, id, { assumedBy: new ServicePrincipal(service).withConditions(ours), description });
}
