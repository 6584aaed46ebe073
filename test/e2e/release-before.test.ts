// docs/upgrade.md: this version and the release before read what the other one wrote, and both stop at a ledger that a
// later version has marked. test/release-before has that release; `npm run release-before` keeps the present one.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { sqliteLedger } from '../../lib/adapters/ledger/sqlite-ledger.ts';
import {
  APPLIED,
  CLUSTERS,
  type Command,
  commandOf,
  copyState,
  inCluster,
  releaseBefore,
  serveRoute53,
  withConfiguration,
} from '../release-before/release-before.ts';
import { testFolder } from '../support/test-folder.ts';

const present = commandOf(path.join(import.meta.dirname, '..', '..', 'cli', 'main.ts'));
let before: Command;
let state: string;
beforeEach(() => {
  before = releaseBefore(testFolder());
  state = testFolder();
});

async function serve(): Promise<string> {
  const route53 = await serveRoute53(state);
  onTestFinished(() => route53.close());
  return route53.url;
}

/** The plan of each cluster is empty, and every item can be read. */
async function expectNothingToDo(command: Command, url: string): Promise<void> {
  for (const cluster of CLUSTERS) {
    const planned = await command(url, 'plan', ...inCluster(cluster, state), '--detailed-exitcode');
    expect(planned).toMatchObject({ code: 0, text: expect.stringContaining('Nothing to do') });
  }
  const checked = await command(url, 'ledger', 'check', ...withConfiguration(state), '--cluster', 'eu');
  expect(checked).toMatchObject({ code: 0, text: expect.stringMatching(/Every item can be read: [1-9]/) });
}

test('this version has nothing to do on the ledger of the release before', async () => {
  copyState(state);
  await expectNothingToDo(present, await serve());
});

test('the release before has nothing to do on a ledger that this version made', async () => {
  const url = await serve();
  for (const cluster of APPLIED)
    expect(await present(url, 'apply', ...inCluster(cluster, state), '--yes')).toMatchObject({ code: 0 });
  await expectNothingToDo(before, url);
});

test('after an upgrade and a step back, each publishes what changed and deletes what went', async () => {
  copyState(state);
  const url = await serve();
  const objects = path.join(state, 'objects.yaml');
  const text = readFileSync(path.join(import.meta.dirname, '..', 'release-before', 'us.yaml'), 'utf8');
  const apply = async (command: Command, edited: string) => {
    writeFileSync(objects, edited);
    const where = [...withConfiguration(state), '-f', objects, '--cluster', 'us'];
    return command(url, 'apply', ...where, '--yes');
  };
  const edited = text.replace('rdata: www.example.org.', 'rdata: app.example.org.');
  expect(await apply(present, edited)).toMatchObject({ code: 0, text: expect.stringContaining('1 published.') });
  const without = edited.slice(0, edited.lastIndexOf('---'));
  const back = await apply(before, without);
  expect(back).toMatchObject({ code: 0, text: expect.stringMatching(/^- us\.example\.org\. CNAME/m) });
  expect(await apply(present, text)).toMatchObject({ code: 0, text: expect.stringContaining('1 published.') });
  expect(await present(url, 'apply', ...inCluster('eu', state), '--yes')).toMatchObject({ code: 0 });
  await expectNothingToDo(before, url);
});

describe.each<[string, () => Command]>([
  ['this version', () => present],
  ['the release before', () => before],
])('%s', (_which, commandOfIt) => {
  test('changes nothing with a ledger that a later version has marked, and says which version can', async () => {
    copyState(state);
    const url = await serve();
    const file = path.join(state, 'ledger.sqlite');
    const { ledger, close } = sqliteLedger(file);
    const key = { partition: 'format', sort: 'ledger' };
    await ledger.put(key, { v: 1, format: 99, since: '9.0.0' }, (await ledger.get(key))?.revision ?? null);
    close();
    const marked = readFileSync(file);
    for (const argv of [
      ['plan', ...inCluster('eu', state)],
      ['apply', ...inCluster('us', state), '--yes'],
      ['explain', 'www.example.org', ...withConfiguration(state), '--cluster', 'eu'],
      ['local', ...withConfiguration(state), '-f', 'eu=eu.yaml', '-f', 'us=us.yaml', '--dns-port', '0'],
    ]) {
      const said = await commandOfIt()(url, ...argv);
      expect([argv[0], said.code]).toEqual([argv[0], 1]);
      expect(said.text).toContain('its format is 99');
      expect(said.text).toContain('Use zone53 9.0.0 or later');
    }
    expect(readFileSync(file)).toEqual(marked);
  });
});
