// `zone53 config check FILE`: what is wrong with the configuration of a deployment, without AWS.
import type { Command } from 'commander';
import { readDeployedFile } from '../../lib/adapters/config/config-file.ts';
import { safeText } from '../print/terminal-text.ts';
import type { Run } from './run-command.ts';

/**
 * The keys from which the stack is made, and why. A change of any other key reaches the functions with the object in
 * S3, within a minute.
 */
const OF_THE_STACK: Readonly<Record<string, string>> = {
  hostedZones: 'the functions may change these hosted zones only',
  access: 'the functions reach the API server with it',
  events: 'it decides which sources of events there are',
  sources: 'the filter of the audit log names its kinds',
  intents: 'its roles are in the policies',
  takeover:
    'secrets of takeover.externalDns are in the policies; takeover.namespaces and takeover.equal alone need no stack',
  alarms: 'alarms are part of the stack',
  observability: 'it decides which alarms and dashboards there are',
  aws: 'it describes the stack',
};

/** Adds the command. */
export function addConfig(program: Command, run: Run): void {
  program
    .command('config')
    .description('look after the configuration')
    .command('check')
    .description('say what is wrong with the configuration of a deployment; needs no AWS and no cluster')
    .argument('<file>', 'the configuration, such as zone53.yaml')
    .addHelpText(
      'after',
      `
The functions judge the configuration in the same way. There \`roots\` is required: without it, anybody who may create
a Zone could publish any name. plan, apply and local need no roots, so they take files that are wrong here.

Examples:
  zone53 config check zone53.yaml
  zone53 config check zone53.yaml && aws s3 cp zone53.yaml s3://BUCKET/KEY

Exit codes: 0 the configuration is valid; 1 it is not, with a line file:line:column for each mistake.
`,
    )
    .action(async (file: string) => {
      const keys = await readDeployedFile(file);
      const needs = keys.flatMap((key) => {
        const why = Object.hasOwn(OF_THE_STACK, key) ? OF_THE_STACK[key] : undefined;
        return why === undefined ? [] : [`  ${key}: ${why}`];
      });
      const head = needs.length === 0 ? [] : ['After a change of these keys, deploy the stack again:', ...needs];
      run.terminal.write(run.terminal.fit(`${[`${safeText(file)} is valid.`, ...head].join('\n')}\n`));
    });
}
