// Whether CloudWatch Logs sends a log event to a subscription. It supports the part of the filter pattern syntax for
// JSON that we write, and throws on any other instead of guessing.
//
//   { A }                            the event is a JSON object for which A holds; any other event does not match
//   A && B, A || B, (A)              && binds tighter than ||
//   $.a.b = "text", != "text"        compares exactly; `*` is any characters; a missing property equals nothing
//   $.a.b = 1, != < <= > >=          a number
//   $.a.b EXISTS, NOT EXISTS         IS NULL, IS TRUE and IS FALSE are not supported
//
// Source: CloudWatch Logs User Guide, "Filter pattern syntax", "JSON". Last verified 2026-11-21.

type Test = (event: unknown) => boolean;

const TOKEN =
  /\s*(\{|\}|\(|\)|&&|\|\||!=|<=|>=|=|<|>|"[^"\\]*"|\$(?:\.[A-Za-z_][A-Za-z0-9_]*)+|-?\d+(?:\.\d+)?|[A-Z]+)/y;

/** True when the pattern lets the message through. Throws an Error on a pattern that it does not know. */
export function matchFilterPattern(pattern: string, message: string): boolean {
  const test = parsePattern(pattern);
  const event = parseJson(message);
  return typeof event === 'object' && event !== null && !Array.isArray(event) && test(event);
}

function parseJson(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return null;
  }
}

function parsePattern(pattern: string): Test {
  const tokens = tokensOf(pattern);
  const take = (wanted?: string): string => {
    const token = tokens.shift();
    if (token === undefined || (wanted !== undefined && token !== wanted))
      throw new Error(
        `Cannot evaluate filter pattern: ${JSON.stringify(token ?? 'its end')} stands where ${wanted ?? 'more'} belongs`,
      );
    return token;
  };
  const chain = (operator: string, part: () => Test, join: (tests: readonly Test[]) => Test) => (): Test => {
    const tests = [part()];
    while (tokens[0] === operator) {
      take(operator);
      tests.push(part());
    }
    return join(tests);
  };
  const one = (): Test => {
    if (tokens[0] !== '(') return comparison(take);
    take('(');
    const inner = either();
    take(')');
    return inner;
  };
  const all = chain('&&', one, (tests) => (event) => tests.every((test) => test(event)));
  const either: () => Test = chain('||', all, (tests) => (event) => tests.some((test) => test(event)));
  take('{');
  const test = either();
  take('}');
  if (tokens.length > 0) throw new Error(`Cannot evaluate filter pattern: ${tokens.join(' ')} follows its end`);
  return test;
}

function tokensOf(pattern: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; pattern.slice(at).trim() !== ''; at = TOKEN.lastIndex) {
    const found = TOKEN.exec(pattern);
    if (found?.[1] === undefined)
      throw new Error(`Cannot evaluate filter pattern: ${JSON.stringify(pattern.slice(at, at + 20))}`);
    tokens.push(found[1]);
  }
  return tokens;
}

/** `take` gives the tokens after the selector. */
function comparison(take: (wanted?: string) => string): Test {
  const selector = take();
  if (!selector.startsWith('$')) throw new Error(`Cannot evaluate filter pattern: ${selector} is no property`);
  const path = selector.split('.').slice(1);
  const read = (event: unknown) =>
    path.reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], event);
  const operator = take();
  if (operator === 'EXISTS') return (event) => read(event) !== undefined;
  if (operator === 'NOT') {
    take('EXISTS');
    return (event) => read(event) === undefined;
  }
  const wanted = take();
  if (wanted.startsWith('"')) return textTest(operator, wanted.slice(1, -1), read);
  if (!/^-?\d/.test(wanted)) throw new Error(`Cannot evaluate filter pattern: ${wanted} is no value`);
  return numberTest(operator, Number(wanted), read);
}

function textTest(operator: string, wanted: string, read: (event: unknown) => unknown): Test {
  const parts = wanted.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const like = new RegExp(`^${parts.join('.*')}$`, 's');
  const equal: Test = (event) => {
    const value = read(event);
    return typeof value === 'string' && like.test(value);
  };
  if (operator === '=') return equal;
  if (operator === '!=') return (event) => read(event) !== undefined && !equal(event);
  throw new Error(`Cannot evaluate filter pattern: ${operator} of a text`);
}

function numberTest(operator: string, wanted: number, read: (event: unknown) => unknown): Test {
  const compare: Readonly<Record<string, (value: number) => boolean>> = {
    '=': (value) => value === wanted,
    '!=': (value) => value !== wanted,
    '<': (value) => value < wanted,
    '<=': (value) => value <= wanted,
    '>': (value) => value > wanted,
    '>=': (value) => value >= wanted,
  };
  const test = compare[operator];
  if (test === undefined) throw new Error(`Cannot evaluate filter pattern: ${operator} of a number`);
  return (event) => {
    const value = read(event);
    return typeof value === 'number' && test(value);
  };
}
