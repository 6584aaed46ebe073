// Reads the outputs of a deployed stack: the file of `cdk deploy --outputs-file FILE`, or the JSON of `aws
// cloudformation describe-stacks`. A stack may have several Zone53 constructs, one for each cluster. The name of an
// output is the construct's name, the kind of output, and eight hex digits of CDK's.
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { reasonOf } from '../../lib/adapters/manifests/read-file.ts';
import { UsageError } from '../print/usage-error.ts';

/** One Zone53 construct of a deployed stack. */
export type DeployedStack = {
  /** The stack's name, or `STACK/CONSTRUCT` if it has several constructs. */
  readonly name: string;
  /** The function URL for hints, which ends with a slash; null if there is none. */
  readonly webhookUrl: string | null;
  /** The URL of the validating webhook; null if there is none. */
  readonly validateUrl: string | null;
  /** ARN of the secret of senders; null if they sign with IAM, or if there is no URL. */
  readonly senderSecret: string | null;
  /** ARN of the secret of the validating webhook; null if there is none. */
  readonly validateSecret: string | null;
  /** Name of the EKS cluster; null for another kind of cluster. */
  readonly eksCluster: string | null;
  /** The roles that call the API server: each its ARN, and its RBAC group. */
  readonly roles: readonly { readonly arn: string; readonly group: string }[];
  /** The ARNs of the roles that work in other accounts; none if the stack was deployed without `accounts`. */
  readonly assuming: readonly string[];
};

/** The outputs of the roles that work in other accounts. The first one is only there if the stack has `accounts`. */
const ASSUMING = ['publishRole', 'reconcileRole', 'sweepRole', 'IntentApiRole'];

/** The RBAC group of each role that a stack may have, by its output. The role of intents is an output of IntentApi. */
const GROUPS: Readonly<Record<string, string>> = {
  reconcileRole: 'zone53',
  reportRole: 'zone53',
  sweepRole: 'zone53',
  pollRole: 'zone53',
  validateRole: 'zone53-validate',
  IntentApiRole: 'zone53-intents',
};

const OUTPUT =
  /^(.*?)(WebhookUrl|ValidateUrl|SenderSecretArn|ValidateSecretArn|EksCluster|reconcileRole|publishRole|reportRole|sweepRole|pollRole|validateRole|IntentApiRole|Table|BusName)([0-9A-F]{8})$/;

const cdkFile = z.record(z.string(), z.record(z.string(), z.string()));
const described = z.object({
  Stacks: z.array(
    z.object({
      StackName: z.string(),
      Outputs: z.array(z.object({ OutputKey: z.string(), OutputValue: z.string() })).optional(),
    }),
  ),
});

/**
 * Reads the outputs of the chosen stack. Throws UsageError if the file cannot be read, has no Zone53 construct, or has
 * several and none is chosen.
 */
export async function readStackOutputs(file: string, wanted: string | undefined): Promise<DeployedStack> {
  const found = deployedStacks(await readOutputs(file));
  const names = found.map(({ name }) => name).join(', ');
  if (found.length === 0) throw new UsageError(`Cannot find a Zone53 construct in ${file}: it has no outputs of one`);
  const chosen = wanted === undefined ? found : found.filter(({ name }) => name === wanted);
  if (chosen.length === 1) return chosen[0] as DeployedStack;
  if (wanted === undefined) throw new UsageError(`${file} has several: choose one with --stack: ${names}`);
  throw new UsageError(`Cannot find stack "${wanted}" in ${file}: it has ${names}`);
}

type Outputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

async function readOutputs(file: string): Promise<Outputs> {
  let value: unknown;
  try {
    // Without a byte order mark, which editors and PowerShell write.
    value = JSON.parse(new TextDecoder().decode(await readFile(file)));
  } catch (error) {
    throw new UsageError(`Cannot read stack outputs from ${file}: ${reasonOf(error)}`);
  }
  const answer = described.safeParse(value);
  if (answer.success) {
    const pairs = answer.data.Stacks.map(({ StackName, Outputs = [] }) => [
      StackName,
      Object.fromEntries(Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue])),
    ]);
    return Object.fromEntries(pairs);
  }
  const written = cdkFile.safeParse(value);
  if (written.success) return written.data;
  throw new UsageError(
    `Cannot read stack outputs from ${file}: it is neither what "cdk deploy --outputs-file" writes nor the JSON of "aws cloudformation describe-stacks"`,
  );
}

/** All Zone53 constructs in the outputs. */
function deployedStacks(outputs: Outputs): readonly DeployedStack[] {
  return Object.entries(outputs).flatMap(([stack, values]) => {
    const constructs = new Map<string, Map<string, string>>();
    for (const [key, value] of Object.entries(values)) {
      const [, construct, what] = OUTPUT.exec(key) ?? [];
      if (construct === undefined || what === undefined) continue;
      constructs.set(construct, (constructs.get(construct) ?? new Map()).set(what, value));
    }
    // An output of another construct may have the same ending. A Zone53 construct has both a table and roles.
    const ours = [...constructs].filter(([, of]) => of.has('Table') && of.has('reconcileRole'));
    return ours.map(([construct, of]) => ({
      name: ours.length === 1 ? stack : `${stack}/${construct}`,
      webhookUrl: of.get('WebhookUrl') ?? null,
      validateUrl: of.get('ValidateUrl') ?? null,
      senderSecret: of.get('SenderSecretArn') ?? null,
      validateSecret: of.get('ValidateSecretArn') ?? null,
      eksCluster: of.get('EksCluster') ?? null,
      roles: Object.entries(GROUPS).flatMap(([what, group]) => {
        const arn = of.get(what);
        return arn === undefined ? [] : [{ arn, group }];
      }),
      assuming: of.has('publishRole') ? ASSUMING.flatMap((what) => of.get(what) ?? []) : [],
    }));
  });
}
