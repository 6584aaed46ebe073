// How long it takes to import each function's bundle, compared with a bare handler that makes the same SDK clients and
// does nothing. The bare handler is bundled twice: in the usual way, and with our settings. The limits are for the
// usual one; the other shows what our own code adds to a cold start. Each import runs in a new process. All take turns,
// so that they meet the same load on the machine.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { FUNCTION_ENVIRONMENT, type FunctionName } from '../functions/runtime/environment.ts';
import {
  type BundleSize,
  buildFunctions,
  bundle,
  importMs,
  median,
  SAMPLE_ENVIRONMENT,
} from '../infra/build-functions.ts';
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
  poll: ['sqs', 'dynamodb', 'document', 'secrets'],
  validate: ['dynamodb', 'secrets'],
  intents: ['sqs', 'dynamodb', 'document', 'route53', 'secrets'],
  configure: [],
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

/**
 * Limits: importing ingest takes at most 2 times, publish at most 1.5 times, as long as importing the bare handler that
 * is bundled in the usual way; no function loads more than 1 MiB at its start.
 */
export async function benchBundles(): Promise<BenchResult> {
  // Inside the checkout, because Node looks for packages from there.
  const folder = mkdtempSync(path.join(import.meta.dirname, '..', 'node_modules', '.zone53-bundles-'));
  try {
    const sizes = await buildFunctions(path.join(folder, 'ours'));
    const rows = [];
    for (const name of Object.keys(FUNCTION_ENVIRONMENT) as FunctionName[]) {
      const bare = path.join(folder, `${name}.ts`);
      writeFileSync(bare, bareHandler(name));
      await bundleAsUsual(bare, path.join(folder, 'usual', name));
      await bundle(bare, path.join(folder, 'same', name));
      rows.push(measureOne(folder, name, sizes[name]));
    }
    const limits = rows.flatMap(({ bundle: name, ratio }) => {
      const max = RATIO_MAX[name];
      return max === undefined ? [] : [atMost(`import of ${name} against a bare handler`, ratio, max)];
    });
    const octets = rows.map((row) => atMost(`KiB at the start of ${row.bundle}`, row['KiB at the start'], 1_024));
    return { name: 'bundles: size and import', rows, limits: [...limits, ...octets] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One file, with the SDK's whole chain of credentials. */
async function bundleAsUsual(entry: string, folder: string): Promise<void> {
  const require = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  await build({
    entryPoints: [{ in: entry, out: 'index' }],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: true,
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    banner: { js: require },
    logLevel: 'warning',
  });
}

function measureOne(folder: string, name: FunctionName, { start, all }: BundleSize) {
  const times = { usual: [] as number[], same: [] as number[], ours: [] as number[] };
  for (let count = 0; count < IMPORTS; count += 1) {
    for (const kind of ['usual', 'same', 'ours'] as const) {
      times[kind].push(importMs(path.join(folder, kind, name, 'index.mjs'), SAMPLE_ENVIRONMENT));
    }
  }
  const [usual, same, ours] = [median(times.usual), median(times.same), median(times.ours)];
  return {
    bundle: name,
    'KiB at the start': Math.round(start / 1024),
    'KiB in all': Math.round(all / 1024),
    'import ms': Math.round(ours),
    'bare ms': Math.round(usual),
    'bare ms, bundled as ours': Math.round(same),
    ratio: Math.round((ours / usual) * 100) / 100,
  };
}
