// Checks of a deployed stack: its state, the configuration in S3, and the EKS cluster that the configuration names.

import { readS3Object } from '../../../lib/adapters/aws/s3-object.ts';
import type { ClusterAccess } from '../../../lib/adapters/config/access-schema.ts';
import { formatConfigProblem, parseDeployed } from '../../../lib/adapters/config/deployed-config.ts';
import { errorMessage, mapping } from '../../../lib/objects/plain.ts';
import { ALLOW, type Check, type Finding, fine, wrong } from './finding.ts';
import { type Account, getSigned } from './signed-request.ts';

/** A stack of CloudFormation. `outputs`: by their name without the construct before it and CDK's hash behind it. */
export type FoundStack = { readonly status: string; readonly outputs: ReadonlyMap<string, string> };

const OUTPUT = /(Table|ConfigurationObject|WebhookUrl)(?:[0-9A-F]{8})?$/;
const CONFIGURATION_OCTETS_MAX = 1024 * 1024;

/** Reads the stack (API reference of CloudFormation, DescribeStacks). Throws an Error in the words of AWS. */
export async function findStack(account: Account, name: string): Promise<FoundStack> {
  const query = { Action: 'DescribeStacks', Version: '2010-05-15', StackName: name };
  const { status, text } = await getSigned(account, 'cloudformation', '/', query);
  if (status !== 200) throw new Error(textOf(text, 'Message') ?? `CloudFormation answers ${status}`);
  const outputs = [...text.matchAll(/<OutputKey>(.*?)<\/OutputKey>\s*<OutputValue>(.*?)<\/OutputValue>/gs)];
  return {
    status: textOf(text, 'StackStatus') ?? 'unknown',
    outputs: new Map(
      outputs.flatMap(([, key = '', value = '']) => {
        const known = OUTPUT.exec(key)?.[1];
        return known === undefined ? [] : [[known, plain(value)]];
      }),
    ),
  };
}

function textOf(xml: string, element: string): string | null {
  const found = new RegExp(`<${element}>(.*?)</${element}>`, 's').exec(xml)?.[1];
  return found === undefined ? null : plain(found);
}

/** Text of XML, without the escapes that CloudFormation uses. */
function plain(text: string): string {
  const escapes: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => escapes[name] ?? '');
}

/** What CloudFormation says of the stack. */
export function stackCheck(name: string, find: () => Promise<FoundStack>): Check {
  return {
    name: `stack ${name}`,
    run: async () => {
      try {
        const { status } = await find();
        if (/^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status)) return fine(status);
        const remedy = `See what failed: aws cloudformation describe-stack-events --stack-name ${name}`;
        return wrong(
          `it is in ${status}`,
          status.endsWith('IN_PROGRESS') ? 'Wait until CloudFormation is done.' : remedy,
        );
      } catch (error) {
        return wrong(errorMessage(error), 'Correct --stack, or the account and region (AWS_PROFILE, AWS_REGION).');
      }
    },
  };
}

/** The object in S3 by which the functions of the stack work. */
export function configurationObjectCheck(open: () => Promise<Account>, find: () => Promise<FoundStack>): Check {
  return {
    name: 'configuration object',
    run: async () => {
      const address = (await find()).outputs.get('ConfigurationObject');
      const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/.exec(address ?? '') ?? [];
      if (bucket === '')
        return wrong('the stack has no output ConfigurationObject', 'Deploy the stack of this version.');
      const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
      const object = { ...(await open()), bucket, key, endpoint: AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL };
      const read = await readS3Object(object, { unlessEtag: null }, CONFIGURATION_OCTETS_MAX);
      if (read.kind !== 'found')
        return wrong(`${address}: ${read.kind === 'refused' ? read.reason : read.kind}`, ALLOW);
      return judged(`${address}`, read.text, read.version);
    },
  };
}

function judged(address: string, text: string, version: string | null): Finding {
  const remedy =
    'Correct it: the last valid version stays in force meanwhile. zone53 config check FILE says what is wrong.';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return wrong(`${address} is no JSON: ${errorMessage(error)}`, remedy);
  }
  const parsed = parseDeployed(value);
  if (!parsed.ok) return wrong(`${address}: ${parsed.problems.map(formatConfigProblem).join('; ')}`, remedy);
  return fine(version === null ? `${address} is valid` : `${address} is valid, version ${version}`);
}

type EksAccess = Extract<ClusterAccess, { kind: 'eks' }>;

/** The EKS cluster: its address and authority are those of the configuration, and the functions can reach it. */
export function eksCheck(open: () => Promise<Account>, access: EksAccess, hasVpc: boolean): Check {
  return {
    name: `EKS cluster ${access.clusterName}`,
    run: async () => {
      const { status, text } = await getSigned(await open(), 'eks', `/clusters/${access.clusterName}`);
      const answer = answerOf(text);
      if (status !== 200)
        return wrong(`EKS answers ${status}: ${String(answer.message ?? answer.Message ?? 'no message')}`, ALLOW);
      return judgeCluster(mapping(answer.cluster), access, hasVpc);
    },
  };
}

function answerOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return mapping(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Of EKS' DescribeCluster (Amazon EKS API reference). Last verified 2026-11-29. */
function judgeCluster(cluster: Readonly<Record<string, unknown>>, access: EksAccess, hasVpc: boolean): Finding {
  const { data } = mapping(cluster.certificateAuthority);
  if (typeof cluster.endpoint === 'string' && cluster.endpoint !== access.endpoint)
    return wrong(
      `its API server is ${cluster.endpoint}, and the configuration says ${access.endpoint}`,
      'Correct access.endpoint, and deploy the stack again.',
    );
  if (typeof data === 'string' && data !== access.certificateAuthority)
    return wrong(
      'its certificate authority is another than access.certificateAuthority: the functions cannot trust it',
      'Correct access.certificateAuthority (docs/runbook.md, "Cluster CA rotated").',
    );
  const { endpointPublicAccess, publicAccessCidrs, clusterSecurityGroupId } = mapping(cluster.resourcesVpcConfig);
  const cidrs = Array.isArray(publicAccessCidrs) ? publicAccessCidrs.map(String) : [];
  if (hasVpc)
    return fine(
      `the functions are in a VPC; its security group ${String(clusterSecurityGroupId)} has to admit theirs on port 443`,
    );
  if (endpointPublicAccess === false)
    return wrong(
      'its endpoint is private, and the functions are in no VPC',
      'Set aws.vpc, and deploy the stack again.',
    );
  if (cidrs.length > 0 && !cidrs.includes('0.0.0.0/0'))
    return wrong(
      `its public endpoint admits only ${cidrs.join(', ')}, and functions outside of a VPC have no fixed address`,
      'Set aws.vpc with a NAT gateway whose address is admitted, or the private endpoint, and deploy the stack again.',
    );
  return fine('its public endpoint admits the functions');
}
