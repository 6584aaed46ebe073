// docs/sources.md shows the output of `npm run shop` and dig's answers. This test runs the command again and compares,
// except for what differs every time: name servers and the date.
import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testFolder } from '../support/test-folder.ts';
import { serving, startZone53 } from '../support/zone53-command.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(path.join(ROOT, 'docs', 'sources.md'), 'utf8');
const [, TRANSCRIPT = ''] = /`npm run shop`[^`]*```text\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];

const linesOf = (text: string) =>
  text
    .replace(/\bns-\d+\.awsdns-\d+\.(com|net|org|co\.uk)\./g, 'ns.awsdns.')
    .replace(/\b2\d{7}00\b/g, 'SERIAL')
    .split('\n')
    // Lines with the ports and the folder of this run.
    .filter((line) => !/^$|^(Console|DNS|Route 53|Watching) /.test(line))
    .toSorted();

test('`npm run shop` prints what docs/sources.md shows, and dig is answered so', { timeout: 120_000 }, async () => {
  const folder = testFolder();
  const ports = ['--dns-port', '0', '--route53-port', '0'];
  const argv = ['local', '-f', 'examples/shop', '--config', 'examples/shop/zone53.yaml', '--state', folder, ...ports];
  const { child, ended } = startZone53({ folder: ROOT, route53: 'http://127.0.0.1:9' }, argv);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [printed = '', ...questions] = TRANSCRIPT.split(/^\$ /m);
  try {
    const isWhole = () => serving(said) !== null && linesOf(said).length >= linesOf(printed).length;
    for (let waits = 0; waits < 600 && !isWhole(); waits += 1) await sleep(100);
    expect(linesOf(said)).toEqual(linesOf(printed));
    const dns = new Resolver({ timeout: 5_000, tries: 2 });
    dns.setServers([`127.0.0.1:${serving(said)?.dnsPort}`]);
    expect(questions).toHaveLength(3);
    for (const question of questions) {
      const [command = '', ...answer] = question.split('\n');
      const [, name = ''] = /^dig @127\.0\.0\.1 -p \d+ (\S+) \+short$/.exec(command) ?? [];
      expect([name, ...(await dns.resolve4(name))]).toEqual([name, ...answer.filter((line) => line !== '')]);
    }
  } finally {
    child.kill('SIGINT');
    await ended;
  }
});
