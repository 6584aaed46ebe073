// Bundles the functions for Lambda: minified ES modules with source maps in dist/bundles/, a folder for each function,
// where the constructs look for them (`npm run build`). What a function imports later, such as the client of STS, is in
// files of its own. Then prints how much each function loads at its start and, with `--measure`, how long that takes in
// a fresh process.
//
// The AWS SDK is bundled, not taken from the Lambda runtime, so that what is deployed is what was tested.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { FUNCTION_ENVIRONMENT, type FunctionName } from '../functions/runtime/environment.ts';

const ROOT = path.join(import.meta.dirname, '..');
const FOLDER = path.join(ROOT, 'dist', 'bundles');
const IMPORTS = 3;

/** `require` for Node's own modules and for CommonJS packages. */
const BANNER = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** Writes `folder`/NAME/index.mjs for every function. Returns the size of each. */
export async function buildFunctions(folder: string): Promise<Readonly<Record<FunctionName, BundleSize>>> {
  rmSync(folder, { recursive: true, force: true });
  const sizes: Partial<Record<FunctionName, BundleSize>> = {};
  for (const name of Object.keys(FUNCTION_ENVIRONMENT) as FunctionName[])
    sizes[name] = await bundle(path.join(ROOT, 'functions', `${name}.ts`), path.join(folder, name));
  return sizes as Record<FunctionName, BundleSize>;
}

/** The size of a bundle in octets. */
export type BundleSize = {
  /** The files that are loaded at the start. */
  readonly start: number;
  /** All files, without the source maps. */
  readonly all: number;
};

/** Bundles one file into `folder`/index.mjs and the files that it imports, with the settings of the functions. */
export async function bundle(entry: string, folder: string): Promise<BundleSize> {
  const { metafile } = await build({
    entryPoints: [{ in: entry, out: 'index' }],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: ROOT,
    // Without it, the paths in the source maps would depend on where node_modules is.
    preserveSymlinks: true,
    bundle: true,
    splitting: true,
    metafile: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    // Lambda always passes credentials in environment variables. The SDK's other ways take 80 KiB.
    alias: { '@aws-sdk/credential-provider-node': path.join(ROOT, 'functions', 'runtime', 'lambda-credentials.ts') },
    plugins: [REQUIRE_BUILTINS],
    banner: { js: BANNER },
    logLevel: 'warning',
  });
  const modules = Object.entries(metafile.outputs).filter(([file]) => file.endsWith('.mjs'));
  const index = modules.find(([, { entryPoint }]) => entryPoint !== undefined)?.[0] ?? '';
  return { start: octetsAtStart(metafile.outputs, index, new Set()), all: sum(modules.map(([, { bytes }]) => bytes)) };
}

function octetsAtStart(outputs: Metafile['outputs'], file: string, counted: Set<string>): number {
  const output = outputs[file];
  if (output === undefined || counted.has(file)) return 0;
  counted.add(file);
  const imported = output.imports.filter(({ kind }) => kind === 'import-statement');
  return output.bytes + sum(imported.map(({ path: name }) => octetsAtStart(outputs, name, counted)));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/**
 * Loads the modules of Node with `require`. An ES module that imports `node:http` reads all its exports, and so makes
 * Node load its own undici, which takes some 30 ms.
 */
const REQUIRE_BUILTINS: Plugin = {
  name: 'require-builtins',
  setup(build) {
    build.onResolve({ filter: /^[a-z]/ }, ({ path: name, kind }) =>
      kind === 'import-statement' && isBuiltin(name) ? { path: name, namespace: 'builtin' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path: name }) => ({
      contents: `module.exports = require(${JSON.stringify(name)})`,
    }));
  },
};

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
  ZONE53_CONFIG_BUCKET: 'zone53',
  ZONE53_CONFIG_KEY: 'zone53.json',
  ZONE53_OWN_ROLES: '[]',
};

function importTime(name: string): string {
  const file = path.join(FOLDER, name, 'index.mjs');
  const ms = median(Array.from({ length: IMPORTS }, () => importMs(file, SAMPLE_ENVIRONMENT))).toFixed(0);
  return `  import ${ms.padStart(4)} ms`;
}

if (import.meta.main) {
  const sizes = await buildFunctions(FOLDER);
  const kib = (octets: number) => `${(octets / 1024).toFixed(0)} KiB`.padStart(9);
  for (const [name, { start, all }] of Object.entries(sizes)) {
    const time = process.argv.includes('--measure') ? importTime(name) : '';
    process.stdout.write(`${name.padEnd(10)} ${kib(start)} at the start  ${kib(all)} in all${time}\n`);
  }
}
