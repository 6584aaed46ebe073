// `zone53 plan` for a pull request: --base, --fail-on and -o markdown, with our strict Route 53.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stubRoute53 } from './support/apply-request.ts';
import { type CommandAccount, kubizoneObject, startCommandAccount } from './support/command-account.ts';
import { type Ran, runHere } from './support/run-here.ts';
import { plannedOf } from './support/zone53-command.ts';

let account: CommandAccount;
let zoneId: string;

beforeEach(async () => {
  account = await startCommandAccount();
  zoneId = account.createZone('example.org.');
  writeFileSync(at('zone53.yaml'), 'soa: never\n');
  stubRoute53(account.place.route53);
});

afterEach(() => account.end());

type Records = Readonly<Record<string, string>>;

const A = { a: '192.0.2.1', b: '192.0.2.2', c: '192.0.2.3', d: '192.0.2.4' };

/** Writes the Zone and a Record for each name below `dns/FOLDER`. */
function write(folder: string, records: Records, namespace = 'default'): void {
  account.writeList(folder, [
    kubizoneObject('Zone', 'default', 'org', {
      domainName: 'example.org.',
      delegations: [{ namespaces: ['default'], records: [{ pattern: '*' }] }],
    }),
    ...Object.entries(records).map(([name, rdata]) =>
      kubizoneObject('Record', namespace, name, { domainName: `${name}.example.org.`, type: 'A', rdata }),
    ),
  ]);
}

const at = (...parts: string[]) => path.join(account.folder, ...parts);
const run = (command: string, file: string, ...flags: string[]): Promise<Ran> =>
  runHere(command, '-f', at('dns', file), '--config', at('zone53.yaml'), '--state', at('.zone53'), ...flags);
const plan = (...flags: string[]): Promise<Ran> => run('plan', 'branch.json', ...flags);
const since = (...flags: string[]): Promise<Ran> => plan('--base', at('dns/base.json'), ...flags);

function changesIn(ran: Ran): string[] {
  return plannedOf(ran).hostedZones.flatMap(({ changes }) => changes.map(({ action, name }) => `${action} ${name}`));
}

function putForeign(name: string): void {
  const recordSet = { name, type: 'A', setIdentifier: null, ttl: 60, values: ['198.51.100.1'], alias: null };
  account.state.changeResourceRecordSets(zoneId, null, [
    { action: 'CREATE', recordSet: { ...recordSet, routing: null } },
  ]);
}

describe('zone53 plan --base', () => {
  it('shows only what the branch changes, in each format', async () => {
    write('base', { ...A, waits: '192.0.2.9' });
    write('branch', { ...A, waits: '192.0.2.9', new: '192.0.2.5' });
    const json = await since('-o', 'json', '--detailed-exitcode');
    expect([json.code, changesIn(json)]).toEqual([2, ['create new.example.org.']]);
    const text = await since();
    expect([text.code, text.out.includes('waits')]).toEqual([0, false]);
    expect(text.out).toMatch(/\+ new\.example\.org\. A[\s\S]*\n1 to create, 0 to update, 0 to delete/);
    const markdown = await since('-o', 'markdown');
    expect(markdown.out).toContain('| create | `new.example.org.` | `A` |  |');
    expect([markdown.code, markdown.out.includes('waits')]).toEqual([0, false]);
  });

  it('exits 4 for deletes of the branch that the guard holds, and not for those of the base', async () => {
    write('base', A);
    expect((await run('apply', 'base.json', '--yes')).code).toBe(0);
    write('branch', {});
    const held = await since('-o', 'json', '--fail-on', 'held');
    expect(held.code).toBe(4);
    expect(plannedOf(held).hostedZones).toMatchObject([{ held: true, heldDigest: expect.any(String) }]);
    expect((await since('--fail-on', 'invalid,foreign')).code).toBe(3);
    write('base', {});
    const same = await since('-o', 'json', '--fail-on', 'held');
    expect([same.code, plannedOf(same).hostedZones]).toEqual([0, []]);
    expect((await plan()).code).toBe(3);
  });

  it('exits 4 for what the branch makes invalid or wants where somebody has a record set', async () => {
    write('base', { ...A, x: 'no address', f: '192.0.2.7' });
    putForeign('f.example.org.');
    putForeign('g.example.org.');
    write('branch', { ...A, x: 'no  address', f: '192.0.2.7', new: '192.0.2.5' });
    const all = ['--fail-on', 'held,invalid,foreign'];
    const same = await since('-o', 'json', ...all);
    expect([same.code, changesIn(same)]).toEqual([0, ['create new.example.org.']]);
    expect(plannedOf(same)).toMatchObject({ problems: [], errors: [] });
    expect((await plan()).code).toBe(1);
    expect((await plan('--fail-on', 'foreign')).code).toBe(4);
    write('branch', { ...A, g: '192.0.2.8' });
    expect((await since(...all)).code).toBe(4);
    expect((await since('--fail-on', 'held,invalid')).code).toBe(0);
    write('branch', { ...A, y: 'no address' });
    expect((await since('--fail-on', 'invalid')).code).toBe(4);
    expect((await since('--fail-on', 'held')).code).toBe(1);
    write('branch', A, 'other');
    const denied = await since('-o', 'markdown', ...all);
    expect(denied.code).toBe(4);
    expect(denied.out).toMatch(
      /### Delegations\n\n- `Record other\/a` \(`\S+\/dns\/branch\.json:\d+`\), DelegationDenied: /,
    );
  });

  it('exits 1 for a branch or a base that cannot be read', async () => {
    write('base', A);
    expect((await since('--fail-on', 'held')).err).toContain(`Cannot read "${at('dns/branch.json')}"`);
    writeFileSync(at('dns/branch.json'), '{ "apiVersion": ');
    expect((await since('--fail-on', 'held,invalid,foreign', '-o', 'markdown')).code).toBe(1);
    write('branch', A);
    const missing = await plan('--base', 'nowhere', '--fail-on', 'held');
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('Cannot read "nowhere"')]);
    writeFileSync(at('dns/base.json'), '{ "apiVersion": ');
    expect((await since('--fail-on', 'held,invalid,foreign')).code).toBe(0);
  });
});
