// The words for an error of the YAML library: what is wrong in the words of somebody who writes manifests, and what to
// write. They come from the kind of the error and from its line. What is not known here keeps the words of the library.
import type { YAMLError } from 'yaml';
import { quote } from '../../dns/names/quote.ts';

export const TOO_DEEP = 'lists and mappings are nested too deeply: write fewer levels';

export const KEY_TWICE = 'the key is there twice in one mapping, and keys must be unique: remove one of the two';

const DEEPER =
  'this line is indented deeper than the field above it, which has a value already: begin both in the same column';

/** An empty line, or a comment. */
const BLANK = /^\s*(?:#|$)/;

/** What is wrong, on one line, and where. */
export type YamlProblem = { readonly message: string; readonly offset: number };

/** The part of a text around an error. `rest`: from the error to the end of its line or bracket, without a comment. */
type Around = { readonly line: string; readonly start: number; readonly rest: string; readonly next: number };

/** Why an alias without an anchor is refused: mostly, it is a name with a wildcard. */
export function lostAlias(name: string): string {
  const text = `*${name}`;
  if (/^[A-Za-z0-9_]+$/.test(name))
    return `the alias "${text}" has no anchor "&${name}" before it; if it is text, write it in quotes`;
  return `write ${quote(text)} in quotes: without them, YAML takes * for an alias`;
}

/** What is wrong with this text, by the error of the library. `offset`: its position, if it is known better. */
export function yamlProblem(
  { code, message, pos }: Pick<YAMLError, 'code' | 'message' | 'pos'>,
  text: string,
  offset = pos[0],
): YamlProblem {
  const around = lineAround(text, offset);
  const said = message.replaceAll(/\s+/g, ' ').trim();
  if (code === 'RESOURCE_EXHAUSTION') return { message: TOO_DEEP, offset };
  return (
    conflict(text) ?? template(text, around) ?? byCode(code, said, text, offset, around) ?? { message: said, offset }
  );
}

function byCode(
  code: YAMLError['code'],
  said: string,
  text: string,
  offset: number,
  around: Around,
): YamlProblem | null {
  const at = (message: string, where = offset): YamlProblem => ({ message, offset: where });
  const { rest, line } = around;
  switch (code) {
    case 'DUPLICATE_KEY':
      return at(KEY_TWICE);
    case 'TAB_AS_INDENT':
      return at('a tab stands where the line is indented: write spaces');
    case 'BAD_ALIAS':
    case 'BAD_SCALAR_START':
      return at(inQuotes(rest, `a text without quotes cannot begin with ${rest.charAt(0)} in YAML`));
    case 'BLOCK_AS_IMPLICIT_KEY':
      return nested(text, offset, around);
    case 'MULTILINE_IMPLICIT_KEY':
      return at(noField(line));
    case 'BAD_DQ_ESCAPE':
      return at(
        `${said.replace(/^Invalid escape sequence /, '')} is no escape in double quotes: write \\\\ for a backslash, or use single quotes`,
      );
    case 'BLOCK_IN_FLOW':
      return at(
        'a list with "- " or an indented mapping cannot be inside of brackets: close the bracket before it, or use brackets and commas for it too',
      );
    case 'BAD_INDENT':
    case 'MISSING_CHAR':
    case 'UNEXPECTED_TOKEN':
      return byWords(said, text, offset, around);
    default:
      return null;
  }
}

/** Errors that share a code are told apart by the library's words. */
function byWords(said: string, text: string, offset: number, { line, rest }: Around): YamlProblem | null {
  const at = (message: string): YamlProblem => ({ message, offset });
  const bracket = /end with a ([\]}])$/.exec(said)?.[1];
  if (bracket !== undefined)
    return at(`a ${bracket} is missing: close the bracket, and indent its lines deeper than its field`);
  const closing = /^Missing closing (["'])quote$/.exec(said)?.[1];
  if (closing !== undefined)
    return at(`the quote that begins here is not closed: write ${closing} at the end of the text`);
  if (said === 'All mapping items must start at the same column')
    return notAligned(text, offset, 'fields of a mapping');
  if (said === 'All sequence items must start at the same column') return notAligned(text, offset, 'items of a list');
  if (said === 'Implicit map keys need to be followed by map values') return at(noField(line));
  if (/^Unexpected , in |^Unexpected empty item/.test(said)) return at('a comma without a value before it: remove it');
  if (/^Missing , (?:or : )?between /.test(said)) return at('a comma is missing between two values');
  if (said.startsWith('Block scalar header includes extra characters'))
    return at('text stands behind | or >: write it on the next lines, indented, or in quotes on this line');
  if (!/^Unexpected .* at node end$/.test(said)) return null;
  const value = valueIn(line);
  if (/^["']/.test(value)) {
    const other = value.startsWith('"') ? "'" : '"';
    return at(
      value.includes(other)
        ? 'text stands behind the closing quote: put the whole value in one pair of quotes'
        : `text stands behind the closing quote: write ${other}${value}${other}`,
    );
  }
  return rest === '' ? null : at(`${quote(rest)} stands where nothing may follow: put the whole value in quotes`);
}

/** A value with `: `, or a line that is indented deeper than the field above it, which has a value. */
function nested(text: string, offset: number, { line, rest, next }: Around): YamlProblem {
  const value = valueIn(line) === '' ? rest : valueIn(line);
  if (/^[-?](?:\s|$)/.test(value))
    return { message: inQuotes(value, 'without them, YAML takes its first character for a mark'), offset };
  if (/:(?:\s|$)/.test(value))
    return { message: inQuotes(value, 'without them, YAML takes what is before ": " for a field'), offset };
  return { message: DEEPER, offset: next + indentOf(lineAround(text, next).line) };
}

function inQuotes(text: string, why: string): string {
  return `write ${quote(text)} in quotes: ${why}`;
}

function noField(line: string): string {
  const text = line.trim();
  const dash = /^-(?![-\s])(.*)$/s.exec(text)?.[1];
  if (dash !== undefined) return `write a space behind the dash: ${quote(`- ${dash}`)}`;
  const [, key, value] = /^(["']?[\w./-]+?["']?):(\S.*)$/s.exec(text) ?? [];
  if (key !== undefined) return `write a space behind the colon: ${quote(`${key}: ${value}`)}`;
  return `${quote(text)} is no field: write a name, a colon and a space before the value`;
}

/** The line that is not indented like those above it. The library may report an empty line or a comment before it. */
function notAligned(text: string, offset: number, what: string): YamlProblem {
  const here = lineAround(text, offset);
  const wrong = BLANK.test(here.line) ? lineAround(text, here.next) : here;
  let above = lineAround(text, here.start - 1);
  while (above.start > 0 && BLANK.test(above.line)) above = lineAround(text, above.start - 1);
  const where = wrong.start + indentOf(wrong.line);
  if (indentOf(wrong.line) > indentOf(above.line) && valueIn(above.line) !== '')
    return { message: DEEPER, offset: where };
  const [column, columnAbove] = [indentOf(wrong.line) + 1, indentOf(above.line) + 1];
  return {
    message: `this line begins in column ${column}, and the line above it in column ${columnAbove}: all ${what} begin in the same column`,
    offset: where,
  };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The lines that git leaves of a conflict. */
function conflict(text: string): YamlProblem | null {
  const begin = /^<{7} /m.exec(text);
  if (begin === null || !/^={7}\r?$/m.test(text)) return null;
  const message =
    'a conflict of git is left here: keep one of the two sides, without the lines <<<<<<<, ======= and >>>>>>>';
  return { message, offset: begin.index };
}

/** A template that nobody has rendered: in the line of the error, or a line that begins with one. */
function template(text: string, { line, start }: Around): YamlProblem | null {
  const here = /\{\{.*?(?:\}\}|$)/.exec(line);
  const whole = here === null ? /^[ \t]*(\{\{[-\s].*?(?:\}\}|$))/m.exec(text) : null;
  const found = here?.[0] ?? whole?.[1];
  if (found === undefined) return null;
  const offset = here === null ? (whole?.index ?? 0) + (whole?.[0].length ?? 0) - found.length : start + here.index;
  return { message: templateLeft(found), offset };
}

/** What to do about a template in a manifest. */
function templateLeft(text: string): string {
  return `${quote(text)} is a template: render it before, as "helm template" does, or write the value itself`;
}

/** The value that a line gives to its field or list item; empty: none. */
function valueIn(line: string): string {
  const value = /^\s*(?:- +)*(?:["']?[\w./-]+["']?:|-)[ \t]+(.*)$/s.exec(line)?.[1] ?? '';
  return withoutComment(value);
}

function withoutComment(text: string): string {
  return text.replace(/\s#.*$/s, '').trim();
}

function lineAround(text: string, offset: number): Around {
  const start = text.lastIndexOf('\n', Math.max(0, offset - 1)) + 1;
  const begin = text[offset - 1] === '\n' ? offset : offset === 0 ? 0 : start;
  const newline = text.indexOf('\n', begin);
  const end = newline === -1 ? text.length : newline;
  const line = text.slice(begin, end).replace(/\r$/, '');
  const before = text.slice(begin, offset);
  const isFlow = (before.match(/[[{]/g) ?? []).length > (before.match(/[\]}]/g) ?? []).length;
  const behind = text.slice(offset, end);
  const rest = isFlow ? (/^[^,\]}]*/.exec(behind)?.[0].trim() ?? '') : withoutComment(behind);
  let next = end + 1;
  while (next < text.length && BLANK.test(text.slice(next, endOfLine(text, next)))) next = endOfLine(text, next) + 1;
  return { line, start: begin, rest, next: Math.min(next, text.length) };
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline === -1 ? text.length : newline;
}
