// The table of docs/views.md, by dig: one name inside and outside, from one set of manifests.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { startLocal } from '../support/running-local.ts';
import { serving, zone53 } from '../support/zone53-command.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

/** The rows of the table: name, and the answers outside, inside, and inside without `extends`. */
function tableOfPage(): readonly (readonly [string, string, string, string])[] {
  const page = readFileSync(path.join(ROOT, 'docs', 'views.md'), 'utf8');
  return [...page.matchAll(/^\| `(\w+)` \| [^|]+ \| ([\w.]+) \| ([\w.]+) \| ([\w.]+) \|$/gm)].map(
    ([, name = '', outside = '', inside = '', alone = '']) => [name, outside, inside, alone] as const,
  );
}

describeWithEngine('dig', 'views through zone53 local', () => {
  it.each([true, false])('each view answers on its own port as docs/views.md says, extended: %s', async (extended) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'zone53-views-'));
    cpSync(path.join(ROOT, 'examples', 'inside-and-outside'), folder, { recursive: true });
    if (!extended) {
      const file = path.join(folder, 'zone53.yaml');
      writeFileSync(file, readFileSync(file, 'utf8').replace('{ extends: public }', '{}'));
    }
    const local = await startLocal(folder, '-f', '.', '--config', 'zone53.yaml', '--view', 'internal');
    try {
      const port = /^View +127\.0\.0\.1:(\d+) +internal/m.exec(local.said())?.[1] ?? '';
      const answer = async (name: string, ...where: string[]) => {
        const said = await local.dig(...where, `${name}.example.org`, 'A');
        return /status: NXDOMAIN/.test(said) ? 'NXDOMAIN' : (/\s\d+\s+IN\s+A\s+(\S+)/.exec(said)?.[1] ?? said);
      };
      const table = tableOfPage();
      expect(table).toHaveLength(5);
      for (const [name, outside, inside, alone] of table) {
        const answers = [await answer(name), await answer(name, '-p', port)];
        expect([name, ...answers]).toEqual([name, outside, extended ? inside : alone]);
      }
      const explained = await zone53({ folder, route53: serving(local.said())?.route53 ?? '' }, [
        ...['explain', 'blog.example.org@internal', '--state', path.join('.zone53', 'local'), '-o', 'json'],
      ]);
      const { hostedZone, advice } = JSON.parse(explained.out);
      expect(hostedZone).toMatchObject({ id: 'Z9876543210ABCDEFGHIJ', vpcs: [{ id: expect.stringMatching(/^vpc-/) }] });
      expect(advice).toContain(extended ? 'the view that this one extends publishes it' : 'create a Record');
    } finally {
      expect(await local.stop()).toBe(0);
      rmSync(folder, { recursive: true });
    }
  });
});
