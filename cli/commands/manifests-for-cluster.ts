// `zone53 manifests-for-cluster`: prints what a cluster needs to work with a deployed stack, or applies it after
// asking. The CRDs are not part of it: they are the files of crds/.
import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { stringify } from 'yaml';
import { clusterSecret } from '../../lib/adapters/aws/cluster-secret.ts';
import { reasonOf } from '../../lib/adapters/manifests/read-file.ts';
import { shippedFile } from '../../lib/adapters/system/shipped-file.ts';
import { FEW } from '../../lib/objects/source-settings.ts';
import { dnsRecordRules, rbacRules } from '../../lib/sources/cluster-needs.ts';
import { kindsHinted, kindsRead, namespacesRead, sourcesOn } from '../../lib/sources/source.ts';
import { formatJson, safeText } from '../print/terminal-text.ts';
import { UsageError } from '../print/usage-error.ts';
import {
  accessEntries,
  accessEntryCommand,
  auditKubeconfig,
  auditPolicy,
  type KubernetesObject,
  parseSubject,
  rbacManifests,
  type Subject,
  type WebhookTarget,
  webhookManifest,
  withRoles,
  withRules,
  withSources,
} from '../setup/cluster-manifests.ts';
import { readSecretFile } from '../setup/sender-secret.ts';
import { type DeployedStack, readStackOutputs } from '../setup/stack-outputs.ts';
import {
  type CommonFlags,
  clusterOption,
  configFrom,
  configOption,
  deploymentFrom,
  namedClusterFrom,
  sourceOption,
  webhookScopeFrom,
} from './options.ts';
import type { Run } from './run-command.ts';

type Flags = {
  readonly outputs?: string;
  readonly stack?: string;
  readonly url?: string;
  readonly validateUrl?: string;
  readonly secretFile?: string;
  readonly validateSecretFile?: string;
  readonly caFile?: string;
  readonly subject?: Subject;
  readonly output: 'yaml' | 'json';
  readonly print: 'manifests' | 'rbac' | 'audit-kubeconfig' | 'audit-policy' | 'access-entries';
  readonly config?: string;
  readonly cluster?: string;
  readonly source?: NonNullable<CommonFlags['source']>;
  readonly context?: string;
  readonly forceConflicts?: boolean;
  readonly yes?: boolean;
};

/** Adds the command. */
export function addManifestsForCluster(program: Command, run: Run): void {
  program
    .command('manifests-for-cluster')
    .description('print what a cluster needs for a deployed stack: RBAC, webhook configuration, access entries')
    .addOption(
      new Option(
        '--outputs <file>',
        'read the outputs of the stack: a file of "cdk deploy --outputs-file" or of "aws cloudformation describe-stacks"',
      ),
    )
    .addOption(new Option('--stack <name>', 'use this stack, if the file has several'))
    .addOption(
      new Option('--url <url>', "use this function URL instead of the one in the stack's outputs").argParser(parseUrl),
    )
    .addOption(
      new Option(
        '--validate-url <url>',
        "use this URL of the validating function instead of the one in the stack's outputs",
      ).argParser(parseUrl),
    )
    .addOption(
      new Option(
        '--secret-file <file>',
        "read the sender's secret from this file; - is standard input (default: from Secrets Manager)",
      ),
    )
    .addOption(
      new Option(
        '--validate-secret-file <file>',
        "read the secret of the validating function from this file (default: from Secrets Manager; without a stack, the sender's secret)",
      ),
    )
    .addOption(
      new Option(
        '--ca-file <file>',
        'PEM of the private certificate authority that signed the certificates of --url and --validate-url',
      ),
    )
    .addOption(
      new Option(
        '--subject <subject>',
        'bind the role to this Group:NAME, User:NAME or ServiceAccount:NAMESPACE:NAME (default: Group:zone53)',
      ).argParser(subjectOf),
    )
    .addOption(
      new Option('--print <what>', 'print this part')
        .choices(['manifests', 'rbac', 'audit-kubeconfig', 'audit-policy', 'access-entries'])
        .default('manifests'),
    )
    .addOption(configOption())
    .addOption(clusterOption())
    .addOption(sourceOption())
    .addOption(new Option('-o, --output <format>', 'print this format').choices(['yaml', 'json']).default('yaml'))
    .addOption(
      new Option('--context <name>', 'apply the manifests to the cluster of this kubeconfig context, after asking'),
    )
    .option('--force-conflicts', 'with --context: take over fields that somebody else manages')
    .option('--yes', 'with --context: do not ask')
    .addHelpText('after', EXAMPLES)
    .action((flags: Flags) => manifestsAction(run, flags));
}

const EXAMPLES = `
Examples:
  npx cdk deploy --all --outputs-file outputs.json
  zone53 manifests-for-cluster --outputs outputs.json | kubectl apply --server-side -f -
  zone53 manifests-for-cluster --outputs outputs.json --context prod        applies them itself, after asking
  zone53 manifests-for-cluster --print rbac --config zone53.yaml | kubectl apply -f -   the role with the rules for all sources
  zone53 manifests-for-cluster --outputs outputs.json --cluster prod-us --context prod-us   of several clusters, one
  zone53 manifests-for-cluster --outputs outputs.json --print access-entries | sh
  zone53 manifests-for-cluster --outputs outputs.json --print audit-kubeconfig > audit-webhook.kubeconfig
  zone53 manifests-for-cluster --print audit-policy --config zone53.yaml > audit-policy.yaml
  aws cloudformation describe-stacks --stack-name Zone53 > outputs.json     the same without the CDK

The output contains the sender's secret. The CRDs are applied separately: kubectl apply -f crds/

Exit codes: 0 printed, or applied; 1 an error, or not applied.
`;

async function manifestsAction(run: Run, flags: Flags): Promise<void> {
  const { terminal } = run;
  const stack = await withEks(
    flags,
    flags.outputs === undefined ? null : await readStackOutputs(flags.outputs, flags.stack),
  );
  if (flags.context !== undefined) {
    const isApplied = flags.print === 'manifests' || flags.print === 'rbac';
    if (!isApplied) throw new UsageError('--context applies only manifests and rbac: leave --print out');
    const objects = flags.print === 'rbac' ? await rbacOf(flags, stack) : await manifestsOf(run, flags, stack);
    return applyManifests(run, flags, flags.context, objects);
  }
  if (flags.yes === true || flags.forceConflicts === true)
    throw new UsageError('--yes and --force-conflicts need --context NAME: without it, nothing is applied');
  const print = (value: object) =>
    terminal.write(flags.output === 'json' ? formatJson(value) : stringify(value, { lineWidth: 0 }));
  switch (flags.print) {
    case 'audit-kubeconfig':
      return print(auditKubeconfig(await targetNeeded(run, flags, stack)));
    case 'audit-policy':
      return print(auditPolicy(kindsHinted(await configFrom(flags))));
    case 'access-entries': {
      if (stack === null) throw new UsageError('Access entries need --outputs FILE, which names the roles');
      const entries = accessEntries(stack);
      if (flags.output === 'json') return print(entries);
      for (const entry of entries) terminal.write(`${accessEntryCommand(entry)}\n`);
      return;
    }
    case 'rbac':
    case 'manifests': {
      const objects = flags.print === 'rbac' ? await rbacOf(flags, stack) : await manifestsOf(run, flags, stack);
      if (flags.output === 'json') return print({ apiVersion: 'v1', kind: 'List', items: objects });
      terminal.write(objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n'));
    }
  }
}

/** The RBAC rules for the kinds that are switched on, and for no others. */
async function rbacOf(flags: Flags, stack: DeployedStack | null): Promise<readonly KubernetesObject[]> {
  const validateUrl = flags.validateUrl ?? stack?.validateUrl ?? null;
  // With a subject, one identity has the whole role; without, each function of an EKS stack has its own.
  const lesser = validateUrl !== null && (flags.subject === undefined || (stack?.eksCluster ?? null) !== null);
  const { sources, dnsRecords } = await configFrom(flags);
  const seed = dnsRecords === null ? null : dnsRecordRules(dnsRecords.secretNamespaces);
  const objects = withRules(rbacManifests(shippedFile('crds/rbac.yaml'), flags.subject ?? null, lesser), [
    ...rbacRules(kindsRead(sourcesOn(sources))),
    ...(seed?.everywhere ?? []),
  ]);
  return withRoles(objects, seed?.inNamespaces ?? []);
}

async function manifestsOf(run: Run, flags: Flags, stack: DeployedStack | null): Promise<readonly KubernetesObject[]> {
  const validateUrl = flags.validateUrl ?? stack?.validateUrl ?? null;
  const rbac = await rbacOf(flags, stack);
  const found = await targetOf(run, flags, stack);
  if (found === null) {
    const lacks = stack === null ? '--outputs is not given' : 'the stack has no function URL with a secret';
    run.terminal.writeError(`no webhook configuration: ${lacks}, and --url is not given\n`);
    return rbac;
  }
  const config = await configFrom(flags);
  const target = await ofCluster(flags, found);
  const example = webhookManifest(shippedFile('crds/examples/admission-webhook.yaml'), target);
  // A DNSRecord is in the namespace of its shoot.
  const read = config.dnsRecords === null ? namespacesRead(config.sources) : null;
  const { kinds, namespaces } = (await webhookScopeFrom(flags)) ?? FEW;
  const hints = withSources(example, kindsHinted(config), { kinds, namespaces: namespaces ?? read });
  if (validateUrl === null) return [...rbac, hints];
  const ca = await caOf(flags, flags.validateUrl !== undefined);
  const secret = await doorSecretOf(run, flags, stack, found.secret);
  const door = await ofCluster(flags, { url: withSlash(validateUrl), ca, secret });
  return [...rbac, hints, webhookManifest(shippedFile('crds/examples/validating-webhook.yaml'), door)];
}

/** The secret of the validating webhook: that of a file, or of the stack, or else the same as for hints. */
function doorSecretOf({ useCases }: Run, flags: Flags, stack: DeployedStack | null, hints: string): Promise<string> {
  const { validateSecretFile: file } = flags;
  if (file !== undefined) return readSecretFile(file);
  const arn = stack?.validateSecret ?? null;
  return arn === null ? Promise.resolve(hints) : useCases.readSenderSecret(arn);
}

/** The address and the secret of the cluster, if the configuration has it below `clusters`. */
async function ofCluster(flags: Flags, target: WebhookTarget): Promise<WebhookTarget> {
  const cluster = await namedClusterFrom(flags);
  if (cluster === null) return target;
  return { ...target, url: `${target.url}clusters/${cluster}/`, secret: clusterSecret(target.secret, cluster) };
}

/** The stack, with the name of the EKS cluster: the outputs have none if there are several. */
async function withEks(flags: Flags, stack: DeployedStack | null): Promise<DeployedStack | null> {
  if (stack === null || stack.eksCluster !== null || (await namedClusterFrom(flags)) === null) return stack;
  const access = (await deploymentFrom(flags))?.access;
  return access?.kind === 'eks' ? { ...stack, eksCluster: access.clusterName } : stack;
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

/** The address for hints, with its secret; null if the stack has none. */
async function targetOf(run: Run, flags: Flags, stack: DeployedStack | null): Promise<WebhookTarget | null> {
  const url = flags.url ?? stack?.webhookUrl ?? null;
  if (url === null && flags.validateUrl !== undefined)
    throw new UsageError(
      '--validate-url also needs the URL for hints: add --url, or --outputs of a stack that has one',
    );
  if (url === null) return null;
  const arn = stack?.senderSecret ?? null;
  if (flags.secretFile === undefined && arn === null) {
    if (flags.url !== undefined)
      throw new UsageError('--url needs --secret-file FILE, or --outputs FILE of a stack that has a secret');
    // The stack's URL takes signed requests only, and an API server cannot sign.
    return null;
  }
  const secret =
    flags.secretFile === undefined
      ? await run.useCases.readSenderSecret(arn ?? '')
      : await readSecretFile(flags.secretFile);
  return {
    url: withSlash(url),
    secret,
    ca: await caOf(flags, flags.url !== undefined),
  };
}

/**
 * The private authority, for URLs that were given by flag. The URLs of AWS have certificates of well-known authorities.
 */
async function caOf({ caFile, url, validateUrl }: Flags, isGiven: boolean): Promise<string | null> {
  const noneIsGiven = url === undefined && validateUrl === undefined;
  return caFile !== undefined && (isGiven || noneIsGiven) ? pemOf(caFile) : null;
}

async function targetNeeded(run: Run, flags: Flags, stack: DeployedStack | null): Promise<WebhookTarget> {
  const target = await targetOf(run, flags, stack);
  if (target !== null) return ofCluster(flags, target);
  throw new UsageError(
    'There is no URL to send audit events to: deploy with webhook: secret, or pass --url and --secret-file',
  );
}

async function applyManifests(
  { terminal, useCases }: Run,
  flags: Flags,
  context: string,
  objects: readonly KubernetesObject[],
): Promise<void> {
  const titles = objects.map(({ kind, metadata: { namespace, name } }) =>
    safeText(`${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`),
  );
  const list = titles.map((title) => `  ${title}\n`).join('');
  terminal.writeError(`To be applied to ${safeText(context)}:\n${list}`);
  if (flags.yes !== true) {
    if (terminal.ask === null || flags.secretFile === '-' || flags.validateSecretFile === '-') {
      throw new UsageError('Cannot ask for confirmation, because there is no terminal: pass --yes');
    }
    if (!/^y(es)?$/i.test((await terminal.ask('Apply? [y/N] ')).trim())) throw new UsageError('Nothing was applied');
  }
  await useCases.applyObjects(context, objects, flags.forceConflicts === true);
  for (const title of titles) terminal.write(`${title} applied\n`);
}

async function pemOf(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`Cannot read --ca-file ${file}: ${reasonOf(error)}`);
  });
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new UsageError(`--ca-file ${file} has no PEM certificate`);
  return text;
}

function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:' || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new InvalidArgumentError('Write an https address without user, query and fragment, as API servers ask for.');
  }
  return text;
}

function subjectOf(text: string): Subject {
  const subject = parseSubject(text);
  if (subject === null) throw new InvalidArgumentError('Write Group:NAME, User:NAME or ServiceAccount:NAMESPACE:NAME.');
  return subject;
}
