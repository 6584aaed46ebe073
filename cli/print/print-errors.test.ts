import { expect, test } from 'vitest';
import { bare, world } from '../../test/support/output-samples.ts';
import type { RemarkOutput } from './output.ts';
import { errorTeller, printErrors, printRemarks } from './print-errors.ts';
import { jsonCluster } from './print-render.ts';
import { formatJson, plainPaint } from './terminal-text.ts';

test('printErrors() writes file:line:column as editors know it', () => {
  expect(printErrors([...world.errors, { file: '-', line: 2, message: 'b' }], plainPaint)).toBe(
    'error: dns/a.yaml:3:7: Cannot parse YAML: x\nerror: standard input:2: b\n',
  );
});

test('errorTeller() prints an error once, and when a file has none any more', () => {
  const lines: string[] = [];
  const tell = errorTeller((line) => lines.push(line));
  const [a, b, unread] = [
    { file: 'a.yaml', line: 3, column: 7, message: 'Cannot parse YAML: x' },
    { file: 'b.yaml', line: 1, message: 'm\u001b[2J' },
    { file: 'c.yaml', line: 0, message: 'Cannot read "c.yaml": permission denied' },
  ];
  for (const errors of [[a], [a, b], [a, { ...b, line: 2 }, unread], [unread], [], [a]]) {
    tell(errors);
    lines.push('');
  }
  expect(lines.join('\n')).toBe(`a.yaml:3:7: Cannot parse YAML: x

b.yaml:1: m\\u{1b}[2J

b.yaml:2: m\\u{1b}[2J
Cannot read "c.yaml": permission denied

a.yaml: no errors any more
b.yaml: no errors any more

c.yaml: no errors any more

a.yaml:3:7: Cannot parse YAML: x
`);
});

const remark = (file: string, level: RemarkOutput['level'] = 'note'): RemarkOutput => ({
  level,
  file,
  line: 1,
  message: 'm',
});

test('printRemarks() gives warnings first, few notes a line each, many one line with a count', () => {
  const few = [remark('a'), remark('b', 'warning'), remark('c')];
  expect(printRemarks(few, plainPaint)).toBe('warning: b:1: m\nnote: a:1: m\nnote: c:1: m\n');
  const many = Array.from({ length: 400 }, (_, n) => remark(`f${n}`));
  expect(printRemarks(many, plainPaint)).toBe('note: 400 files have no Zone or Record: f0, f1, f2 and 397 more\n');
  expect(printRemarks([], plainPaint)).toBe('');
  expect(printRemarks([...many, remark('z', 'advice')], plainPaint)).toContain(' and 397 more\nnote: z:1: m\n');
});

test('a path that cannot be read has no line number, except in JSON', () => {
  const unread = { file: 'x', line: 0, message: 'Cannot read "x": permission denied' };
  expect(printErrors([unread], plainPaint)).toBe('error: Cannot read "x": permission denied\n');
  expect(JSON.parse(formatJson(jsonCluster({ ...bare, errors: [unread] })))).toEqual({
    zones: [],
    records: [],
    sources: [],
    problems: [],
    errors: [{ ...unread, line: 1 }],
  });
});
