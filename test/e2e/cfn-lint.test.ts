// cfn-lint finds nothing in the template of the example, with any configuration. The rules that it ignores are in
// .cfnlintrc.yaml, with the reasons.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { App } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { FUNCTION_ENVIRONMENT } from '../../functions/runtime/environment.ts';
import { addStacks } from '../../infra/app.ts';
import { describeWithEngine, engine } from '../engines/engines.ts';
import { emptyBundles } from '../support/empty-bundles.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const EXAMPLE = parse(readFileSync(path.join(ROOT, 'examples', 'aws', 'zone53.yaml'), 'utf8'));
const { endpoint } = EXAMPLE.aws.cluster;
const vpc = {
  id: 'vpc-0123456789abcdef0',
  subnets: ['subnet-0123456789abcdef0'],
  securityGroups: ['sg-0123456789abcdef0'],
};
const alarmTopic = 'arn:aws:sns:eu-west-1:111122223333:ops';
const tokenSecret = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:token-AbCdEf';

describeWithEngine('cfn-lint', 'cfn-lint', () => {
  it.each<[string, object]>([
    ['the example', EXAMPLE.aws],
    ['signed requests, a VPC, an alarm topic', { ...EXAMPLE.aws, vpc, alarmTopic, events: { webhook: 'iam' } }],
    [
      'a cluster that is not EKS',
      { region: 'us-east-1', cluster: { endpoint, tokenSecret }, events: { webhook: 'none', drift: true } },
    ],
  ])('%s', async (_title, aws) => {
    const outdir = mkdtempSync(path.join(tmpdir(), 'zone53-cfn-lint-'));
    const bundles = emptyBundles(Object.keys(FUNCTION_ENVIRONMENT));
    try {
      const app = new App({ outdir });
      addStacks(app, stringify({ ...EXAMPLE, aws }), 'zone53.yaml', bundles);
      app.synth();
      const templates = readdirSync(outdir).filter((name) => name.endsWith('.template.json'));
      expect(templates.length).toBeGreaterThan(0);
      expect(await lint(templates.map((name) => path.join(outdir, name)))).toBe('');
    } finally {
      for (const folder of [outdir, bundles]) rmSync(folder, { recursive: true });
    }
  });

  it('reports a file that is not a template', async () => {
    expect(await lint([path.join(ROOT, 'package.json')])).toMatch(/E\d{4}/);
  });
});

/** The problems that cfn-lint reports. */
async function lint(files: readonly string[]): Promise<string> {
  const run = promisify(execFile);
  const args = ['--config-file', path.join(ROOT, '.cfnlintrc.yaml'), '--', ...files];
  const { stdout } = await run(engine('cfn-lint') ?? '', args).catch((error: { stdout: string }) => error);
  return stdout.trim();
}
