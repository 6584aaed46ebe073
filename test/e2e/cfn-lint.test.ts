// cfn-lint finds nothing in the template of the example, with any configuration. The rules that it ignores are in
// .cfnlintrc.yaml, with the reasons.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { App } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { FUNCTION_ENVIRONMENT } from '../../functions/runtime/environment.ts';
import { fittedTemplate, parameterTemplate } from '../../infra/cloudformation-template.ts';
import { addStacks } from '../../infra/stacks.ts';
import { describeWithEngine, engine } from '../engines/engines.ts';
import { emptyBundles } from '../support/empty-bundles.ts';
import { runHere } from '../support/run-here.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const EXAMPLE = parse(readFileSync(path.join(ROOT, 'examples', 'aws', 'zone53.yaml'), 'utf8'));
const { endpoint } = EXAMPLE.access;
const vpc = {
  id: 'vpc-0123456789abcdef0',
  subnets: ['subnet-0123456789abcdef0'],
  securityGroups: ['sg-0123456789abcdef0'],
};
const alarms = { notify: 'arn:aws:sns:eu-west-1:111122223333:ops', thresholds: { Refusals: 20, OldestDirty: false } };
const encryptionKey = 'arn:aws:kms:eu-west-1:111122223333:key/01234567-89ab-cdef-0123-456789abcdef';
const tokenSecret = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:token-AbCdEf';

describeWithEngine('cfn-lint', 'cfn-lint', () => {
  it.each<[string, object]>([
    ['the example', {}],
    [
      'signed requests, a VPC, an alarm topic',
      { aws: { ...EXAMPLE.aws, vpc }, alarms, events: { webhook: { auth: 'iam' } } },
    ],
    [
      'lean alarms, a key, traces',
      { alarms, observability: 'lean', aws: { ...EXAMPLE.aws, encryptionKey, tracing: true, logRetentionDays: 90 } },
    ],
    [
      'a cluster that is not EKS',
      { aws: { region: 'us-east-1' }, access: { endpoint, tokenSecret }, events: { drift: true } },
    ],
  ])('%s', async (_title, change) => {
    const outdir = mkdtempSync(path.join(tmpdir(), 'zone53-cfn-lint-'));
    const bundles = emptyBundles(Object.keys(FUNCTION_ENVIRONMENT));
    try {
      const app = new App({ outdir });
      addStacks(app, stringify({ ...EXAMPLE, ...change }), 'zone53.yaml', bundles);
      app.synth();
      const templates = readdirSync(outdir).filter((name) => name.endsWith('.template.json'));
      expect(templates.length).toBeGreaterThan(0);
      expect(await lint(templates.map((name) => path.join(outdir, name)))).toBe('');
    } finally {
      for (const folder of [outdir, bundles]) rmSync(folder, { recursive: true });
    }
  });

  it.each<[string, () => string]>([
    ['with parameters', parameterTemplate],
    [
      'made for the example',
      () => (fittedTemplate(stringify(EXAMPLE), 'zone53.yaml') as { readonly home: string }).home,
    ],
  ])('the template without CDK, %s', async (_title, make) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'zone53-cfn-lint-'));
    try {
      const file = path.join(folder, 'zone53.template.yaml');
      writeFileSync(file, make());
      expect(await lint([file])).toBe('');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each(['never', 'all'])('the role of another account, createHostedZones: %s', async (createHostedZones) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'zone53-cfn-lint-'));
    const hostedZones = Array.from({ length: 200 }, (_, index) => ({
      ...{ zone: `brand-${index}.example`, id: `Z0123456789ABCDE${String(index).padStart(4, '0')}`, account: 'dns' },
    }));
    const role = 'arn:aws:iam::111122223333:role/teams/zone53';
    const accounts = { dns: { role, externalId: 'ours', intents: true } };
    try {
      const config = path.join(folder, 'zone53.yaml');
      writeFileSync(config, stringify({ accounts, hostedZones, createHostedZones }));
      const operator = 'arn:aws:iam::444455556666:role/ci';
      const flags = ['--config', config, '--operators', operator];
      const { out } = await runHere('manifests-for-account', 'dns', ...flags);
      const file = path.join(folder, 'dns.yaml');
      writeFileSync(file, out);
      expect(await lint([file])).toBe('');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reports a file that is not a template', async () => {
    expect(await lint([path.join(ROOT, 'package.json')])).toMatch(/E\d{4}/);
  });
});

/** What cfn-lint 1.58.0 says of an action that it does not know yet, which Route 53 has since July 2026, and where. */
const UNKNOWN = /^W3037 .*'listresourcerecordsetprotections' is not one of .*\n\S+:\d+:\d+\n*/gim;

/** The problems that cfn-lint reports. */
async function lint(files: readonly string[]): Promise<string> {
  const run = promisify(execFile);
  const args = ['--config-file', path.join(ROOT, '.cfnlintrc.yaml'), '--', ...files];
  const { stdout } = await run(engine('cfn-lint') ?? '', args).catch((error: { stdout: string }) => error);
  return stdout.replaceAll(UNKNOWN, '').trim();
}
