// What needs a function URL of Lambda, which the China regions do not have ("Getting started with AWS services in
// China", AWS Lambda). Last verified 2026-11-29.
import { partitionOf } from '../../lib/route53/partition.ts';

type Wanted = {
  readonly webhook: { readonly front: string } | null;
  readonly validate: boolean;
  readonly intents: boolean;
};

const NO_URLS = 'Lambda has no function URLs in the China regions';

/** The keys that a stack of this region cannot have, each with what to write instead. */
export function urlProblems(
  region: string,
  { webhook, validate, intents }: Wanted,
): readonly { readonly path: readonly string[]; readonly message: string }[] {
  if (partitionOf(region)?.name !== 'aws-cn') return [];
  const problems: { path: readonly string[]; message: string }[] = [];
  if (webhook?.front === 'url')
    problems.push({ path: ['events', 'webhook'], message: `${NO_URLS}: write another front than url` });
  if (validate && webhook?.front === 'url')
    problems.push({ path: ['events', 'validate'], message: `${NO_URLS}: remove the key` });
  if (intents) problems.push({ path: ['intents'], message: `${NO_URLS}: remove the key` });
  return problems;
}
