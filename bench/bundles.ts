// How long it takes to import each function's bundle, compared with a bare handler that makes the same SDK clients and
// does nothing: the difference is what our own code adds to a cold start. Each import runs in a new process. Ours and
// the bare one alternate, so that both meet the same load on the machine.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FUNCTION_ENVIRONMENT, type FunctionName } from '../functions/runtime/environment.ts';
import { buildFunctions, bundle, importMs, median, SAMPLE_ENVIRONMENT } from '../infra/build-functions.ts';
import { atMost, type BenchResult } from './result.ts';

const IMPORTS = 21;
const CLIENTS = {
  sqs: ['SQSClient', '@aws-sdk/client-sqs', 'SendMessageBatchCommand, ChangeMessageVisibilityBatchCommand'],
  dynamodb: ['DynamoDBClient', '@aws-sdk/client-dynamodb', ''],
  document: [
    '',
    '@aws-sdk/lib-dynamodb',
    'DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, DeleteCommand',
  ],
  route53: [
    'Route53Client',
    '@aws-sdk/client-route-53',
    'ChangeResourceRecordSetsCommand, ListResourceRecordSetsCommand',
  ],
  secrets: ['SecretsManagerClient', '@aws-sdk/client-secrets-manager', 'GetSecretValueCommand'],
} as const;
const USED: Readonly<Record<FunctionName, readonly (keyof typeof CLIENTS)[]>> = {
  ingest: ['sqs', 'secrets'],
  reconcile: ['sqs', 'dynamodb', 'document', 'route53', 'secrets'],
  publish: ['sqs', 'dynamodb', 'document', 'route53'],
  report: ['sqs', 'dynamodb', 'document', 'secrets'],
  sweep: ['sqs', 'dynamodb', 'document', 'route53', 'secrets'],
  validate: ['dynamodb', 'secrets'],
  intents: ['sqs', 'dynamodb', 'document', 'route53', 'secrets'],
};
const RATIO_MAX: Partial<Record<FunctionName, number>> = { ingest: 2, publish: 1.5 };

/** A handler with these clients and nothing else. */
function bareHandler(name: FunctionName): string {
  const imports = USED[name].map((client) => {
    const [made, from, commands] = CLIENTS[client];
    return `import { ${[made, commands].filter(Boolean).join(', ')} } from '${from}';`;
  });
  const made = USED[name].flatMap((client) => CLIENTS[client][0] || []);
  const used = USED[name].flatMap((client) => CLIENTS[client][2].split(', ').filter(Boolean));
  const clients = `const clients = [${made.map((client) => `new ${client}({ region: 'eu-west-1' })`).join(', ')}];`;
  return [...imports, clients, `export const handler = async () => [clients, ${used.join(', ')}];`].join('\n');
}

/** Limits: importing ingest takes at most 2 times, publish at most 1.5 times, as long as importing the bare handler. */
export async function benchBundles(): Promise<BenchResult> {
  // Inside the checkout, because Node looks for packages from there.
  const folder = mkdtempSync(path.join(import.meta.dirname, '..', 'node_modules', '.zone53-bundles-'));
  try {
    const names = Object.keys(FUNCTION_ENVIRONMENT) as FunctionName[];
    await buildFunctions(path.join(folder, 'ours'));
    for (const name of names) writeFileSync(path.join(folder, `${name}.ts`), bareHandler(name));
    const bare = names.map((name) => ({ in: path.join(folder, `${name}.ts`), out: `${name}/index` }));
    await bundle(bare, path.join(folder, 'bare'));
    const rows = names.map((name) => measureOne(folder, name));
    const limits = rows.flatMap(({ bundle: name, ratio }) => {
      const max = RATIO_MAX[name];
      return max === undefined ? [] : [atMost(`import of ${name} against a bare handler`, ratio, max)];
    });
    const sizes = rows.map(({ bundle: name, KiB }) => atMost(`KiB of ${name}`, KiB, 1_024));
    return { name: 'bundles: size and import', rows, limits: [...limits, ...sizes] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function measureOne(folder: string, name: FunctionName) {
  const fileOf = (kind: string) => path.join(folder, kind, name, 'index.mjs');
  const times = { ours: [] as number[], bare: [] as number[] };
  for (let count = 0; count < IMPORTS; count += 1) {
    for (const kind of ['bare', 'ours'] as const) times[kind].push(importMs(fileOf(kind), SAMPLE_ENVIRONMENT));
  }
  const [ours, bare] = [median(times.ours), median(times.bare)];
  return {
    bundle: name,
    KiB: Math.round(readFileSync(fileOf('ours')).length / 1024),
    'import ms': Math.round(ours),
    'bare ms': Math.round(bare),
    ratio: Math.round((ours / bare) * 100) / 100,
  };
}
