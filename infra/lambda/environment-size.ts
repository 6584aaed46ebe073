// The size of a function's environment as Lambda counts it: the JSON text of names and values, with its escapes. For a
// reference, the longest value that CloudFormation may fill in is counted.
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/**
 * A queue's URL has 53 octets (63 in China) before its generated name, which has 80 at most. Table names and the ARNs
 * of roles and secrets are shorter, except the table of a stack whose name has more than 100 characters.
 */
const REFERENCE_OCTETS_MAX = 160;

/** The size of an environment in octets. */
export function environmentOctets(scope: Construct, environment: Readonly<Record<string, string>>): number {
  const filled = Object.entries(environment).map(([name, value]) => [name, filledIn(Stack.of(scope).resolve(value))]);
  return Buffer.byteLength(JSON.stringify(Object.fromEntries(filled)));
}

function filledIn(value: unknown): string {
  if (typeof value === 'string') return value;
  const join = (value as { readonly 'Fn::Join'?: readonly [string, readonly unknown[]] } | null)?.['Fn::Join'];
  if (join !== undefined) return join[1].map(filledIn).join(join[0]);
  return 'x'.repeat(REFERENCE_OCTETS_MAX);
}
