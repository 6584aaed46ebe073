// `npm run bench -- hot-path|render|first-publish|bundles|kubernetes [-o json]`: the figures that are promised, as ratios within one
// run where that can be, so that they hold on any machine. Prints a table and says whether the limit is kept; exits 1 when
// one is not. Without a name, all run but kubernetes, which needs the engines.
import { parseArgs } from 'node:util';
import { benchBundles } from './bundles.ts';
import { benchFirstPublish } from './first-publish.ts';
import { benchHotPath } from './hot-path.ts';
import { benchKubernetes } from './kubernetes.ts';
import { benchRender } from './render.ts';
import type { BenchResult } from './result.ts';
import { formatResult } from './result.ts';

const BENCHES: Readonly<Record<string, () => Promise<BenchResult>>> = {
  'hot-path': benchHotPath,
  render: benchRender,
  'first-publish': benchFirstPublish,
  bundles: benchBundles,
  kubernetes: benchKubernetes,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { output: { type: 'string', short: 'o', default: 'table' } },
});
const names = positionals.length === 0 ? Object.keys(BENCHES).filter((name) => name !== 'kubernetes') : positionals;
const results: BenchResult[] = [];
for (const name of names) {
  const bench = BENCHES[name];
  if (bench === undefined) throw new Error(`There is no bench "${name}"; there are ${Object.keys(BENCHES).join(', ')}`);
  process.stderr.write(`${name} ...\n`);
  const result = await bench();
  results.push(result);
  if (values.output !== 'json') process.stdout.write(formatResult(result));
}
if (values.output === 'json') process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
if (results.some(({ limits }) => limits.some(({ kept }) => !kept))) process.exitCode = 1;
