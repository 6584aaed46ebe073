// plan and apply as the command runs them, over a Route 53 of our own in this process.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UsageError } from '../../cli/print/usage-error.ts';
import { runApply, runPlan } from '../../cli/run/plan-and-apply.ts';
import type { ApplyRequest } from '../../cli/run/requests.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { openLocalRoute53 } from '../../local/route53/api/open-local-route53.ts';
import { answeringRoute53, refusal } from '../fakes/answering-route53.ts';
import { applyRequest, stubRoute53 } from '../support/apply-request.ts';
import { testFolder } from '../support/test-folder.ts';

const MANIFEST = `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: e }
spec: { domainName: e.example., delegations: [{ records: [{ pattern: "*" }] }] }
---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: www }
spec: { domainName: www.e.example., type: A, rdata: 192.0.2.1 }
`;

const answering = answeringRoute53();
let folder: string;
let route53: Awaited<ReturnType<typeof openLocalRoute53>>;
let said: string[];
beforeEach(async () => {
  said = [];
  folder = testFolder();
  await writeFile(path.join(folder, 'e.yaml'), MANIFEST);
  route53 = await openLocalRoute53(path.join(folder, 'route53.json'), 0);
  stubRoute53(route53.url);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await route53.close();
});

function requestOf(more: Partial<ApplyRequest> = {}): ApplyRequest {
  return applyRequest(folder, 'e.yaml', {
    config: { ...DEFAULT_CONFIG, createHostedZones: 'all' },
    log: (_level, message) => said.push(message),
    progress: (text) => said.push(text),
    ...more,
  });
}

test('apply says how many of the changes Route 53 has accepted', async () => {
  expect(await runApply(requestOf())).toMatchObject({ kind: 'applied' });
  expect(said).toContain('published 2 of 2 changes');
});

test('an acknowledged digest that fits no held deletes is an error, and nothing is applied', async () => {
  const request = requestOf({ acknowledged: ['a'.repeat(64)] });
  for (const run of [runPlan, runApply]) {
    await expect(run(request)).rejects.toThrow(UsageError);
    await expect(run(request)).rejects.toThrow(
      /Cannot acknowledge aaa.*the guard holds no deletes with this digest now/,
    );
  }
  expect(route53.state.zones()).toEqual([]);
});

test('a warning is printed if --state names a folder without a ledger and the usual folder has one', async () => {
  const before = process.cwd();
  process.chdir(folder);
  try {
    await runApply(requestOf({ store: { kind: 'folder', folder: '.zone53' } }));
    expect(said.filter((one) => one.includes('--state'))).toEqual([]);
    await runPlan(requestOf({ store: { kind: 'folder', folder: '.zone35' } }));
    expect(said.join()).toContain('State folder ".zone35" has no ledger yet, and .zone53 has one');
  } finally {
    process.chdir(before);
  }
});

test('a warning that reading, writing and reporting each have is printed once', async () => {
  answering.answers = [refusal(403, 'AccessDenied')];
  stubRoute53(answering.url);
  expect(await runApply(requestOf({ config: DEFAULT_CONFIG }))).toMatchObject({ kind: 'applied' });
  expect(said.filter((one) => one === 'a hosted zone cannot be read')).toHaveLength(1);
});
