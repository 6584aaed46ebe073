// npm run release-before: keeps the present code as the release before, with a ledger that it writes. Run it when a
// release has been made, on its tag, and commit what it leaves in kept/.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import manifest from '../../package.json' with { type: 'json' };
import { APPLIED, type Command, inCluster, KEPT, releaseBefore, serveRoute53 } from './release-before.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** The CDK and the client of Kubernetes are most of the command, and nothing here needs them. */
const NOT_NEEDED: Plugin = {
  name: 'not-needed',
  setup(making) {
    making.onResolve(
      { filter: /\/infra\/cloudformation-template\.ts$|^@kubernetes\/client-node|^undici$/ },
      ({ path: name }) => ({
        path: name,
        external: true,
      }),
    );
  },
};

const { outputFiles } = await build({
  entryPoints: [path.join(ROOT, 'cli', 'main.ts')],
  ...{ write: false, bundle: true, minify: true, legalComments: 'none' },
  ...{ platform: 'node', target: 'node24', format: 'cjs', mainFields: ['module', 'main'] },
  banner: { js: "const ownUrl = require('node:url').pathToFileURL(__filename).href;" },
  define: { 'import.meta.url': 'ownUrl', 'import.meta.dirname': '__dirname' },
  plugins: [NOT_NEEDED],
});
const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
writeFileSync(path.join(KEPT, 'zone53.cjs.br'), brotliCompressSync(outputFiles[0]?.contents ?? '', { params }));
writeFileSync(path.join(KEPT, 'package.json'), `{ "version": "${manifest.version}" }\n`);

const state = path.join(KEPT, 'state');
rmSync(state, { recursive: true, force: true });
const work = mkdtempSync(path.join(tmpdir(), 'zone53-release-before-'));
const route53 = await serveRoute53(state);
try {
  const command: Command = releaseBefore(work);
  for (const cluster of APPLIED) {
    const { code, text } = await command(route53.url, 'apply', ...inCluster(cluster, state), '--yes');
    process.stdout.write(text);
    if (code !== 0) process.exitCode = 1;
  }
} finally {
  await route53.close();
  rmSync(work, { recursive: true });
}
