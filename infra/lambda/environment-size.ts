// How large a function's environment is as Lambda counts it: the JSON text of names and values, escapes and all, with
// every reference as long as it may become when CloudFormation fills it in.
import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/**
 * A queue's URL: 53 octets, or 63 in China, before a generated name of 80 at most. Generated names of tables and the
 * ARNs of roles and secrets are shorter, but for the table of a stack with a name of more than 100 characters.
 */
const REFERENCE_OCTETS_MAX = 160;

/** Octets of the environment. */
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
