// The CloudFormation template of a deployment without CDK. It is made by the construct, so it needs the CDK. That is no
// dependency of the package: who deploys in another way needs none. The executable of one file has it inside.
import { readFile } from 'node:fs/promises';
import { reasonOf } from '../../lib/adapters/manifests/read-file.ts';
import { UsageError } from '../print/usage-error.ts';

type Templates = typeof import('../../infra/cloudformation-template.ts');

/**
 * The template that fits the configuration in this file; null: the one with parameters. `isDrift`: that of the stack
 * that forwards events about drift. Throws a UsageError.
 */
export async function printTemplate(file: string | null, isDrift: boolean): Promise<string> {
  if (file === null && isDrift) throw new UsageError('--drift-forwarding needs --config');
  const { fittedTemplate, parameterTemplate } = await loadTemplates();
  if (file === null) return parameterTemplate();
  const source = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`Cannot read ${file}: ${reasonOf(error)}`);
  });
  const fitted = fittedTemplate(source, file);
  if (!fitted.ok) throw new UsageError(fitted.message);
  if (!isDrift) return fitted.home;
  if (fitted.drift === null)
    throw new UsageError(`${file} needs no second stack: drift is not asked for, or seen in its region`);
  return fitted.drift;
}

async function loadTemplates(): Promise<Templates> {
  try {
    return await import('../../infra/cloudformation-template.ts');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(
      'zone53 template needs the CDK beside the package: run "npm install aws-cdk-lib constructs", or use the executable of the release',
    );
  }
}
