// No field of a type that lib exports can be assigned. The compiler is asked, so that intersections, unions and types
// inferred from schemas count too.
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
const TIMEOUT_MS = 120_000;
/** Two of the compiler's CheckFlags, which it does not export. The second test fails if they change. */
const CHECK_READONLY = 1 << 3;
const CHECK_MAPPED = 1 << 18;

/** One line for each exported type with a field that can be assigned. */
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
  return settable;
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
  'no field of a type that lib exports can be assigned',
  () => {
    expect(findingsOf(join(ROOT, 'tsconfig.build.json'), join(ROOT, 'lib'))).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'the check finds fields that can be assigned, also inferred ones',
  () => {
    const folder = testFolder();
    writeFileSync(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "strict": true }, "include": ["."] }');
    const types = [
      'export type Eight = { readonly a: 1 };',
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
      'One lets kind be set',
      'Mapped lets a be set',
      'Indexed lets any key be set',
      'Inferred lets k be set',
    ]);
  },
  TIMEOUT_MS,
);
