// IAM's decision over identity policies, for the tables of infra/. It throws on any element that it does not know,
// instead of guessing. An explicit deny wins, then an allow; without either, nothing is allowed.
// Source: IAM User Guide, "Policy evaluation logic" and "Multivalued context keys". Last verified 2026-11-21.

export type PolicyRequest = {
  readonly action: string;
  readonly resource: string;
  /** Context keys; a list is a multivalued key. */
  readonly context?: Readonly<Record<string, string | readonly string[]>>;
};

export type Decision = 'allowed' | 'explicitly denied' | 'not allowed';

type Statement = {
  readonly Sid?: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
};

const KNOWN_KEYS = new Set(['Sid', 'Effect', 'Action', 'Resource', 'Condition']);

/** The decision over all statements of a principal's policies. Throws an Error on what it does not know. */
export function evaluatePolicy(statements: readonly unknown[], request: PolicyRequest): Decision {
  const matching = statements.map(readStatement).filter((statement) => applies(statement, request));
  if (matching.some(({ Effect }) => Effect === 'Deny')) return 'explicitly denied';
  return matching.length > 0 ? 'allowed' : 'not allowed';
}

function readStatement(value: unknown): Statement {
  const statement = value as Statement;
  for (const key of Object.keys(statement)) if (!KNOWN_KEYS.has(key)) throw new Error(`Cannot evaluate "${key}"`);
  if (statement.Effect !== 'Allow' && statement.Effect !== 'Deny') {
    throw new Error(`Cannot evaluate effect "${String(statement.Effect)}"`);
  }
  for (const text of [statement.Action, statement.Resource].flatMap(list)) {
    if (typeof text !== 'string') throw new Error(`Cannot evaluate ${JSON.stringify(text)}: resolve it first`);
  }
  return statement;
}

function applies({ Action, Resource, Condition = {} }: Statement, request: PolicyRequest): boolean {
  const action = list(Action).some((pattern) => matches(pattern.toLowerCase(), request.action.toLowerCase()));
  const resource = list(Resource).some((pattern) => matches(pattern, request.resource));
  // Every condition is evaluated, even if the result is known already, so that an unknown one always throws.
  const conditions = Object.entries(Condition).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, wanted]) => holds(operator, request.context?.[key], list(wanted))),
  );
  return action && resource && conditions.every(Boolean);
}

/** One key of one operator; several keys and several operators must all hold. */
function holds(operator: string, given: string | readonly string[] | undefined, wanted: readonly string[]): boolean {
  const [quantifier, base] = operator.includes(':') ? (operator.split(':') as [string, string]) : [null, operator];
  const equal = comparison(base);
  const values = given === undefined ? [] : list(given);
  const one = (value: string) => wanted.some((want) => equal(want, value));
  if (quantifier === 'ForAnyValue') return values.some(one);
  if (quantifier === 'ForAllValues') return values.every(one);
  if (quantifier !== null) throw new Error(`Cannot evaluate condition "${operator}"`);
  if (Array.isArray(given)) throw new Error(`Cannot evaluate "${operator}" over a multivalued key`);
  return values.some(one);
}

function comparison(operator: string): (want: string, value: string) => boolean {
  switch (operator) {
    case 'StringEquals':
      return (want, value) => want === value;
    case 'StringLike':
    case 'ArnLike':
    case 'ArnEquals':
      return matches;
    case 'Bool':
      return (want, value) => want.toLowerCase() === value.toLowerCase();
    default:
      throw new Error(`Cannot evaluate condition "${operator}"`);
  }
}

function list<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

const PATTERNS = new Map<string, RegExp>();

function matches(pattern: string, text: string): boolean {
  const known = PATTERNS.get(pattern);
  if (known !== undefined) return known.test(text);
  const expression = expressionOf(pattern);
  PATTERNS.set(pattern, expression);
  return expression.test(text);
}

/** `*` any characters, `?` one. */
function expressionOf(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
}
