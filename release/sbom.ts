// The software bill of materials in CycloneDX: what npm says of the packages that zone53 needs at run time, and Node,
// which is inside the executable. npm's own `--omit dev` also omits what a tool of developers needs, too, so the lock
// file says what is for run time. npm writes the time and a random number; here they depend on the content.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

type Component = { readonly 'bom-ref': string; readonly [field: string]: unknown };
type Lock = { readonly packages: Readonly<Record<string, { readonly version: string; readonly dev?: boolean }>> };
type Dependency = { readonly ref: string; readonly dependsOn: readonly string[] };
type Sbom = {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp?: string; readonly component: Component; readonly [field: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
  readonly [field: string]: unknown;
};

/** The text of the bill for the package in `folder`, by its package-lock.json. */
export function buildSbom(folder: string, nodeVersion: string): string {
  const flags = ['--sbom-format', 'cyclonedx', '--package-lock-only'];
  const printed = execFileSync('npm', ['sbom', ...flags], { cwd: folder, encoding: 'utf8' });
  const { serialNumber: _, ...sbom } = JSON.parse(printed) as Sbom;
  const { timestamp: __, ...metadata } = sbom.metadata;
  const ref = `node@${nodeVersion}`;
  const node = { 'bom-ref': ref, type: 'platform', name: 'node', version: nodeVersion, purl: `pkg:generic/${ref}` };
  const runtime = runtimeRefs(folder);
  const components = [...sbom.components.filter((one) => runtime.has(one['bom-ref'])), node];
  const own = metadata.component['bom-ref'];
  const refs = new Set([own, ...components.map((one) => one['bom-ref'])]);
  const dependencies = sbom.dependencies
    .map((one) => (one.ref === own ? { ...one, dependsOn: [...one.dependsOn, ref] } : one))
    .filter((one) => refs.has(one.ref))
    .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((other) => refs.has(other)) }));
  const made = {
    ...sbom,
    // npm names it for the folder.
    metadata: { ...metadata, component: { ...metadata.component, name: 'zone53' } },
    components,
    dependencies: [...dependencies, { ref, dependsOn: [] }],
  };
  return `${JSON.stringify({ ...made, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(made))}` }, null, 2)}\n`;
}

/** Packages for developers that are inside the page of the console. */
const IN_PAGE: ReadonlySet<string> = new Set(['preact', '@preact/signals', '@preact/signals-core']);

/** The packages for run time, as the bill refers to them. */
function runtimeRefs(folder: string): ReadonlySet<string> {
  const { packages } = readLock(folder);
  return new Set(runtimePackages(folder).map((at) => `${nameOf(at)}@${packages[at]?.version}`));
}

/** Where the packages for run time are below the folder, and those for developers that `also` takes. */
export function runtimePackages(folder: string, also: (at: string) => boolean = () => false): readonly string[] {
  return Object.entries(readLock(folder).packages)
    .filter(([at, { dev }]) => at !== '' && (dev !== true || IN_PAGE.has(nameOf(at)) || also(at)))
    .map(([at]) => at);
}

function readLock(folder: string): Lock {
  return JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8')) as Lock;
}

function nameOf(at: string): string {
  return at.split('node_modules/').at(-1) ?? '';
}

/** A UUID of version 8, made from the text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}
