// Deploys the template with parameters of a release, without CDK, by the calls that `aws s3 cp` and `aws cloudformation
// deploy` make (docs/deploy.md): zips and configuration into a bucket, then the stack.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { XMLParser } from 'fast-xml-parser';
import { parameterTemplate } from '../../infra/cloudformation-template.ts';
import { zip } from '../../release/archive.ts';
import { type MiniStack, REGION } from '../engines/ministack/start.ts';

const STACK = 'Zone53';
const BUCKET = 'zone53-releases';
const PREFIX = 'zone53/0.1.0/';
const KEY = 'zone53/zone53.json';
const MINUTES_MAX = 3;

type Fit = { readonly configuration: object; readonly hostedZoneId: string; readonly cluster: string };
type Outputs = Readonly<Record<string, string>>;

/** Returns the outputs of the stack. */
export async function deployTemplate(ministack: MiniStack, bundles: string, fit: Fit): Promise<Outputs> {
  const put = (key: string, text: string | Uint8Array) =>
    ministack.call({ service: 's3', method: 'PUT', path: `/${BUCKET}${key}`, text });
  await put(
    '',
    `<CreateBucketConfiguration><LocationConstraint>${REGION}</LocationConstraint></CreateBucketConfiguration>`,
  );
  await put('?versioning', '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>');
  for (const name of readdirSync(bundles)) await put(`/${PREFIX}${name}.zip`, zip(filesIn(path.join(bundles, name))));
  await put(`/${KEY}`, JSON.stringify(fit.configuration));
  // A request of CloudFormation takes 51,200 octets of a template.
  await put('/template.yaml', parameterTemplate());
  await createStack(ministack, {
    ...{ CodeBucket: BUCKET, CodePrefix: PREFIX },
    ...{ ConfigurationBucket: BUCKET, ConfigurationKey: KEY, EksCluster: fit.cluster },
    ...{ HostedZoneArns: `arn:aws:route53:::hostedzone/${fit.hostedZoneId}`, ApexNames: 'example.org' },
  });
  return untilMade(ministack);
}

function filesIn(folder: string) {
  return readdirSync(folder).map((name) => ({ name, bytes: readFileSync(path.join(folder, name)) }));
}

async function createStack({ call }: MiniStack, parameters: Readonly<Record<string, string>>) {
  const given = Object.entries(parameters).flatMap(([key, value], index) => [
    [`Parameters.member.${index + 1}.ParameterKey`, key],
    [`Parameters.member.${index + 1}.ParameterValue`, value],
  ]);
  const form = {
    ...{ Action: 'CreateStack', Version: '2010-05-15', StackName: STACK },
    TemplateURL: `https://s3.${REGION}.amazonaws.com/${BUCKET}/template.yaml`,
    ...{ 'Capabilities.member.1': 'CAPABILITY_IAM', OnFailure: 'DO_NOTHING', ...Object.fromEntries(given) },
  };
  await call({ service: 'cloudformation', form });
}

type Described = {
  readonly StackStatus: string;
  readonly StackStatusReason?: string;
  readonly Outputs?: { readonly member: readonly { readonly OutputKey: string; readonly OutputValue: string }[] };
};

async function untilMade({ call, logTail }: MiniStack): Promise<Outputs> {
  const deadline = performance.now() + MINUTES_MAX * 60_000;
  for (;;) {
    const form = { Action: 'DescribeStacks', Version: '2010-05-15', StackName: STACK };
    const { xml } = await call({ service: 'cloudformation', form });
    const parser = new XMLParser({ isArray: (name) => name === 'member', parseTagValue: false });
    const [stack] = parser.parse(String(xml)).DescribeStacksResponse.DescribeStacksResult.Stacks.member as Described[];
    const status = stack?.StackStatus ?? 'missing';
    if (status === 'CREATE_COMPLETE')
      return Object.fromEntries((stack?.Outputs?.member ?? []).map((one) => [one.OutputKey, one.OutputValue]));
    if (!status.endsWith('IN_PROGRESS') || performance.now() > deadline) {
      const reason = stack?.StackStatusReason ?? '';
      throw new Error(`The stack is ${status}: ${reason}\n${await failures(call)}\n${logTail()}`);
    }
    await sleep(200);
  }
}

async function failures(call: MiniStack['call']): Promise<string> {
  const form = { Action: 'DescribeStackEvents', Version: '2010-05-15', StackName: STACK };
  const { xml } = await call({ service: 'cloudformation', form });
  return [...String(xml).matchAll(/<member>(?:(?!<\/member>)[\s\S])*FAILED[\s\S]*?<\/member>/g)].join('\n');
}
