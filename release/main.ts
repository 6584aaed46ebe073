// npm run release -- VERSION: makes dist/release/VERSION/, which has all that a release consists of (CONTRIBUTING.md).
// The version need not be that of package.json; the packages get the one that is asked for.
import { machineProblem, makeRelease } from './make-release.ts';
import { versionProblem } from './version.ts';

const [version, ...more] = process.argv.slice(2);
const problem = version === undefined || more.length > 0 ? 'Write one version' : versionProblem(version);

if (version === undefined || problem !== null) fail(`${problem}: npm run release -- 0.1.0`);
else {
  const unfit = machineProblem();
  if (unfit !== null) fail(unfit);
  else process.stdout.write(`${await makeRelease(version, (step) => process.stdout.write(`  ${step}\n`))}\n`);
}

function fail(message: string): void {
  process.stderr.write(`error: ${message}\n`);
  process.exitCode = 1;
}
