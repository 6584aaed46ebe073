// plan, apply and explain with intents: the DNSEndpoints of intents are in the ledger, in addition to the objects of
// files.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runExplain } from '../../cli/account/run-explain.ts';
import { runApply, runPlan } from '../../cli/run/plan-and-apply.ts';
import type { Source, Store } from '../../cli/run/requests.ts';
import { openStateFolder } from '../../lib/adapters/ledger/state-folder.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import { answerIntents } from '../../lib/intents/http/answer.ts';
import { openIntents } from '../../lib/intents/serve/open-intents.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { applyRequest, stubRoute53 } from '../support/apply-request.ts';
import { appOf, CLOUD, listBody, RECORDS, recordBody } from '../support/intent-client.ts';
import { testFolder } from '../support/test-folder.ts';

const ZONE = `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: org, namespace: platform }
spec: { domainName: example.org., delegations: [{ namespaces: [shop], records: [{ pattern: "*" }] }] }
`;
const APP = '/v2/projects/shop/apps/web';
const CONFIG = { ...DEFAULT_CONFIG, createHostedZones: 'all' as const, intents: {} };

let folder: string;
let source: Source;
let store: Store;
let route53: Awaited<ReturnType<typeof openLocalRoute53>>;
beforeEach(async () => {
  folder = testFolder();
  await writeFile(path.join(folder, 'zone.yaml'), ZONE);
  source = { kind: 'manifests', paths: [path.join(folder, 'zone.yaml')] };
  store = { kind: 'folder', folder: path.join(folder, 'state') };
  route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
  stubRoute53(route53.url);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await route53.close();
});

/** Asks the API of the state folder, as `zone53 local` serves it. */
async function ask(...requests: readonly (readonly [method: string, target: string, body: object])[]): Promise<void> {
  const state = await openStateFolder(path.join(folder, 'state'));
  const { deps } = openIntents(
    {
      ledger: state.ledger,
      clusterId: CONFIG.clusterId,
      clock: systemClock,
      log: () => {},
      limits: { assumeRoles: [] },
      central: null,
      account: { tagsOf: async () => null, roleTrouble: async () => null },
      hint: async () => {},
    },
    { waits: true },
  );
  for (const [method, target, body] of requests) {
    const answer = await answerIntents(deps, { method, target, headers: {}, body: Buffer.from(JSON.stringify(body)) });
    expect(answer.status).toBeLessThan(300);
  }
  await state.close();
}

const requestOf = () => applyRequest(folder, 'zone.yaml', { config: CONFIG });

const changesOf = async () =>
  (await runPlan(requestOf())).hostedZones.flatMap(({ changes }) =>
    changes.filter(({ type }) => type !== 'SOA').map(({ action, name }) => `${action} ${name}`),
  );

/** The objects that ask for the name, or did. */
const explained = async (from: Source | null) => {
  const { config, clock, log, progress } = requestOf();
  const name = 'www.example.org.';
  return (await runExplain({ config, clock, log, progress, store, source: from, name, type: null })).objects;
};

test('plan shows what intents ask for, apply publishes it, explain shows who asks', async () => {
  await ask(
    ['POST', RECORDS, recordBody('public')],
    ['POST', CLOUD, listBody('public')],
    ['POST', `${APP}/instantiate`, appOf({ www: { publicAddresses: ['192.0.2.1'] } })],
  );
  // With the ownership TXT of external-dns, which is the default of the parameter `registry`.
  expect(await changesOf()).toEqual(['create a-www.example.org.', 'create www.example.org.']);
  expect(await explained(source)).toMatchObject([{ object: 'DNSEndpoint shop/www-public' }]);
  expect(await runApply(requestOf())).toMatchObject({ kind: 'applied' });
  expect(await changesOf()).toEqual([]);
  const standing = route53.state.zones().flatMap(({ recordSets }) => [...recordSets.values()]);
  expect(JSON.stringify(standing)).toContain('192.0.2.1');

  for (const from of [source, null])
    expect(await explained(from)).toMatchObject([{ object: 'DNSEndpoint shop/www-public' }]);
  await ask(['POST', `${APP}/terminate`, {}]);
  expect(await changesOf()).toEqual(['delete a-www.example.org.', 'delete www.example.org.']);
});
