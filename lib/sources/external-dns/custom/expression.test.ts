import { describe, expect, test } from 'vitest';
import { compileExpression, type Returns, visible } from './expression.ts';

const OBJECT = {
  metadata: { name: 'shop', namespace: 'team-a', labels: {}, annotations: { 'example.com/host': 'note.example.org' } },
  spec: { rules: [{ host: 'a.example.org' }, { host: 'b.example.org' }, {}], port: 80, share: 0.5, host: 'h' },
  status: {},
};

function valueIn(text: string, returns: Returns, object: unknown = OBJECT, related: unknown = null): unknown {
  const compiled = compileExpression(text, returns);
  if (!compiled.ok) throw new Error(compiled.message);
  const seen = [visible(object, 'object'), visible(related, 'related')];
  const [own, other] = seen.map((one) => (one.ok ? one.value : null));
  const evaluated = compiled.expression.evaluate({ object: own, related: other });
  return evaluated.ok ? evaluated.value : evaluated.problem;
}

const refusal = (text: string, returns: Returns) => {
  const compiled = compileExpression(text, returns);
  return compiled.ok ? null : compiled.message;
};

describe('compileExpression()', () => {
  test.each<[string, Returns, unknown]>([
    ['object.spec.rules.filter(r, has(r.host)).map(r, r.host)', 'texts', ['a.example.org', 'b.example.org']],
    ['object.spec.rules.map(r, has(r.host), r.host)', 'texts', ['a.example.org', 'b.example.org']],
    ['object.spec.rules.map(r, r.?host)', 'texts', ['a.example.org', 'b.example.org']],
    ['[object.spec.host, [object.spec.host, "x"], "", null]', 'texts', ['h', 'x']],
    ['object.spec.host', 'texts', ['h']],
    ['object.spec.?nothing', 'texts', []],
    ['object.metadata.annotations["example.com/host"]', 'texts', ['note.example.org']],
    ['object.metadata.?annotations[?"no"].orValue("d")', 'text', 'd'],
    ['object.spec.rules.exists(r, r.?host.orValue("") == "a.example.org")', 'bool', true],
    ['object.spec.port + 220', 'number', 300],
    ['object.spec.port == 80', 'bool', true],
    ['object.spec.share', 'number', 0.5],
    ['60', 'number', 60],
    ['"1m"', 'number', '1m'],
    ['related == null', 'bool', true],
  ])('%s returns %s', (text, returns, expected) => {
    expect(valueIn(text, returns)).toEqual(expected);
  });

  test('whole numbers of a related object are whole numbers, too', () => {
    expect(valueIn('related.spec.n + 1', 'number', OBJECT, { spec: { n: 1 } })).toBe(2);
  });

  test.each<[string, Returns, string]>([
    ['object.spec.(', 'texts', 'it is no CEL expression: Expected IDENTIFIER, got LPAREN (character 13)'],
    ['1 + "a"', 'texts', 'it is no CEL expression: no such overload: int + string (character 1)'],
    ['TXT', 'text', 'it is no CEL expression: Unknown variable: TXT (character 1)'],
    ['size(object.spec.rules)', 'texts', 'it returns int; return a text or a list of texts'],
    ['[1, 2]', 'texts', 'it returns list<int>; return a text or a list of texts'],
    ['["a"]', 'text', 'it returns list<string>; return a text'],
    ['"true"', 'bool', 'it returns string; return true or false'],
    ['true', 'number', 'it returns bool; return a number'],
    ['object.data.host', 'texts', 'object.data is not there: an object has metadata, spec, status'],
    [
      'object.spec.host.matches("(a+)+$")',
      'bool',
      'matches is not available: write startsWith, endsWith, contains or split',
    ],
    [
      'object.spec.a.map(x, object.spec.b.map(y, object.spec.c.map(z, z)))',
      'texts',
      'map, filter, all, exists, exists_one may be nested 2 times',
    ],
    [`"${'x'.repeat(2_000)}"`, 'texts', 'it has 2002 characters, and 2000 are the most'],
  ])('refuses %s', (text, returns, expected) => {
    expect(refusal(text, returns)).toBe(expected);
  });

  test('loops one after the other are not nested', () => {
    const text = 'object.spec.rules.filter(r, has(r.host)).map(r, [r]).map(l, l.map(r, r.host)).filter(l, true)';
    expect(valueIn(text, 'texts')).toEqual(['a.example.org', 'b.example.org']);
  });

  test.each<[string, Returns, string]>([
    ['object.spec.rules.map(r, r.host)', 'texts', 'No such key: host (character 28)'],
    ['object.spec.port', 'texts', 'it returned a number among its values; expected a text or a list of texts'],
    ['object.spec.rules', 'texts', 'it returned a mapping among its values; expected a text or a list of texts'],
    ['object.spec.rules', 'text', 'it returned a list; expected a text'],
    ['object.spec.host', 'bool', 'it returned a text; expected true or false'],
    ['object.spec.rules', 'number', 'it returned a list; expected a number'],
    ['object.constructor.name', 'texts', ''],
    ['object.spec.__proto__', 'texts', 'No such key: __proto__ (character 13)'],
    ['object.spec.host.length', 'number', 'No such key: length (character 18)'],
  ])('%s fails for an object of another shape', (text, returns, expected) => {
    if (expected === '') expect(refusal(text, returns)).toContain('object.constructor is not there');
    else expect(valueIn(text, returns)).toBe(expected);
  });

  test('knows whether it uses the related object', () => {
    const uses = (text: string) => {
      const compiled = compileExpression(text, 'texts');
      return compiled.ok && compiled.expression.usesRelated;
    };
    expect(uses('object.spec.rules.map(r, related.spec.x)')).toBe(true);
    expect(uses('object.spec.rules.map(related, related.host)')).toBe(true);
    expect(uses('object.spec.related')).toBe(false);
  });
});

describe('visible()', () => {
  const problemOf = (value: unknown) => {
    const seen = visible(value, 'object');
    return seen.ok ? null : seen.problem;
  };
  const list = (length: number) => Array.from({ length }, () => 'x');

  test('takes lists of 1,000 elements and refuses longer ones, wherever they are', () => {
    expect(problemOf({ spec: { a: [{ hosts: list(1_000) }] } })).toBeNull();
    expect(problemOf({ spec: { a: [{ hosts: list(1_001) }] } })).toBe(
      'object.spec.a[0].hosts has 1001 elements; the expressions of a source read 1000 at most',
    );
  });

  test('refuses maps and texts that are as large, and endless nesting', () => {
    const fields = Object.fromEntries(list(1_001).map((_, index) => [`f${index}`, 1]));
    expect(problemOf({ spec: fields })).toContain('object.spec has 1001 fields');
    expect(problemOf({ spec: { text: 'x'.repeat(65_537) } })).toContain('object.spec.text has 65537 characters');
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level += 1) deep = [deep];
    expect(problemOf(deep)).toContain('is nested more than 100 times');
  });

  test('keeps a field called __proto__ a field', () => {
    const seen = visible(JSON.parse('{"__proto__":{"host":"x"}}'), 'object');
    expect(seen.ok && Object.keys(seen.value as object)).toEqual(['__proto__']);
  });
});
