// docs/fleet.md runs two clusters by `zone53 local`, and moves a name between them. This test does what the page shows,
// compares what is printed and answered, and asks for the name all the time: no query goes unanswered.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { type RunningLocal, startLocal } from '../support/running-local.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const PAGE = readFileSync(path.join(ROOT, 'docs', 'fleet.md'), 'utf8');

/** The steps of the transcript: a command, and what is printed after it. */
function stepsOfPage(): readonly { readonly command: string; readonly printed: readonly string[] }[] {
  const [, text = ''] = /^```console\n(\$ npx zone53 local [\s\S]*?)^```$/m.exec(PAGE) ?? [];
  return text
    .split(/^\$ /m)
    .filter((step) => step !== '')
    .map((step) => {
      const [command = '', ...printed] = step.split('\n').filter((line) => line !== '');
      return { command, printed };
    });
}

/** The lines that are the same each time. */
const lasting = (said: string) =>
  said
    .replaceAll(/ in \d+ ms\b/g, ' in N ms')
    .split('\n')
    .filter((line) => line !== '' && !/^(Console|DNS|Route 53) /.test(line));

/** Asks for the name all the time. `stop` returns what was answered: each answer once for each time that it began. */
function askAll(local: RunningLocal, name: string): { stop(): Promise<readonly string[]> } {
  const answers: string[] = [];
  let ended = false;
  const asking = (async () => {
    while (!ended) {
      const answer = (await local.answers(name)).join(' ') || 'no answer';
      if (answers.at(-1) !== answer) answers.push(answer);
    }
  })();
  return {
    stop: async () => {
      ended = true;
      await asking;
      return answers;
    },
  };
}

describeWithEngine('dig', 'two clusters through zone53 local', () => {
  it('a name moves to the cluster that waits for it as docs/fleet.md shows, and every query is answered', async () => {
    const [started, ...steps] = stepsOfPage();
    const folder = mkdtempSync(path.join(tmpdir(), 'zone53-fleet-'));
    cpSync(path.join(ROOT, 'examples', 'fleet'), path.join(folder, 'examples', 'fleet'), { recursive: true });
    const [, , , ...argv] = started?.command.split(' ') ?? [];
    const local = await startLocal(folder, ...argv);
    try {
      let seen = 0;
      const printed = async (lines: readonly string[]) => {
        const wanted = lasting(lines.join('\n')).toSorted();
        await local.until(() => lasting(local.said()).length >= seen + wanted.length);
        expect(lasting(local.said()).slice(seen).toSorted()).toEqual(wanted);
        seen += wanted.length;
      };
      await printed(started?.printed ?? []);
      const asked = askAll(local, 'www.example.org');
      expect(steps.map(({ command }) => command.split(' ')[0])).toEqual(['dig', 'rm', 'dig']);
      const answered: string[] = [];
      for (const step of steps) {
        const [program, ...words] = step.command.split(' ');
        if (program === 'rm') {
          rmSync(path.join(folder, words[0] ?? ''));
          await printed(step.printed);
        } else {
          expect(await local.answers(words.find((word) => word.endsWith('.org')) ?? '')).toEqual(step.printed);
          answered.push(...step.printed);
        }
      }
      expect(await asked.stop()).toEqual(answered);
    } finally {
      expect(await local.stop()).toBe(0);
      rmSync(folder, { recursive: true });
    }
  });
});
