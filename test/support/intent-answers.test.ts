import { expect, test } from 'vitest';
import { checkAnswer } from './intent-answers.ts';

const RECORD = '/v2/project/shop/dns-update-records/public/';
const answer = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  body,
  header: (name: string) => ({ 'content-type': 'application/json', ETag: '"1"', ...headers })[name] ?? null,
});
const record = { metadata: { name: 'public' }, spec: { provider: 'aws' }, ignored: [] };

test('checkAnswer() accepts what the document describes, and nothing else', () => {
  expect(() => checkAnswer('GET', RECORD, answer(200, record))).not.toThrow();
  expect(() => checkAnswer('GET', RECORD, answer(200, { ...record, secret: 1 }))).toThrow('additional properties');
  expect(() => checkAnswer('GET', RECORD, answer(200, { ...record, spec: { provider: 'bind' } }))).toThrow('spec');
  expect(() => checkAnswer('GET', RECORD, answer(202, record))).toThrow('no such answer');
  expect(() => checkAnswer('DELETE', RECORD, answer(204, record))).toThrow('a body');
  expect(() => checkAnswer('DELETE', RECORD, answer(204, null))).toThrow('header ETag is not in the document');
  const plain = { 'content-type': 'text/plain' };
  expect(() => checkAnswer('GET', RECORD, answer(200, record, plain))).toThrow('content type');
});

test('checkAnswer() requires a problem document for an error', () => {
  const problem = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'no' };
  const type = { 'content-type': 'application/problem+json' };
  expect(() => checkAnswer('GET', '/v2/nothing', answer(404, problem, type))).not.toThrow();
  expect(() => checkAnswer('GET', '/v2/nothing', answer(404, { error: 'no' }, type))).toThrow('type');
});
