// Compares the expected with the actual output of a golden case (test/cases/README.md): objects as subsets, arrays
// whole and in order, and strings that begin with `~` by the pieces that must occur. It returns all differences, each
// with its path.

/** One line for each difference, such as `zones[0].fqdn: expected "a.", got "b."`; empty when there is none. */
export function findDifferences(expected: unknown, actual: unknown, path = ''): readonly string[] {
  if (typeof expected === 'string' && expected.startsWith('~')) return differencesOfPieces(expected, actual, path);
  if (Array.isArray(expected)) return differencesOfArrays(expected, actual, path);
  if (isObject(expected)) {
    if (!isObject(actual)) return [differs(expected, actual, path)];
    return Object.entries(expected).flatMap(([key, value]) =>
      findDifferences(value, actual[key], path === '' ? key : `${path}.${key}`),
    );
  }
  return Object.is(expected, actual) ? [] : [differs(expected, actual, path)];
}

function differencesOfPieces(expected: string, actual: unknown, path: string): readonly string[] {
  const pieces = expected.split('~').map((piece) => piece.trim());
  const holds = typeof actual === 'string' && pieces.every((piece) => actual.includes(piece));
  return holds ? [] : [differs(expected, actual, path)];
}

function differencesOfArrays(expected: readonly unknown[], actual: unknown, path: string): readonly string[] {
  if (!Array.isArray(actual)) return [differs(expected, actual, path)];
  const shared = expected
    .slice(0, actual.length)
    .flatMap((value, index) => findDifferences(value, actual[index], `${path}[${index}]`));
  const missing = expected
    .slice(actual.length)
    .map((value, index) => `${path}[${actual.length + index}]: missing ${JSON.stringify(value)}`);
  const surplus = actual
    .slice(expected.length)
    .map((value, index) => `${path}[${expected.length + index}]: unexpected ${JSON.stringify(value)}`);
  return [...shared, ...missing, ...surplus];
}

function differs(expected: unknown, actual: unknown, path: string): string {
  return `${path}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
