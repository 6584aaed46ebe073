// `zone53 manifests-for-account`: prints the CloudFormation template of the role that another AWS account needs.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { stringify } from 'yaml';
import { formatJson } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';
import { accountTemplate, allowsUnlisted } from '../setup/account-role.ts';
import { readStackOutputs } from '../setup/stack-outputs.ts';
import { configOption, fleetConfigFrom } from './options.ts';
import type { Run } from './run-command.ts';

type Flags = {
  readonly operators?: readonly string[];
  readonly outputs?: string;
  readonly stack?: string;
  readonly config?: string;
  readonly output: 'yaml' | 'json';
};

/** Adds the command. */
export function addManifestsForAccount(program: Command, run: Run): void {
  program
    .command('manifests-for-account')
    .argument('<account>', 'the name of the account in accounts of the configuration')
    .description('print the CloudFormation template of the role that zone53 assumes in another AWS account')
    .addOption(
      new Option(
        '--operators <arns...>',
        'let these roles or users assume the role, too, for plan and apply',
      ).argParser(collectPrincipal),
    )
    .addOption(
      new Option(
        '--outputs <file>',
        'let the functions of this stack assume the role: a file of "cdk deploy --outputs-file" or of "aws cloudformation describe-stacks"',
      ),
    )
    .addOption(new Option('--stack <name>', 'use this stack, if the file has several'))
    .addOption(configOption())
    .addOption(new Option('-o, --output <format>', 'print this format').choices(['yaml', 'json']).default('yaml'))
    .addHelpText('after', EXAMPLES)
    .action((account: string, flags: Flags) => manifestsAction(run, account, flags));
}

const EXAMPLES = `
Examples:
  zone53 manifests-for-account dns --outputs outputs.json > dns.yaml
  zone53 manifests-for-account dns --operators arn:aws:iam::111122223333:role/ci > dns.yaml
  aws cloudformation deploy --stack-name zone53 --template-file dns.yaml --capabilities CAPABILITY_NAMED_IAM

Deploy the stack first: a trust policy can only name roles that exist.

Exit codes: 0 printed; 1 an error.
`;

async function manifestsAction({ terminal }: Run, account: string, flags: Flags): Promise<void> {
  const config = await fleetConfigFrom(flags);
  const stack = flags.outputs === undefined ? null : await readStackOutputs(flags.outputs, flags.stack);
  if (stack?.assuming.length === 0)
    throw new UsageError(`${stack.name} was deployed without accounts: deploy it first with this configuration`);
  const template = accountTemplate(config, account, [...(stack?.assuming ?? []), ...(flags.operators ?? [])]);
  if (allowsUnlisted(config))
    terminal.writeError(
      `createHostedZones is all, so the role may create hosted zones in account ${account}, and write every hosted zone of it\n`,
    );
  terminal.write(
    flags.output === 'json'
      ? formatJson(template)
      : stringify(template, { lineWidth: 0, aliasDuplicateObjects: false }),
  );
}

function collectPrincipal(arn: string, before: readonly string[] = []): readonly string[] {
  if (!/^arn:[\w-]+:iam::\d{12}:(?:root|(?:role|user)\/[\w+=,.@/-]+)$/.test(arn))
    throw new InvalidArgumentError('Write the ARN of a role or user, such as arn:aws:iam::111122223333:role/ci.');
  return [...before, arn];
}
