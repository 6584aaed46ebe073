// Builds the page of the console: `node console/build.ts FOLDER` writes its files there. Everything that the page
// needs is inside them, so it asks no other server for a font, a script or a picture.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const FOLDER = import.meta.dirname;

export type PageFiles = Readonly<Record<'index.html' | 'app.js' | 'app.css' | 'icon.svg', string>>;

/** Bundles the page, in memory. */
export async function buildPage(): Promise<PageFiles> {
  const { outputFiles } = await build({
    entryPoints: [path.join(FOLDER, 'app.tsx'), path.join(FOLDER, 'app.css')],
    outdir: FOLDER,
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    platform: 'browser',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const built = (end: string) => outputFiles.find((file) => file.path.endsWith(end))?.text ?? '';
  const source = (name: string) => readFileSync(path.join(FOLDER, name), 'utf8');
  return {
    'index.html': source('index.html'),
    'icon.svg': source('icon.svg'),
    'app.js': built('.js'),
    'app.css': built('.css'),
  };
}

if (import.meta.main) {
  const folder = process.argv[2] ?? path.join('dist', 'console');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(await buildPage())) writeFileSync(path.join(folder, name), text);
}
