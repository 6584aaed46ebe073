// Bundles the functions for Lambda: one minified ES module each, with a source map, in dist/bundles/, where the
// constructs look for them (`npm run build`). Then prints the size of each and how long its import takes in a fresh
// process.
//
// The AWS SDK is bundled, not taken from the Lambda runtime, so that what is deployed is what was tested.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { FUNCTION_ENVIRONMENT, type FunctionName } from '../functions/runtime/environment.ts';

const ROOT = path.join(import.meta.dirname, '..');
const FOLDER = path.join(ROOT, 'dist', 'bundles');
const IMPORTS = 9;

/** CommonJS packages inside an ES module need `require`. */
const BANNER = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** Writes `folder`/NAME/index.mjs for every function. */
export async function buildFunctions(folder: string): Promise<void> {
  const names = Object.keys(FUNCTION_ENVIRONMENT) as FunctionName[];
  rmSync(folder, { recursive: true, force: true });
  const entries = names.map((name) => ({ in: path.join(ROOT, 'functions', `${name}.ts`), out: `${name}/index` }));
  await bundle(entries, folder);
}

/** Bundles any files with the settings of the functions. */
export async function bundle(
  entryPoints: readonly { readonly in: string; readonly out: string }[],
  folder: string,
): Promise<void> {
  await build({
    entryPoints: [...entryPoints],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: ROOT,
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
    // undici leaves its experimental parser out where this is defined, as in the bundle for Node itself.
    define: { esbuildDetection: 'true' },
    banner: { js: BANNER },
    logLevel: 'warning',
  });
}

/** Milliseconds that the import of a file takes in a fresh process. */
export function importMs(file: string, environment: Readonly<Record<string, string>>): number {
  const script = `const t = performance.now(); await import(${JSON.stringify(file)}); process.stdout.write('\\n' + (performance.now() - t));`;
  const { stdout, status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...environment, PATH: process.env.PATH ?? '' },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Cannot import ${file}: ${stderr}`);
  return Number(stdout.trim().split('\n').at(-1));
}

/** The median. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** An environment that every function starts with; nothing that it names exists. */
export const SAMPLE_ENVIRONMENT: Readonly<Record<string, string>> = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'sample',
  AWS_SECRET_ACCESS_KEY: 'sample',
  POWERTOOLS_SERVICE_NAME: 'zone53',
  POWERTOOLS_METRICS_NAMESPACE: 'zone53',
  ZONE53_TABLE: 'zone53',
  ZONE53_HINTS_URL: 'http://127.0.0.1:9/hints',
  ZONE53_PUBLISH_URL: 'http://127.0.0.1:9/publish.fifo',
  ZONE53_REPORTS_URL: 'http://127.0.0.1:9/reports',
  ZONE53_CONFIG: JSON.stringify({
    roots: [{ zone: 'example.org.' }],
    hostedZones: [{ zone: 'example.org.', id: 'Z0123456789ABCDEFGHIJ' }],
  }),
  ZONE53_KUBERNETES: JSON.stringify({
    kind: 'eks',
    clusterName: 'sample',
    region: 'eu-west-1',
    endpoint: 'https://127.0.0.1:9',
    certificateAuthority: 'c2FtcGxl',
  }),
  ZONE53_OWN_ROLES: '[]',
};

if (import.meta.main) {
  await buildFunctions(FOLDER);
  for (const name of Object.keys(FUNCTION_ENVIRONMENT)) {
    const file = path.join(FOLDER, name, 'index.mjs');
    const octets = readFileSync(file);
    const ms = median(Array.from({ length: IMPORTS }, () => importMs(file, SAMPLE_ENVIRONMENT))).toFixed(0);
    const kib = (count: number) => `${(count / 1024).toFixed(0)} KiB`;
    process.stdout.write(
      `${name.padEnd(10)} ${kib(octets.length).padStart(9)}  gzip ${kib(gzipSync(octets).length).padStart(8)}  import ${ms.padStart(4)} ms\n`,
    );
  }
}
