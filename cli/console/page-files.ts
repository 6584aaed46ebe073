// The page's files. The package and the executable of one file have them as they were built (dist/console); a checkout
// builds them from console/ when they are first asked for.
import { isSea } from 'node:sea';
import { shippedFile } from '../../lib/adapters/system/shipped-file.ts';
import { once } from '../../lib/ports/once.ts';

const TYPES = {
  'index.html': 'text/html',
  'app.css': 'text/css',
  'app.js': 'text/javascript',
  // Without it, a browser asks for /favicon.ico.
  'icon.svg': 'image/svg+xml',
} as const;
type Name = keyof typeof TYPES;

export type PageFile = { readonly type: string; readonly text: string };

/** The file at a path; null: there is none. */
export async function pageFile(path: string): Promise<PageFile | null> {
  const name = path === '/' ? 'index.html' : path.slice(1);
  if (!Object.hasOwn(TYPES, name)) return null;
  const texts = await builtOrBuilding();
  return { type: TYPES[name as Name], text: texts[name as Name] };
}

type Texts = Readonly<Record<Name, string>>;

const builtOrBuilding = once(async (): Promise<Texts> => {
  // In a checkout this file is TypeScript, and dist may be older than console/.
  if (!isSea() && import.meta.url.endsWith('.ts')) return builtNow();
  const read = (name: Name) => shippedFile(`dist/console/${name}`);
  return Object.fromEntries(Object.keys(TYPES).map((name) => [name, read(name as Name)])) as Texts;
});

/** Only a checkout has the builder, so no bundle may follow this import. */
async function builtNow(): Promise<Texts> {
  const builder = new URL('../../console/build.ts', import.meta.url).href;
  const { buildPage } = (await import(builder)) as { readonly buildPage: () => Promise<Texts> };
  return buildPage();
}
