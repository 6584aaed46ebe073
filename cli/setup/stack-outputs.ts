// What a deployed stack says of itself: the file that `cdk deploy --outputs-file FILE` writes, or the JSON of `aws
// cloudformation describe-stacks`. A stack may hold several Zone53 constructs, each with a cluster of its own; the name
// of an output is the construct's name, what it is, and eight hex digits of CDK's.
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { UsageError } from '../print/usage-error.ts';

/** One Zone53 construct of a deployed stack. */
export type DeployedStack = {
  /** The stack's name; where it holds several, `STACK/CONSTRUCT`. */
  readonly name: string;
  /** Of the function URL, with a slash at its end; null where there is none. */
  readonly webhookUrl: string | null;
  /** Of the function that refuses writes at the door; null where there is none. */
  readonly validateUrl: string | null;
  /** ARN of the secret that senders show; null where they sign, or where there is no URL. */
  readonly senderSecret: string | null;
  /**
   * ARN of the secret that those show who ask for a verdict; null where there is none, as in stacks of older versions.
   */
  readonly validateSecret: string | null;
  /** Name of the EKS cluster; null for another. */
  readonly eksCluster: string | null;
  /** ARNs of the roles that speak to the API server. */
  readonly roles: readonly string[];
  /** ARN of the role that lists Zones for those verdicts. */
  readonly validateRole: string | null;
};

const OUTPUT =
  /^(.*?)(WebhookUrl|ValidateUrl|SenderSecretArn|ValidateSecretArn|EksCluster|reconcileRole|reportRole|sweepRole|validateRole|Table|BusName)([0-9A-F]{8})$/;

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
 * Reads the outputs of the stack that is asked for. Throws UsageError: no such file, nothing of ours in it, or several
 * to choose from.
 */
export async function readStackOutputs(file: string, wanted: string | undefined): Promise<DeployedStack> {
  const found = deployedStacks(await readOutputs(file));
  const names = found.map(({ name }) => name).join(', ');
  if (found.length === 0)
    throw new UsageError(`Cannot find a Zone53 construct in ${file}: none of its outputs is ours`);
  const chosen = wanted === undefined ? found : found.filter(({ name }) => name === wanted);
  if (chosen.length === 1) return chosen[0] as DeployedStack;
  if (wanted === undefined) throw new UsageError(`${file} has several: say which by --stack: ${names}`);
  throw new UsageError(`Cannot find stack "${wanted}" in ${file}: it has ${names}`);
}

type Outputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

async function readOutputs(file: string): Promise<Outputs> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`Cannot read stack outputs from ${file}: ${error instanceof Error ? error.message : error}`);
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

/** Every Zone53 construct that the outputs tell of. */
function deployedStacks(outputs: Outputs): readonly DeployedStack[] {
  return Object.entries(outputs).flatMap(([stack, values]) => {
    const constructs = new Map<string, Map<string, string>>();
    for (const [key, value] of Object.entries(values)) {
      const [, construct, what] = OUTPUT.exec(key) ?? [];
      if (construct === undefined || what === undefined) continue;
      constructs.set(construct, (constructs.get(construct) ?? new Map()).set(what, value));
    }
    // Another construct's output may end like one of ours: a Zone53 has its table and its roles.
    const ours = [...constructs].filter(([, of]) => of.has('Table') && of.has('reconcileRole'));
    return ours.map(([construct, of]) => ({
      name: ours.length === 1 ? stack : `${stack}/${construct}`,
      webhookUrl: of.get('WebhookUrl') ?? null,
      validateUrl: of.get('ValidateUrl') ?? null,
      senderSecret: of.get('SenderSecretArn') ?? null,
      validateSecret: of.get('ValidateSecretArn') ?? null,
      eksCluster: of.get('EksCluster') ?? null,
      roles: ['reconcileRole', 'reportRole', 'sweepRole'].flatMap((what) => of.get(what) ?? []),
      validateRole: of.get('validateRole') ?? null,
    }));
  });
}
