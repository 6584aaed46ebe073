import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stubRoute53 } from '../../test/support/apply-request.ts';
import { type CommandAccount, kubizoneObject, startCommandAccount } from '../../test/support/command-account.ts';
import { runHere } from '../../test/support/run-here.ts';
import { plannedOf } from '../../test/support/zone53-command.ts';

let account: CommandAccount;
let zoneId: string;

beforeEach(async () => {
  account = await startCommandAccount();
  zoneId = account.createZone('example.org.');
  writeFileSync(at('zone53.yaml'), 'soa: never\n');
  stubRoute53(account.place.route53);
});

afterEach(() => account.end());

const at = (...parts: string[]) => path.join(account.folder, ...parts);
const run = (command: string, ...flags: string[]) =>
  runHere(command, '-f', at('dns'), '--config', at('zone53.yaml'), '--state', at('.zone53'), ...flags);

function write(...names: string[]): void {
  const delegations = [{ records: [{ pattern: '*' }] }];
  account.writeList('all', [
    kubizoneObject('Zone', 'default', 'org', { domainName: 'example.org.', delegations }),
    ...names.map((name) =>
      kubizoneObject('Record', 'default', name, { domainName: `${name}.example.org.`, type: 'A', rdata: '192.0.2.1' }),
    ),
  ]);
}

function put(name: string, type: string, value: string): void {
  const recordSet = { name, type, setIdentifier: null, ttl: 60, values: [value], alias: null, routing: null };
  account.state.changeResourceRecordSets(zoneId, null, [{ action: 'CREATE', recordSet }]);
}

async function unmanaged(...flags: string[]) {
  const ran = await run('plan', '--unmanaged', '-o', 'json', ...flags);
  const names = plannedOf(ran).hostedZones.flatMap((one) => (one.unmanaged ?? []).map(({ name }) => name));
  return { code: ran.code, names, ran };
}

test('plan --unmanaged lists what nobody asks for, and what a lost ledger leaves behind', async () => {
  write('a', 'b', 'gone');
  expect((await run('apply', '--yes')).code).toBe(0);
  put('mail.example.org.', 'MX', '10 mx.example.net.');
  write('a', 'b');
  const known = await unmanaged('--detailed-exitcode');
  expect([known.code, known.names]).toEqual([2, ['mail.example.org.']]);
  expect(plannedOf(known.ran).hostedZones[0]?.unmanaged).toEqual([
    {
      ...{ name: 'mail.example.org.', type: 'MX', setIdentifier: null },
      content: { ttl: 60, values: ['10 mx.example.net.'] },
    },
  ]);
  expect(plannedOf(await run('plan', '-o', 'json')).hostedZones[0]).not.toHaveProperty('unmanaged');
  expect((await unmanaged('--zone', 'b.example.org.')).names).toEqual([]);

  rmSync(at('.zone53'), { recursive: true });
  const lost = await unmanaged();
  expect([lost.code, lost.names]).toEqual([(await run('plan')).code, ['gone.example.org.', 'mail.example.org.']]);
  const text = await run('plan', '--unmanaged');
  expect(text.out).toContain('? gone.example.org. A  # nobody asks for it: ttl 360, 192.0.2.1\n');
  const markdown = await run('plan', '--unmanaged', '-o', 'markdown');
  expect(markdown.out).toContain('- nobody asks for `mail.example.org. MX`: `ttl 60, 10 mx.example.net.`');
});
