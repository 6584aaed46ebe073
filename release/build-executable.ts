// Builds `zone53` as one file for Linux on x64: this Node with the command inside (a single executable application).
// crds/ and package.json are inside, too (lib/adapters/system/shipped-file.ts).
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/** By this text of its code, Node knows that something was put into it (Node's manual; last verified 2026-11-29). */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/**
 * Builds the executable `file` of the command in the folder `source`. `shipped`: the files that the command finds in
 * itself, by their path in `source`. `work` is a folder for what is made on the way.
 */
export async function buildExecutable(
  source: string,
  shipped: readonly string[],
  work: string,
  file: string,
): Promise<void> {
  mkdirSync(work, { recursive: true });
  await bundle(source, 'cli/main.ts', path.join(work, 'zone53.cjs'), [TEMPLATES_APART]);
  await bundle(source, `infra/${TEMPLATES}.ts`, path.join(work, `${TEMPLATES}.cjs`), [CDK_BY_PARTS], { minify: true });
  const assets = {
    ...Object.fromEntries(shipped.map((name) => [name, path.relative(work, path.join(source, name))])),
    [`${TEMPLATES}.cjs`]: `${TEMPLATES}.cjs`,
  };
  const config = { main: 'zone53.cjs', output: 'zone53.blob', disableExperimentalSEAWarning: true, assets };
  writeFileSync(path.join(work, 'sea.json'), JSON.stringify(config));
  execFileSync(process.execPath, ['--experimental-sea-config', 'sea.json'], { cwd: work, stdio: 'pipe' });
  mkdirSync(path.dirname(file), { recursive: true });
  copyFileSync(process.execPath, file);
  chmodSync(file, 0o755);
  const postject = path.join(source, 'node_modules', 'postject', 'dist', 'cli.js');
  const blob = path.join(work, 'zone53.blob');
  // It warns of each section of notes, which does no harm.
  execFileSync(process.execPath, [postject, file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE], { stdio: 'pipe' });
}

/** `zone53 template` alone needs the CDK, which has 12 MB. So this is a file by itself, compiled when asked for. */
const TEMPLATES = 'cloudformation-template';
const TEMPLATES_APART: Plugin = {
  name: 'templates-apart',
  setup(build) {
    build.onResolve({ filter: new RegExp(`/infra/${TEMPLATES}\\.ts$`) }, ({ path: name }) => ({
      path: name,
      namespace: 'apart',
    }));
    build.onLoad({ filter: /./, namespace: 'apart' }, () => ({
      contents: `const text = require('node:sea').getAsset('${TEMPLATES}.cjs', 'utf8');
const names = ['module', 'exports', 'require'];
require('node:vm').compileFunction(text, names, { filename: '${TEMPLATES}.cjs' })(module, exports, require);`,
    }));
  },
};

/** The CDK's own index loads the constructs of all services, 56 MB. Ours import each service by its name. */
const CDK_BY_PARTS: Plugin = {
  name: 'cdk-by-parts',
  setup(build) {
    build.onResolve({ filter: /^aws-cdk-lib$/ }, ({ kind, resolveDir }) =>
      build.resolve('aws-cdk-lib/core', { kind, resolveDir }),
    );
  },
};

/** CommonJS, which is all that Node 24 takes here. Names are kept, for the lines of a stack trace. */
async function bundle(
  source: string,
  entry: string,
  file: string,
  plugins: Plugin[],
  options: BuildOptions = {},
): Promise<void> {
  await build({
    entryPoints: [path.join(source, entry)],
    outfile: file,
    absWorkingDir: source,
    // Without it, the paths in the file would depend on where node_modules is.
    preserveSymlinks: true,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    mainFields: ['module', 'main'],
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // CommonJS has no such address. What reads files by it asks first whether they are inside.
    define: { 'import.meta.url': '""', 'import.meta.dirname': '""' },
    plugins,
    logLevel: 'warning',
    ...options,
  });
}
