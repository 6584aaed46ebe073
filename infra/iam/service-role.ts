// A role that an AWS service may assume. With trust conditions, it may do so on behalf of this account only.
import { Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

const TRUST_CONDITIONS = 'zone53:trustConditions';

/**
 * Whether the roles of this construct have the condition `aws:SourceAccount`. Nobody has proved on a real account that
 * every service sends that key, and a service that does not cannot assume the role. Call it before a role is made.
 */
export function setTrustConditions(scope: Construct, has: boolean): void {
  scope.node.setContext(TRUST_CONDITIONS, has);
}

/** `service`: its principal, such as `lambda.amazonaws.com`. */
export function serviceRole(
  scope: Construct,
  id: string,
  { service, description }: { readonly service: string; readonly description: string },
): Role {
  const principal = new ServicePrincipal(service);
  const ours = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  const isOurs = scope.node.tryGetContext(TRUST_CONDITIONS) === true;
  return new Role(scope, id, { assumedBy: isOurs ? principal.withConditions(ours) : principal, description });
}
