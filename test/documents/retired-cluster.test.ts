// docs/fleet.md shows what is printed when a cluster is retired. This test does it with examples/fleet over the local
// Route 53, and compares, except for digests, ids and times.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stubRoute53 } from '../support/apply-request.ts';
import { type CommandAccount, startCommandAccount } from '../support/command-account.ts';
import { runHere } from '../support/run-here.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(path.join(ROOT, 'docs/fleet.md'), 'utf8');
const [, SECTION = ''] = /^## A cluster that is gone\n([\s\S]*?)^## /m.exec(PAGE) ?? [];
const [, CONFIG = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(SECTION) ?? [];
const ID = 'Z0123456789ABCDEFGHIJ';

let account: CommandAccount;
let zoneId: string;

beforeEach(async () => {
  account = await startCommandAccount();
  zoneId = account.createZone('example.org.');
  stubRoute53(account.place.route53);
  cpSync(path.join(ROOT, 'examples/fleet'), account.folder, { recursive: true });
});

afterEach(() => account.end());

const at = (file: string) => path.join(account.folder, file);
const configure = (text: string) => writeFileSync(at('zone53.yaml'), text.replace(ID, zoneId));

async function run(...argv: readonly string[]): Promise<string> {
  const { out, err } = await runHere(...argv, '--state', at('state'), '--config', at('zone53.yaml'));
  return masked(`${out}${err}`);
}

/** The text without what differs every time. */
const masked = (text: string) =>
  text
    .replaceAll(zoneId, ID)
    .replace(/\b[0-9a-f]{64}\b/g, 'DIGEST')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

test('a cluster that is gone is retired, step by step', async () => {
  configure(readFileSync(at('zone53.yaml'), 'utf8'));
  for (const cluster of ['eu', 'us']) await run('apply', '-f', at(cluster), '--cluster', cluster, '--yes');
  configure(CONFIG);
  const steps = [...SECTION.matchAll(/^```console\n\$ zone53 ([^\n]+)\n([\s\S]*?)^```$/gm)];
  expect(steps.length).toBe(1);
  for (const [, command = '', printed = ''] of steps)
    expect(await run(...command.split(' ')), command).toBe(masked(printed));
  expect(await run('clusters', 'retire', 'eu', '--yes')).toMatch(/1 published, 1 deleted\.\n$/);
  expect(await run('clusters')).toMatch(/^us +2 names +last read TIME *\n$/);
});
