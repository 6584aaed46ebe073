// The page of a name says what `zone53 explain` says, although its plan is of that name alone: of each name of the
// examples, when all is published, and when half of what published it is gone and the guard holds deletes.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readConfigFile } from '../../lib/adapters/config/config-file.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { stubRoute53 } from '../../test/support/apply-request.ts';
import { runHere } from '../../test/support/run-here.ts';
import { testFolder } from '../../test/support/test-folder.ts';
import { namesAnswer } from './answers.ts';
import { runConsole } from './run-console.ts';

const EXAMPLES = path.join(import.meta.dirname, '../../examples');
/** How many names of an example are compared: each costs two commands. */
const NAMES_MAX = 4;

/** Leaves every second object out, but no Zone. */
function halve(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.yaml') && one !== 'zone53.yaml')) {
    const file = path.join(folder, name);
    const documents = parseAllDocuments(readFileSync(file, 'utf8'));
    const kept = documents.filter((one, index) => index % 2 === 0 || one.get('kind') !== 'Record');
    writeFileSync(file, kept.map(String).join('---\n'));
  }
}

/** Asks the console over this source, as a test does. */
async function withConsole(
  given: Pick<Parameters<typeof runConsole>[0], 'source' | 'store' | 'config'>,
  work: (ask: (question: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const ending = new AbortController();
  let address = '';
  const running = runConsole({
    ...{ ...given, clock: systemClock, log: () => {}, progress: () => {}, port: 0, tokenFile: null, opens: false },
    print: (line) => {
      address = line.split(' ')[1] ?? '';
    },
    signal: ending.signal,
  });
  await Promise.race([running, vi.waitFor(() => expect(address).not.toBe(''), { timeout: 30_000 })]);
  const { origin, searchParams } = new URL(address);
  const headers = { authorization: `Bearer ${searchParams.get('token')}` };
  try {
    await work(async (question) => (await fetch(`${origin}/api/v1/${question}`, { headers })).json());
  } finally {
    ending.abort();
    await running;
  }
}

test.each(['teams', 'shop', 'aliases-and-routing'])(
  'of example %s as zone53 explain',
  { timeout: 240_000 },
  async (example) => {
    const folder = testFolder();
    const route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
    stubRoute53(route53.url);
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await route53.close();
    });
    const dns = path.join(folder, 'dns');
    cpSync(path.join(EXAMPLES, example), dns, { recursive: true });
    const file = path.join(folder, 'zone53.yaml');
    const own = path.join(dns, 'zone53.yaml');
    const settings = existsSync(own) ? readFileSync(own, 'utf8') : '';
    writeFileSync(file, `${settings}\ncreateHostedZones: all\nguard: { deletesMax: 0 }\n`);
    const state = path.join(folder, 'state');
    const config = await readConfigFile(file);
    const store = { kind: 'folder', folder: state } as const;
    const ledger = ['--state', state, '--config', file];
    const compare = async (argv: readonly string[], source: Parameters<typeof runConsole>[0]['source']) => {
      await withConsole({ source, store, config }, async (ask) => {
        const { names } = namesAnswer.parse(await ask('names'));
        const some = [...new Set(names.map(({ name }) => name))].slice(0, NAMES_MAX);
        expect(some.length).toBeGreaterThan(2);
        for (const name of [...some, 'nosuch.example.org.', 'nosuch.example.net.']) {
          const { out } = await runHere('explain', name, ...ledger, ...argv, '-o', 'json');
          const answer = (await ask(`names/${encodeURIComponent(name)}`)) as Record<string, unknown>;
          const { rows: _, unread, history, ...explained } = answer;
          expect(unread).toBeNull();
          expect({ ...explained, history: (history as unknown[]).slice(0, 3) }, name).toEqual(JSON.parse(out));
        }
      });
    };
    await runHere('apply', '-f', dns, ...ledger, '--yes');
    await compare([], null);
    halve(dns);
    await compare(['-f', dns], { kind: 'manifests', paths: [dns] });
    await runHere('apply', '-f', dns, ...ledger, '--yes');
    await compare([], null);
  },
);
