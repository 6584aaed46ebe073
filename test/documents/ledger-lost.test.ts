// docs/ledger-lost.md shows what the commands print when a ledger is built again from nothing. This test takes the same
// steps over the local Route 53 and compares, except for digests, ids and the folder.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stubRoute53 } from '../support/apply-request.ts';
import { type CommandAccount, kubizoneObject, startCommandAccount } from '../support/command-account.ts';
import { runHere } from '../support/run-here.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../docs/ledger-lost.md'), 'utf8');
const [, CONFIG = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];
/** The commands of the page, each with what it prints. */
const STEPS = [...PAGE.matchAll(/^```console\n\$ (zone53 [^\n]+)\n([\s\S]*?)^```$/gm)].map(
  ([, command = '', printed = '']) => ({ command, printed }),
);

let account: CommandAccount;
let zoneId: string;

beforeEach(async () => {
  account = await startCommandAccount();
  zoneId = account.createZone('example.org.');
  stubRoute53(account.place.route53);
});

afterEach(() => account.end());

const at = (file: string) => path.join(account.folder, file);

/** A command of the page: its files are in the folder of the test. */
async function run(command: string): Promise<string> {
  const [, ...argv] = command.split(' ');
  const { out, err } = await runHere(
    ...argv.map((word) => (/^(dns|zone53\.yaml|\.zone53)$/.test(word) ? at(word) : word)),
  );
  return `${out}${err}`;
}

function declare(addresses: Readonly<Record<string, string>>): void {
  const delegations = [{ records: [{ pattern: '*' }] }];
  account.writeList('all', [
    kubizoneObject('Zone', 'dns', 'org', { domainName: 'example.org.', delegations }),
    ...Object.entries(addresses).map(([name, rdata]) =>
      kubizoneObject('Record', 'shop', name, { domainName: `${name}.example.org.`, type: 'A', rdata }),
    ),
  ]);
}

/** The text without what differs every time. */
const masked = (text: string) =>
  text
    .replaceAll(account.folder, '.')
    .replaceAll(zoneId, 'ID')
    .replace(/\b[0-9a-f]{64}\b/g, 'DIGEST');

async function expectStep(step: (typeof STEPS)[number] | undefined): Promise<void> {
  expect(masked(await run(step?.command ?? '')), step?.command).toBe(step?.printed);
}

test('a ledger is built again from nothing, step by step', { timeout: 60_000 }, async () => {
  writeFileSync(at('zone53.yaml'), 'soa: never\n');
  declare({ www: '192.0.2.1', api: '192.0.2.2', old: '192.0.2.3' });
  await run('zone53 apply --yes -f dns --config zone53.yaml --state .zone53');
  const mail = { name: 'example.org.', type: 'MX', setIdentifier: null, ttl: 60, alias: null, routing: null };
  const recordSet = { ...mail, values: ['10 mx.example.net.'] };
  account.state.changeResourceRecordSets(zoneId, null, [{ action: 'CREATE', recordSet }]);
  const answers = () => JSON.stringify(account.state.zones());
  const before = answers();
  // The ledger is lost. Since then, one Record was edited and another one deleted.
  rmSync(at('.zone53'), { recursive: true });
  declare({ www: '192.0.2.1', api: '192.0.2.9' });
  writeFileSync(at('zone53.yaml'), `soa: never\n${CONFIG}`);
  const [planned, applied, again] = STEPS;
  expect(STEPS).toHaveLength(3);
  await expectStep(planned);
  await expectStep(applied);
  expect(answers()).toBe(before);
  // What is left: both are declared as they stand, and become as they are to be.
  for (const addresses of [
    { www: '192.0.2.1', api: '192.0.2.2', old: '192.0.2.3' },
    { www: '192.0.2.1', api: '192.0.2.9' },
  ]) {
    declare(addresses);
    await run('zone53 apply --yes -f dns --config zone53.yaml --state .zone53');
  }
  await expectStep(again);
  const valuesAt = (name: string) => account.state.recordSetsAt(zoneId, name).flatMap(({ values }) => values);
  expect([valuesAt('api.example.org.'), valuesAt('old.example.org.'), valuesAt('example.org.')]).toEqual([
    ['192.0.2.9'],
    [],
    expect.arrayContaining(['10 mx.example.net.']),
  ]);
});
