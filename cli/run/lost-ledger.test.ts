// plan and apply over a Route 53 that has what is wanted, with a ledger that does not know it: it is lost, or it is the
// wrong one.
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { applyRequest, stubRoute53 } from '../../test/support/apply-request.ts';
import { testFolder } from '../../test/support/test-folder.ts';
import { exitOfPlan } from '../print/exit-code.ts';
import { applyPieces } from '../print/print-apply.ts';
import { jsonPlan, printPlan } from '../print/print-plan.ts';
import { formatJson, plainPaint } from '../print/terminal-text.ts';
import { runApply, runPlan } from './plan-and-apply.ts';

const zone = (name: string, annotations = '') => `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: ${name}, namespace: p${annotations} }
spec: { domainName: ${name}.example., delegations: [{ records: [{ pattern: "*" }] }] }
---
`;
const record = (name: string, ip: string) => `apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: ${name.replace('.', '-')}, namespace: p }
spec: { domainName: ${name}.example., type: A, rdata: ${ip} }
---
`;
const TAKEOVER = ', annotations: { zone53.dev/takeover: "true" }';
const RECORDS = `${record('a.e', '192.0.2.1')}${record('b.e', '192.0.2.2')}`;

let folder: string;
let route53: Awaited<ReturnType<typeof openLocalRoute53>>;
beforeEach(async () => {
  folder = testFolder();
  route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
  for (const name of ['e.example.', 'f.example.'])
    route53.state.createHostedZone({ name, callerReference: name, comment: null, vpc: null });
  stubRoute53(route53.url);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await route53.close();
});

function write(...parts: readonly string[]) {
  writeFileSync(path.join(folder, 'e.yaml'), parts.join(''));
  return applyRequest(folder, 'e.yaml');
}
const lose = () => rmSync(path.join(folder, 'state'), { recursive: true });
const codeOf = (plan: Awaited<ReturnType<typeof runPlan>>) => exitOfPlan(plan, false, 'valid');

test('one sentence says so for the whole plan, and nothing asks to delete what stands', async () => {
  const request = write(zone('e'), RECORDS);
  await runApply(request);
  lose();
  const plan = await runPlan(request);
  const text = printPlan(plan, plainPaint);
  expect(text.split('\n')[0]).toBe(
    `! The ledger in folder ${path.join(folder, 'state')} has published nothing in e.example. yet, and Route 53 has 2 record sets there exactly as wanted. If zone53 published them, this is not the ledger that did: run in the folder that has it, or name it with --state FOLDER or --table NAME. If not, and zone53 is to manage them as they are, annotate Zone p/e with zone53.dev/takeover: "true".`,
  );
  expect(text.match(/^!/gm)).toHaveLength(1);
  const json = formatJson(jsonPlan(plan));
  expect(`${text}${json}`).not.toMatch(/delete it|not created by/);
  expect(JSON.parse(json).problems).toMatchObject([{ object: 'Zone p/e', line: 1, reason: 'ForeignRecord' }]);
  expect(codeOf(plan)).toBe(1);
});

test('apply says it once, too, and with takeover what stands becomes ours', async () => {
  const request = write(zone('e'), RECORDS);
  await runApply(request);
  lose();
  const applied = await runApply(request);
  const text = applied.kind === 'applied' ? [...applyPieces(applied.output, plainPaint)].join('') : '';
  expect(text.match(/takeover/g)).toHaveLength(1);
  expect(text).not.toContain('delete it');
  // The refusals are in the ledger now, and it still has published nothing.
  expect(codeOf(await runPlan(request))).toBe(1);
  const taken = write(zone('e', TAKEOVER), RECORDS);
  const plan = await runPlan(taken);
  expect([codeOf(plan), plan.ledger, plan.hostedZones[0]?.changes.map(({ action }) => action)]).toEqual([
    0,
    null,
    ['adopt', 'adopt'],
  ]);
});

test('a ledger that knows another hosted zone is meant, too; one that has published there is not', async () => {
  await runApply(write(zone('e'), record('a.e', '192.0.2.1')));
  lose();
  await runApply(write(zone('f'), record('a.f', '192.0.2.1')));
  const other = await runPlan(write(zone('e'), record('a.e', '192.0.2.1')));
  expect(other.ledger?.says).toContain('nothing in e.example. yet, and Route 53 has 1 record set there');
  const known = write(zone('f'), record('a.f', '192.0.2.1'), record('b.f', '192.0.2.2'));
  await runApply(write(zone('f'), record('b.f', '192.0.2.2')));
  expect((await runPlan(known)).ledger).toBe(null);
});

test('other contents than the wanted ones are foreign, each for itself', async () => {
  await runApply(write(zone('e'), record('a.e', '192.0.2.1')));
  lose();
  const plan = await runPlan(write(zone('e'), record('a.e', '192.0.2.99')));
  expect([plan.ledger, codeOf(plan)]).toEqual([null, 0]);
  expect(plan.hostedZones[0]?.changes[0]?.message).toContain('else zone53 leaves it as it is');
});
