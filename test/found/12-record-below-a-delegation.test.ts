// From outside: a record set below a delegation that no Zone of zone53 has (kubernetes-sigs/external-dns#236, #6143,
// anomalyco/ion#1249, wearemolecule/route53-kubernetes#27).
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { change, createZone } from '../fakes/route53-account.ts';
import { stubRoute53 } from '../support/apply-request.ts';
import { runHere } from '../support/run-here.ts';
import { testFolder } from '../support/test-folder.ts';

const SHADOW = `
apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: z, namespace: platform }
spec: { domainName: shadow.test., delegations: [{ records: [{ pattern: "*" }] }] }
---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: x, namespace: platform }
spec: { domainName: x.sub.shadow.test., type: A, rdata: 192.0.2.1 }
---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: www, namespace: platform }
spec: { domainName: www.shadow.test., type: A, rdata: 192.0.2.1 }
`;

const FOLDER = path.join(import.meta.dirname, '12-record-below-a-delegation');
const HIDDEN = 'the delegation sub.cut.test. (Record platform/cut), so resolvers ask those name servers';

test('render notes which Records no resolver sees, and not the NS themselves', async () => {
  const { out, code } = await runHere('render', '-f', FOLDER, '--strict', '-o', 'json');
  expect(code).toBe(0);
  const { records } = JSON.parse(out) as {
    records: { name: string; conditions: { message: string }[] }[];
  };
  const said = new Map(records.map(({ name, conditions }) => [name, conditions[0]?.message ?? '']));
  expect(said.get('x')).toContain(`note: it is below ${HIDDEN}`);
  for (const name of ['a', 'txt']) expect(said.get(name)).toContain(`note: it is at ${HIDDEN}`);
  for (const name of ['cut', 'apexns']) expect(said.get(name)).not.toContain('note');
  expect((await runHere('render', '-f', FOLDER)).out).toContain(`it is below ${HIDDEN}`);
});

test('plan notes what is below NS that stand in Route 53, also in front of another hosted zone of the account', async () => {
  const folder = testFolder();
  const route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await route53.close();
  });
  const id = createZone(route53.state, 'shadow.test.', 'x');
  createZone(route53.state, 'sub.shadow.test.', 'y');
  route53.state.changeResourceRecordSets(id, null, [change('CREATE', 'sub.shadow.test.', 'NS', ['ns1.example.net.'])]);
  stubRoute53(route53.url);
  writeFileSync(path.join(folder, 'dns.yaml'), SHADOW);
  const state = ['-f', path.join(folder, 'dns.yaml'), '--state', path.join(folder, 'state')];
  const note =
    'it is below the delegation sub.shadow.test. (NS in Route 53, not created by zone53), so resolvers ask those';
  expect(await runHere('plan', ...state)).toMatchObject({ code: 0, out: expect.stringContaining(note) });
  await runHere('apply', ...state, '--yes');
  const published = await runHere('plan', ...state, '--refresh');
  expect(published.out).toContain(note);
  expect(published.out).toContain('Record platform/x (x.sub.shadow.test.)');
  expect(published.out).not.toContain('platform/www');
});

test('explain says that nobody sees what is published', async () => {
  const folder = testFolder();
  const route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await route53.close();
  });
  createZone(route53.state, 'cut.test.', 'x');
  stubRoute53(route53.url);
  const state = ['-f', FOLDER, '--state', path.join(folder, 'state')];
  await runHere('apply', ...state, '--yes');
  const { out } = await runHere('explain', 'x.sub.cut.test', ...state);
  expect(out).toContain('x.sub.cut.test. is below the delegation sub.cut.test. in hosted zone');
  expect(out).toContain('by Record platform/cut: resolvers ask ns1.example.net., ns2.example.net.');
});
