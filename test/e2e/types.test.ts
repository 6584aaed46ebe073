// Types that lib exports have at most eight fields, all of them readonly (docs/adr/0016-eight-fields.md). The compiler
// counts the fields, so that intersections, unions and types inferred from schemas are counted too.
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { SyntaxKind } from 'typescript/unstable/ast';
import {
  isInterfaceDeclaration,
  isMethodSignatureDeclaration,
  isPropertySignatureDeclaration,
  isTypeAliasDeclaration,
} from 'typescript/unstable/ast/is';
import { API, type Symbol as Field, type Project, SymbolFlags, type Type } from 'typescript/unstable/sync';
import { expect, test } from 'vitest';
import { testFolder } from '../support/test-folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const FIELDS_MAX = 8;
const TIMEOUT_MS = 120_000;
/** Two of the compiler's CheckFlags, which it does not export. The second test fails if they change. */
const CHECK_READONLY = 1 << 3;
const CHECK_MAPPED = 1 << 18;

/** Types that may have more fields, by reason and file. */
const LARGER: Readonly<Record<string, readonly string[]>> = {
  'an item of the ledger: its fields are what is stored': [
    'lib/directory/directory-item.ts DirectoryItem',
    'lib/observe/object-item.ts ObjectItem',
    'lib/observe/status-item.ts StatusItem',
    'lib/record-sets/hosted-zone-item.ts HostedZoneItem',
    'lib/record-sets/record-set-item.ts RecordSetItem',
  ],
  'the configuration: a field for each key of zone53.yaml': [
    'lib/objects/source-settings.ts SourceSettings',
    'lib/ports/config.ts Config',
  ],
  'a row of a table of kinds: what is said of a kind once': [
    'lib/objects/kind.ts Kind',
    'lib/objects/related.ts RelatedKind',
    'lib/objects/source.ts Source',
  ],
  'an object, or what one asks for: the fields are those of its manifest': [
    'lib/adapters/manifests/read-object.ts ManifestObject',
    'lib/objects/endpoint.ts Endpoint',
    'lib/ports/cluster.ts ClusterObject',
    'lib/sources/gardener/dns-record.ts DnsRecord',
    'lib/zones/adopt-endpoint.ts AdoptedEndpoint',
  ],
  'a message: what a queue carries': ['lib/ports/queues.ts Hint'],
  'an output: a field for each key of the JSON': [
    'lib/inspect/explanation.ts Explanation',
    'lib/inspect/explanation.ts OpenChange',
    'lib/report/describe-cluster.ts ZoneOutput',
    'lib/report/describe-sources.ts EndpointOutput',
  ],
  'options of a factory, none of which goes further': [
    'lib/adapters/queues/in-process-queue.ts LaneOptions',
    'lib/adapters/queues/in-process-queues.ts InProcessQueuesOptions',
  ],
  'a change of one record set, with what was seen of it when it was sent': ['lib/publish/run/send-batch.ts Step'],
};

/** One line for each exported type that has too many fields, or a field that can be assigned. */
function findings(project: Project, folder: string): string[] {
  const files = project.program.getSourceFileNames().filter((file) => file.startsWith(`${join(folder)}/`));
  return files.flatMap((file) => {
    const found: string[] = [];
    for (const statement of project.program.getSourceFile(file)?.statements ?? []) {
      if (!isTypeAliasDeclaration(statement) && !isInterfaceDeclaration(statement)) continue;
      if (statement.modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword) !== true) continue;
      const symbol = project.checker.getSymbolAtLocation(statement.name);
      if (symbol === undefined) continue;
      const type = project.checker.getDeclaredTypeOfSymbol(symbol);
      const faults = (type.isUnionType() ? (type.getTypes() ?? []) : [type]).flatMap((one) => faultsOf(project, one));
      for (const fault of new Set(faults)) found.push(`${relative(ROOT, file)} ${statement.name.text} ${fault}`);
    }
    return found;
  });
}

function faultsOf(project: Project, type: Type): string[] {
  const { checker } = project;
  if (!(type.isObjectType() || type.isIntersectionType()) || checker.isArrayLikeType(type)) return [];
  const fields = checker.getPropertiesOfType(type).filter((field) => !isForeign(field));
  const settable = fields.filter((field) => isSettable(project, field)).map(({ name }) => `lets ${name} be set`);
  if (checker.getIndexInfosOfType(type).some(({ isReadonly }) => !isReadonly)) settable.push('lets any key be set');
  return fields.length > FIELDS_MAX ? ['has more than eight fields', ...settable] : settable;
}

/** True for a field of a type that a package declares. */
function isForeign({ declarations }: Field): boolean {
  return declarations.some(({ path }) => `${path}`.includes('/node_modules/'));
}

/** A field of a mapped type, such as one inferred from a schema, is declared elsewhere: only its flags count. */
function isSettable(project: Project, { flags, checkFlags, declarations }: Field): boolean {
  if ((flags & SymbolFlags.Property) === 0 || (checkFlags & CHECK_READONLY) !== 0) return false;
  return declarations.some((one) => {
    const node = one.resolve(project);
    if (node !== undefined && isMethodSignatureDeclaration(node)) return false;
    if ((checkFlags & CHECK_MAPPED) !== 0 || node === undefined || !isPropertySignatureDeclaration(node)) return true;
    return node.modifiers?.some(({ kind }) => kind === SyntaxKind.ReadonlyKeyword) !== true;
  });
}

function findingsOf(tsconfig: string, folder: string): string[] {
  const api = new API({ cwd: ROOT });
  try {
    const [project] = api.updateSnapshot({ openProjects: [tsconfig] }).getProjects();
    if (project === undefined) throw new Error(`${tsconfig} is no project`);
    return findings(project, folder);
  } finally {
    api.close();
  }
}

test(
  'every type that lib exports has at most eight fields, none of which can be assigned',
  () => {
    const larger = Object.values(LARGER).flat();
    const found = findingsOf(join(ROOT, 'tsconfig.build.json'), join(ROOT, 'lib'));
    expect(found.toSorted()).toEqual(larger.map((one) => `${one} has more than eight fields`).toSorted());
  },
  TIMEOUT_MS,
);

test(
  'the check finds a ninth field, also in an intersection, and fields that can be assigned, also inferred ones',
  () => {
    const folder = testFolder();
    const eight = [...'abcdefgh'].map((name) => `readonly ${name}: 1;`).join(' ');
    writeFileSync(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "strict": true }, "include": ["."] }');
    const types = [
      `export type Eight = { ${eight} };`,
      'export type Nine = Eight & { readonly i: 1 };',
      "export type One = { readonly kind: 'a' } | { kind: 'b' };",
      'export type Port = { call(): void };',
      "export type Part = Pick<Port, 'call'>;",
      "export type Mapped = { -readonly [Key in keyof Pick<Eight, 'a'>]: 1 };",
      'export type Frozen = Readonly<{ j: 1 }>;',
      'export type Indexed = { [key: string]: 1 };',
      "export type Inferred = { -readonly [Key in keyof Schema]: Schema[Key]['out'] };",
      'const schema = { k: { out: 1 } };',
      'type Schema = typeof schema;',
      'type Local = { own: 1 };',
      'export const local: Local = { own: 1 };',
    ];
    writeFileSync(join(folder, 'types.ts'), types.join('\n'));
    const found = findingsOf(join(folder, 'tsconfig.json'), folder);
    expect(found.map((one) => one.split('types.ts ')[1])).toEqual([
      'Nine has more than eight fields',
      'One lets kind be set',
      'Mapped lets a be set',
      'Indexed lets any key be set',
      'Inferred lets k be set',
    ]);
  },
  TIMEOUT_MS,
);
