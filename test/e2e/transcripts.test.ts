// README shows the output of commands. This test runs each transcript again, in a folder of its own, and compares,
// except for what differs every time: ports, durations, the date, name servers and ids. In place of dig the test asks
// over UDP.

import { Resolver } from 'node:dns/promises';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Running, startZone53 } from '../support/zone53-command.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const README = readFileSync(path.join(ROOT, 'README.md'), 'utf8');
const BLOCKS = [...README.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, text]) => text ?? '');

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'zone53-readme-'));
  cpSync(path.join(ROOT, 'examples', 'quickstart'), path.join(folder, 'examples', 'quickstart'), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The text without what differs every time. */
function masked(text: string): string {
  return text
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(/token=[\w-]{43}$/gm, 'token=TOKEN')
    .replace(/-p \d+/g, '-p PORT')
    .replace(/in \d+ ms$/gm, 'in N ms')
    .replace(/\bns-\d+\.awsdns-\d+\.(com|net|org|co\.uk)\./g, 'ns.awsdns.')
    .replace(/\b2\d{7}00\b/g, 'SERIAL')
    .replace(/\b[0-9a-f]{64}\b/g, 'DIGEST')
    .replace(/hostedZoneId=Z[A-Z0-9]+/g, 'hostedZoneId=ID');
}

/** The steps of a transcript: a command (the first step has none), and its output. */
function stepsOf(blocks: readonly string[]): readonly { readonly command: string; readonly printed: string }[] {
  const parts = blocks.flatMap((block) => (block.startsWith('$') ? `\n${block}` : block).split(/^\$ /m));
  return parts
    .filter((part) => part.trim() !== '')
    .map((part, index) => {
      const [first = '', ...rest] = part.split('\n');
      return index === 0 ? { command: '', printed: part } : { command: first, printed: rest.join('\n') };
    });
}

/** Carries out a command of the transcript. Returns what the command itself prints. */
async function perform(command: string, dnsPort: string): Promise<string> {
  const [, question] = /^dig @127\.0\.0\.1 -p \d+ (\S+) \+short$/.exec(command) ?? [];
  if (question !== undefined) {
    const dns = new Resolver({ timeout: 5_000, tries: 2 });
    dns.setServers([`127.0.0.1:${dnsPort}`]);
    return `${(await dns.resolve4(question)).join('\n')}\n`;
  }
  const [, from, to, edited] = /^sed -i 's\/(\S+?)\/(\S+?)\/' (\S+)$/.exec(command) ?? [];
  if (from !== undefined && to !== undefined && edited !== undefined) {
    const file = path.join(folder, edited);
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
    return '';
  }
  const [, removed] = /^rm (\S+)$/.exec(command) ?? [];
  if (removed === undefined) throw new Error(`README shows a command that this test does not know: ${command}`);
  rmSync(path.join(folder, removed));
  return '';
}

test('`npm start` prints what README shows, edit by edit', { timeout: 120_000 }, async () => {
  const argv = ['local', '-f', 'examples/quickstart', '--dns-port', '0', '--route53-port', '0'];
  const { child, ended }: Running = startZone53({ folder, route53: 'http://127.0.0.1:9' }, argv);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
  }
  try {
    let seen = 0;
    for (const { command, printed } of stepsOf(BLOCKS)) {
      const dnsPort = /^DNS +127\.0\.0\.1:(\d+)/m.exec(said)?.[1] ?? '';
      const own = command === '' ? '' : await perform(command, dnsPort);
      const expected = masked(printed);
      const now = () => masked(`${own}${said.slice(seen)}`);
      const lines = (text: string) => text.split('\n').length;
      for (let waits = 0; waits < 200 && lines(now()) < lines(expected); waits += 1) await sleep(100);
      // Standard output and standard error are two pipes, so their order is not known.
      expect(now().split('\n').toSorted(), command).toEqual(expected.split('\n').toSorted());
      seen = said.length;
    }
  } finally {
    child.kill('SIGINT');
    await ended;
  }
});
