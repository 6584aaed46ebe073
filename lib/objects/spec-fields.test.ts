import { expect, test } from 'vitest';
import { openFields, optionalBoolean, optionalSeconds, requiredText, textList } from './spec-fields.ts';

const SECONDS = 'spec.x: expected whole seconds from 0 to 2147483647, got';
const TEMPLATE = 'a template in {{ }}: render it before, as "helm template" does, or write the value itself';

test.each<[typeof optionalSeconds | typeof optionalBoolean | typeof requiredText | typeof textList, unknown, string]>([
  [optionalSeconds, '5m', `${SECONDS} the string "5m"; write 300`],
  [optionalSeconds, '1h30m', `${SECONDS} the string "1h30m"; write 5400`],
  [optionalSeconds, '2D', `${SECONDS} the string "2D"; write 172800`],
  [optionalSeconds, '60', `${SECONDS} the string "60"; remove the quotes: 60`],
  [optionalSeconds, ' 060 ', `${SECONDS} the string " 060 "; remove the quotes: 60`],
  [optionalSeconds, '50%', `${SECONDS} the string "50%"; write 50`],
  [optionalSeconds, '5000w', `${SECONDS} the string "5000w"`],
  [optionalSeconds, '-1', `${SECONDS} the string "-1"`],
  [optionalSeconds, 'auto', `${SECONDS} the string "auto"`],
  [optionalSeconds, 1.5, `${SECONDS} number 1.5`],
  [optionalSeconds, [60], `${SECONDS} a list`],
  [optionalSeconds, { '{ .Values.ttl }': null }, `${SECONDS} ${TEMPLATE}`],
  [optionalBoolean, 'Yes', 'spec.x: expected true or false, got the string "Yes"; write true, without quotes'],
  [optionalBoolean, 'off', 'spec.x: expected true or false, got the string "off"; write false, without quotes'],
  [textList, 'a', 'spec.x: expected a list, got the string "a"; write a list: ["a"]'],
  [requiredText, { '{ .V }': null }, `spec.x: expected a string that is not empty, got ${TEMPLATE}`],
  [requiredText, { '{ .V }': null, b: 1 }, 'spec.x: expected a string that is not empty, got a mapping'],
])('a problem of a value says what to write instead', (read, value, problem) => {
  const problems: string[] = [];
  const fields = openFields({ x: value }, 'spec', ['x'], problems);
  if (fields !== null) read(fields, 'x');
  expect(problems).toEqual([problem]);
});

test('openFields() names an unknown field in a text that can be stored, whatever its characters', () => {
  const problems: string[] = [];
  openFields({ '\ud800ttl': 1 }, 'spec', ['x'], problems);
  expect(problems).toEqual(['spec.\ufffdttl: unknown field; the fields are x']);
});
