// The CDK app: `npx cdk deploy` makes the stacks that `zone53.yaml` describes. Another file: `-c config=FILE`.
import { readFileSync } from 'node:fs';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ConfigurationError } from './settings/settings.ts';
import { addStacks } from './stacks.ts';

/** False where the configuration is wrong: that is printed without a stack trace, because the user can correct it. */
export function synthesize(app: App, writeError: (text: string) => void): boolean {
  const file = String(app.node.tryGetContext('config') ?? 'zone53.yaml');
  try {
    addStacks(app, readConfiguration(file), file);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    writeError(`${error.message}\n`);
    return false;
  }
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return true;
}

function readConfiguration(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = 'copy examples/aws/zone53.yaml there, or name another file: -c config=FILE';
    throw new ConfigurationError(`Cannot read ${file}: ${reason}: ${advice}`, { cause });
  }
}

if (import.meta.main && !synthesize(new App(), (text) => process.stderr.write(text))) process.exit(1);
