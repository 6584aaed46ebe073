// A CEL expression over an object: compiled and typed when the configuration is read, evaluated for each object.
// Operators write expressions, tenants write objects. So an expression must not be able to run for long, whatever the
// object has: lists, maps and texts have a maximum size, loops are nested twice at most, and there are no regular
// expressions, because those of JavaScript may take exponential time.
import { type ASTNode, Environment, Optional } from '@marcbachmann/cel-js';
import { errorMessage, isMapping } from '../../../objects/plain.ts';

/** The longest expression. */
const CHARACTERS_MAX = 2_000;
const NODES_MAX = 500;
const DEPTH_MAX = 50;
/** The most elements of a list or a map that an expression may see. */
const ELEMENTS_MAX = 1_000;
/** The most characters of a text that an expression may see. A certificate chain has some thousands. */
const TEXT_CHARACTERS_MAX = 65_536;
/** How deeply `map`, `filter`, `all`, `exists` and `exists_one` may be nested: with two, a million steps at most. */
const LOOPS_MAX = 2;
/** How deeply what an expression sees may be nested. YAML of a manifest may be deeper than any API server stores. */
const LEVELS_MAX = 100;

/** What an expression has to return. `texts`: a text, or a list of texts, which may be nested. */
export type Returns = 'texts' | 'text' | 'number' | 'bool';

/** The variables of an expression. `related`: null if there is no such object. */
export type Seen = { readonly object: unknown; readonly related: unknown };

/** The value of an expression, or why it has none. */
export type Evaluated<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

type Value = { texts: readonly string[]; text: string | null; number: number | string | null; bool: boolean };

/** A compiled expression. */
export type Expression<Type extends Returns = Returns> = {
  readonly usesRelated: boolean;
  readonly evaluate: (seen: Seen) => Evaluated<Value[Type]>;
};

export type Compiled<Type extends Returns> =
  | { readonly ok: true; readonly expression: Expression<Type> }
  | { readonly ok: false; readonly message: string };

const ENVIRONMENT = new Environment({
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: NODES_MAX, maxDepth: DEPTH_MAX, maxListElements: 100, maxMapEntries: 100 },
})
  .registerVariable('object', 'dyn')
  .registerVariable('related', 'dyn');

/** The parts of an object that an expression sees. */
const FIELDS: readonly string[] = ['metadata', 'spec', 'status'];
const LOOPS: readonly string[] = ['map', 'filter', 'all', 'exists', 'exists_one'];

const EXPECTED: Readonly<Record<Returns, string>> = {
  texts: 'a text or a list of texts',
  text: 'a text',
  number: 'a number',
  bool: 'true or false',
};

/** The types that may turn out to be the right one. `dyn`: only the object decides. */
const TYPES: Readonly<Record<Returns, readonly string[]>> = {
  texts: ['string', 'list', 'dyn', 'null'],
  text: ['string', 'dyn', 'null'],
  number: ['int', 'uint', 'double', 'string', 'dyn', 'null'],
  bool: ['bool', 'dyn'],
};

/** Compiles an expression, and checks what it returns as far as that is known without an object. */
export function compileExpression<Type extends Returns>(text: string, returns: Type): Compiled<Type> {
  if (text.length > CHARACTERS_MAX)
    return { ok: false, message: `it has ${text.length} characters, and ${CHARACTERS_MAX} are the most` };
  let program: ReturnType<Environment['parse']>;
  try {
    program = ENVIRONMENT.parse(text);
  } catch (error) {
    return { ok: false, message: `it is no CEL expression: ${aboutError(error)}` };
  }
  const refusal = refusedIn(program.ast, 0);
  if (refusal !== null) return { ok: false, message: refusal };
  const checked = program.check();
  if (!checked.valid) return { ok: false, message: `it is no CEL expression: ${aboutError(checked.error)}` };
  const type = checked.type ?? 'dyn';
  if (!TYPES[returns].includes(elementType(type, returns)))
    return { ok: false, message: `it returns ${type}; return ${EXPECTED[returns]}` };
  return {
    ok: true,
    expression: {
      usesRelated: uses(program.ast, 'related'),
      evaluate: (seen) => {
        try {
          return read(program(seen), returns) as Evaluated<Value[Type]>;
        } catch (error) {
          return { ok: false, problem: aboutError(error) };
        }
      },
    },
  };
}

/** `string` of `list<optional<string>>`, if lists are expected. */
function elementType(type: string, returns: Returns): string {
  const inner = (returns === 'texts' ? /^(?:list|optional)<(.+)>$/ : /^optional<(.+)>$/).exec(type)?.[1];
  if (inner !== undefined) return elementType(inner, returns);
  // The type of the elements of an empty list.
  return /^[A-Z]$/.test(type) ? 'dyn' : type;
}

/** What is wrong, and where if that is known. */
function aboutError(error: unknown): string {
  const { summary, range } = error as { readonly summary?: string; readonly range?: { readonly start: number } };
  const message = summary ?? errorMessage(error);
  return range === undefined ? message : `${message} (character ${range.start + 1})`;
}

function partsOf({ args }: ASTNode): readonly ASTNode[] {
  const isNode = (one: unknown): one is ASTNode => isMapping(one) && 'op' in one;
  return [args].flat(3).filter(isNode);
}

/** Why an expression is refused although it is CEL; null: it is not. `loops`: how many loops are around it. */
function refusedIn(node: ASTNode, loops: number): string | null {
  const { op, args } = node;
  if (op === '.' || op === '.?') {
    const [of, field] = args;
    if (of.op === 'id' && of.args === 'object' && !FIELDS.includes(field))
      return `object.${field} is not there: an object has ${FIELDS.join(', ')}`;
  }
  if (op === 'rcall' && args[0] === 'matches')
    return 'matches is not available: write startsWith, endsWith, contains or split';
  const isLoop = op === 'rcall' && LOOPS.includes(args[0]);
  if (isLoop && loops === LOOPS_MAX) return `${LOOPS.join(', ')} may be nested ${LOOPS_MAX} times`;
  const receiver = op === 'rcall' ? args[1] : null;
  for (const part of partsOf(node)) {
    const refusal = refusedIn(part, isLoop && part !== receiver ? loops + 1 : loops);
    if (refusal !== null) return refusal;
  }
  return null;
}

function uses(node: ASTNode, variable: string): boolean {
  return (node.op === 'id' && node.args === variable) || partsOf(node).some((part) => uses(part, variable));
}

/** The value as the expression has to return it. */
function read(value: unknown, returns: Returns): Evaluated<Value[Returns]> {
  const wrong = { ok: false, problem: `it returned ${typeName(value)}; expected ${EXPECTED[returns]}` } as const;
  if (returns === 'texts') {
    const texts: string[] = [];
    const odd = addTexts(value, texts);
    return odd === null
      ? { ok: true, value: [...new Set(texts)] }
      : { ok: false, problem: `it returned ${typeName(odd.value)} among its values; expected ${EXPECTED.texts}` };
  }
  const one = value instanceof Optional ? value.orValue(null) : value;
  if (returns === 'bool') return typeof one === 'boolean' ? { ok: true, value: one } : wrong;
  if (one === null || typeof one === 'string') return { ok: true, value: one === '' ? null : one };
  if (returns === 'text') return wrong;
  return typeof one === 'number' || typeof one === 'bigint' ? { ok: true, value: Number(one) } : wrong;
}

/** Adds the texts of nested lists. Returns the first value that is none; null if there is none. */
function addTexts(value: unknown, texts: string[]): { readonly value: unknown } | null {
  if (typeof value === 'string') {
    if (value !== '') texts.push(value);
    return null;
  }
  if (value === null || value === undefined) return null;
  if (value instanceof Optional) return value.hasValue() ? addTexts(value.value(), texts) : null;
  if (!Array.isArray(value)) return { value };
  for (const item of value) {
    const odd = addTexts(item, texts);
    if (odd !== null) return odd;
  }
  return null;
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (value instanceof Optional) return value.hasValue() ? typeName(value.value()) : 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'bigint' || typeof value === 'number') return 'a number';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'boolean' ? 'true or false' : 'a mapping';
}

/**
 * A value of an object as expressions see it: whole numbers are `int`. Refused if a list, a map or a text in it is too
 * large for an expression; `path` is the place of the value, for the message.
 */
export function visible(value: unknown, path: string): Evaluated<unknown> {
  try {
    return { ok: true, value: convert(value, path, 0) };
  } catch (error) {
    if (error instanceof TooLargeError) return { ok: false, problem: error.message };
    throw error;
  }
}

class TooLargeError extends Error {}

function convert(value: unknown, path: string, level: number): unknown {
  if (level > LEVELS_MAX) throw new TooLargeError(`${path.slice(0, 100)} … is nested more than ${LEVELS_MAX} times`);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'string') {
    if (value.length > TEXT_CHARACTERS_MAX) throw tooLarge(path, value.length, 'characters', TEXT_CHARACTERS_MAX);
    return value;
  }
  if (Array.isArray(value)) {
    if (value.length > ELEMENTS_MAX) throw tooLarge(path, value.length, 'elements', ELEMENTS_MAX);
    return value.map((item, index) => convert(item, `${path}[${index}]`, level + 1));
  }
  if (!isMapping(value)) return value;
  const entries = Object.entries(value);
  if (entries.length > ELEMENTS_MAX) throw tooLarge(path, entries.length, 'fields', ELEMENTS_MAX);
  return Object.fromEntries(entries.map(([key, one]) => [key, convert(one, `${path}.${key}`, level + 1)]));
}

function tooLarge(path: string, size: number, what: string, most: number): TooLargeError {
  return new TooLargeError(`${path} has ${size} ${what}; the expressions of a source read ${most} at most`);
}
