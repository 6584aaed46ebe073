// examples/service-discovery answers dig as docs/service-discovery.md shows.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { type RunningLocal, startLocal } from '../support/running-local.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const EXAMPLE = path.join(ROOT, 'examples/service-discovery');
const PAGE = readFileSync(path.join(ROOT, 'docs/service-discovery.md'), 'utf8');
/** Each question with its answers, as the page shows them. */
const QUESTIONS = [...PAGE.matchAll(/^\$ dig @127\.0\.0\.1 -p 5300 \+short (\S+) (\S+)\n((?:[^$`].*\n)*)/gm)].map(
  ([, name = '', type = '', answers = '']) => [name, type, answers.split('\n').filter(Boolean)] as const,
);

describeWithEngine('dig', 'examples/service-discovery', () => {
  let folder: string;
  let local: RunningLocal;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'zone53-example-'));
    local = await startLocal(folder, '-f', EXAMPLE, '--config', path.join(EXAMPLE, 'zone53.yaml'));
  });
  afterAll(async () => {
    await local?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  it('is asked every kind of question', () => {
    expect(new Set(QUESTIONS.map(([, type]) => type))).toEqual(new Set(['A', 'SRV', 'PTR', 'TXT', 'CNAME']));
  });

  it.each(QUESTIONS)('%s %s', async (name, type, answers) => {
    await local.until(async () => (await local.answers(name, type)).length === answers.length);
    expect(await local.answers(name, type)).toEqual(answers.toSorted());
  });
});
