// `zone53 template`: prints the CloudFormation template of a deployment without CDK.
import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { reasonOf } from '../../lib/adapters/manifests/read-file.ts';
import { UsageError } from '../print/usage-error.ts';
import type { Run } from './run-command.ts';

type Flags = { readonly config?: string; readonly driftForwarding?: true; readonly output?: string };

/** Adds the command. */
export function addTemplate(program: Command, run: Run): void {
  program
    .command('template')
    .description('print a CloudFormation template, to deploy zone53 without CDK')
    .addOption(
      new Option(
        '--config <file>',
        'print the template that fits this configuration; without it, the one with parameters for hosted zones',
      ),
    )
    .addOption(new Option('--drift-forwarding', 'print that of the second stack, which drift needs outside us-east-1'))
    .addOption(new Option('-o, --output <file>', 'write this file; default: standard output'))
    .addHelpText(
      'after',
      `
The template is made by the CDK construct, and has no assets: upload functions/*.zip of the release into a bucket, and
pass the bucket and the prefix as the parameters CodeBucket and CodePrefix (docs/deploy.md). It is larger than the
51,200 octets that CloudFormation takes from a request, so aws cloudformation deploy needs --s3-bucket, too.

Examples:
  zone53 template --config zone53.yaml -o zone53.template.yaml
  zone53 template --config zone53.yaml --drift-forwarding

Exit codes: 0 printed; 1 an invalid configuration, or no aws-cdk-lib beside the package.
`,
    )
    .action(async ({ config, driftForwarding, output }: Flags) => {
      const text = await run.useCases.template(config ?? null, driftForwarding === true);
      if (output === undefined) run.terminal.write(text);
      else await write(output, text);
    });
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    throw new UsageError(`Cannot write ${file}: ${reasonOf(error)}`);
  });
}
