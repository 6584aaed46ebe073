// The documentation as a site: `npm run docs` writes each page of docs/ as HTML, with a list of all pages and a search,
// into dist/site or the folder that is named. It needs no server: the index of the search is a script beside the pages.
// A link to a page, heading or picture that does not exist ends it, with the page and the link.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import MarkdownIt, { type MarkdownIt as Markdown, type Token } from 'markdown-it';
import anchors from 'markdown-it-anchor';
import MiniSearch from 'minisearch';

const HERE = import.meta.dirname;
const PICTURES = '**/*.{png,svg}';
/** How the search finds a section. The page of the search needs the same options. */
const SEARCHED = { fields: ['title', 'text'], storeFields: ['title', 'page'], idField: 'at' };

/** A page: its Markdown file and its HTML file, relative to the folder of the pages. */
type Page = { readonly file: string; readonly at: string; readonly title: string; readonly html: string };
/** What is below one heading, as text. `at`: the page with the anchor. */
type Section = { readonly at: string; readonly page: string; readonly title: string; readonly text: string };

/** The anchor of a heading, as GitHub makes it. */
export function headingAnchor(heading: string): string {
  const plain = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return plain.trim().replace(/\s/g, '-');
}

/** The HTML file of a Markdown file. The list of all pages is the first page. */
function htmlFile(file: string): string {
  return file.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, '.html');
}

/** The link as it is in the site. A folder is its first page. */
function siteLink(link: string): string {
  const [, target = '', anchor = ''] = /^([^#]*)(#.*)?$/s.exec(link) ?? [];
  if (/^[a-z]+:/.test(link) || target === '') return link;
  return `${target.endsWith('/') ? `${target}index.html` : htmlFile(target)}${anchor}`;
}

function renderer(): Markdown {
  const markdown = new MarkdownIt({ linkify: false });
  markdown.use(anchors, { slugify: headingAnchor, permalink: anchors.permalink.headerLink({ safariReaderFix: true }) });
  markdown.core.ruler.push('site-links', ({ tokens }) => {
    for (const token of tokens.flatMap((one) => one.children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null) token.attrSet('href', siteLink(String(href)));
    }
  });
  return markdown;
}

/** The first heading of a page. */
function titleOf(file: string, source: string): string {
  return (/^# (.*)$/m.exec(source)?.[1] ?? file).replaceAll('`', '');
}

/** The text of an inline token, without its marks. */
function textOf({ children }: Token): string {
  return (children ?? []).map(({ content }) => content).join('');
}

function sectionsOf(markdown: Markdown, { file, title }: Pick<Page, 'file' | 'title'>, source: string): Section[] {
  const sections: { at: string; page: string; title: string; text: string }[] = [];
  let isHeading = false;
  for (const token of markdown.parse(source, {})) {
    if (token.type === 'heading_open')
      sections.push({ at: `${htmlFile(file)}#${token.attrGet('id')}`, page: title, title: '', text: '' });
    isHeading = token.type === 'heading_open' || (isHeading && token.type !== 'heading_close');
    const last = sections.at(-1);
    if (last === undefined || (token.type !== 'inline' && token.type !== 'fence')) continue;
    const text = token.type === 'fence' ? token.content : textOf(token);
    if (isHeading) last.title = text;
    else last.text += `${text}\n`;
  }
  return sections;
}

/** The pages that the first page lists, by its tables: the head of each, and its links. */
function groupsOf(markdown: Markdown, source: string): { head: string; files: string[] }[] {
  const groups: { head: string; files: string[] }[] = [];
  for (const token of markdown.parse(source, {})) {
    if (token.type === 'thead_open') groups.push({ head: '', files: [] });
    const group = groups.at(-1);
    if (group === undefined || token.type !== 'inline') continue;
    if (group.head === '') group.head = textOf(token);
    for (const link of (token.children ?? []).filter(({ type }) => type === 'link_open')) {
      const href = String(link.attrGet('href') ?? '');
      if (href.endsWith('.html')) group.files.push(href);
    }
  }
  return groups;
}

/** Each link or picture that leads nowhere, with its page. */
function brokenLinks(pages: readonly Page[], pictures: ReadonlySet<string>): string[] {
  const html = new Map(pages.map((page) => [page.at, page.html]));
  return pages.flatMap(({ file, at, html: own }) =>
    [...own.matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, link = '']) => {
      if (/^[a-z]+:/.test(link)) return [];
      const [target = '', anchor] = decodeURI(link).split('#');
      const to = target === '' ? at : path.posix.join(path.posix.dirname(at), target);
      const found = html.get(to);
      const isThere = anchor === undefined ? found !== undefined : found?.includes(` id="${anchor}"`) === true;
      return isThere || pictures.has(to) ? [] : [`${file}: ${link} does not exist`];
    }),
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function shell(
  { at, title, html }: Page,
  groups: readonly { head: string; files: string[] }[],
  pages: readonly Page[],
) {
  const up = '../'.repeat(at.split('/').length - 1);
  const items = (files: readonly string[]) =>
    files
      .flatMap((file) => pages.filter((page) => page.at === file))
      .map(
        (page) =>
          `<li><a${page.at === at ? ' aria-current="page"' : ''} href="${up}${page.at}">${escaped(page.title)}</a></li>`,
      )
      .join('');
  const nav = groups.map(({ head, files }) => `<h2>${escaped(head)}</h2><ul>${items(files)}</ul>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · zone53</title>
<link rel="stylesheet" href="${up}site.css">
</head>
<body data-up="${up}">
<header><a href="${up}index.html">zone53</a>
<search><input type="search" aria-label="Search all pages" placeholder="Search"><ol hidden></ol></search></header>
<nav aria-label="All pages">${nav}</nav>
<main>${html}</main>
<script src="${up}search.js" defer></script>
</body>
</html>
`;
}

/** Writes the pages below `from` as a site into `to`, which is emptied before. @throws Error with each broken link. */
export async function buildSite(from: string, to: string): Promise<number> {
  const markdown = renderer();
  const files = globSync('**/*.md', { cwd: from }).toSorted();
  const sources = new Map(files.map((file) => [file, readFileSync(path.join(from, file), 'utf8')]));
  const pages = files.map((file): Page => {
    const source = sources.get(file) ?? '';
    const title = titleOf(file, source);
    // A head without words is no heading of its column, and whoever has no mouse scrolls what has the focus.
    const html = markdown.render(source).replaceAll('<th></th>', '<td></td>').replaceAll('<pre>', '<pre tabindex="0">');
    return { file, at: htmlFile(file), title, html };
  });
  // A folder without a page of its own gets a list of its pages.
  const folders = new Set(pages.map(({ at }) => path.posix.dirname(at)));
  for (const folder of folders) {
    const at = path.posix.join(folder, 'index.html');
    if (pages.some((page) => page.at === at)) continue;
    const list = pages.filter((page) => path.posix.dirname(page.at) === folder);
    const html = list
      .map((one) => `<li><a href="${path.posix.basename(one.at)}">${escaped(one.title)}</a></li>`)
      .join('');
    pages.push({ file: folder, at, title: folder, html: `<h1>${escaped(folder)}</h1><ul>${html}</ul>` });
  }
  const pictures = globSync(PICTURES, { cwd: from });
  const broken = brokenLinks(pages, new Set(pictures));
  if (broken.length > 0) throw new Error(broken.join('\n'));
  const search = new MiniSearch<Section>(SEARCHED);
  for (const page of pages) search.addAll(sectionsOf(markdown, page, sources.get(page.file) ?? ''));
  const groups = groupsOf(markdown, sources.get('README.md') ?? '');
  rmSync(to, { recursive: true, force: true });
  for (const page of pages) {
    mkdirSync(path.dirname(path.join(to, page.at)), { recursive: true });
    writeFileSync(path.join(to, page.at), shell(page, groups, pages));
  }
  for (const picture of pictures) cpSync(path.join(from, picture), path.join(to, picture));
  cpSync(path.join(HERE, 'site.css'), path.join(to, 'site.css'));
  await build({
    entryPoints: [path.join(HERE, 'search.js')],
    outfile: path.join(to, 'search.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2024',
    legalComments: 'none',
    logLevel: 'warning',
    define: { INDEX: JSON.stringify(JSON.stringify(search)), OPTIONS: JSON.stringify(SEARCHED) },
  });
  return pages.length;
}

if (import.meta.main) {
  const to = path.resolve(process.argv[2] ?? path.join('dist', 'site'));
  try {
    const count = await buildSite(path.join(HERE, '..', '..', 'docs'), to);
    process.stdout.write(`${count} pages are in ${to}: open index.html\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
