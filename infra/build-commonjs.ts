// The constructs as CommonJS, in dist/infra/commonjs: what `require('zone53/infra')` loads. An application that `cdk
// init` makes is CommonJS, and its tests run in Jest, which loads no ES modules. CDK itself is not bundled: a construct
// must be of the same classes as the application's.
import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.join(import.meta.dirname, '..');
const DIST = path.join(ROOT, 'dist', 'infra');

await build({
  entryPoints: ['zone53', 'drift-forwarding'].map((name) => path.join(DIST, `${name}.js`)),
  outdir: path.join(DIST, 'commonjs'),
  outExtension: { '.js': '.cjs' },
  absWorkingDir: ROOT,
  // Without it, the paths in the comments would depend on where node_modules is.
  preserveSymlinks: true,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  external: ['aws-cdk-lib', 'constructs'],
  define: { 'import.meta.url': 'importMetaUrl', 'import.meta.dirname': '__dirname', 'import.meta.main': 'false' },
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
  legalComments: 'none',
  logLevel: 'warning',
});
