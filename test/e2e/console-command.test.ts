// `zone53 console` and `zone53 local` as processes: the printed address, and what the API answers there.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { namesAnswer } from '../../cli/console/answers.ts';
import { testFolder } from '../support/test-folder.ts';
import { type Running, startZone53, zone53 } from '../support/zone53-command.ts';

const NOWHERE = 'http://127.0.0.1:9';
const MANIFEST = `apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: org, namespace: dns }
spec: { domainName: example.org., delegations: [{ records: [{ pattern: "*" }] }] }
---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: www, namespace: team-a }
spec: { domainName: www.example.org., type: A, rdata: 192.0.2.1 }
---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: bad, namespace: team-a }
spec: { domainName: bad.example.org., type: A, rdata: "<img src=x onerror=alert(1)>" }
`;
const LOCAL = ['local', '-f', 'dns', '--state', 'state', '--dns-port', '0', '--route53-port', '0'];

function place() {
  const folder = testFolder();
  mkdirSync(path.join(folder, 'dns'));
  writeFileSync(path.join(folder, 'dns', 'dns.yaml'), MANIFEST);
  return { folder, route53: NOWHERE };
}

/** Waits until it has printed this, and returns the first group. */
async function printed({ child, ended }: Running, line: RegExp): Promise<string> {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  onTestFinished(async () => {
    child.kill('SIGINT');
    await ended;
  });
  for (let waits = 0; waits < 1_200 && !line.test(said) && child.exitCode === null; waits += 1) await sleep(100);
  const [, found] = line.exec(said) ?? [];
  if (found === undefined) throw new Error(`it printed:\n${said}`);
  return found;
}

/** The names with their reasons, asked at a printed address. */
async function namesAt(address: string, query = 'www'): Promise<readonly string[]> {
  const { origin, searchParams } = new URL(address);
  const headers = { authorization: `Bearer ${searchParams.get('token')}` };
  const response = await fetch(`${origin}/api/v1/names?query=${query}`, { headers });
  return namesAnswer.parse(await response.json()).names.map(({ name, reason }) => `${name} ${reason}`);
}

test('zone53 console shows the ledger of a zone53 local that runs, which shows it too', {
  timeout: 240_000,
}, async () => {
  const where = place();
  const local = startZone53(where, [...LOCAL, '--console-port', '0']);
  const ofLocal = await printed(local, /^Console +(http:\S+)\n(?:.*\n)*Watching/m);
  const command = startZone53(where, ['console', '--state', 'state', '--port', '0', '--no-open']);
  const own = await printed(command, /^Console (http:\S+)$/m);
  expect(own).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
  for (const address of [ofLocal, own]) expect(await namesAt(address)).toEqual(['www.example.org. Published']);
  // An object that never was valid is known from its file alone.
  expect(await namesAt(ofLocal, 'bad')).toEqual(['bad.example.org. InvalidSpec']);
  for (const { child, ended } of [command, local]) {
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
  }
});

test('zone53 console works on manifests before anything is published', { timeout: 120_000 }, async () => {
  const where = place();
  const token = 'a-token-of-more-than-128-bits-in-a-file';
  writeFileSync(path.join(where.folder, 'token'), ` ${token}\n\n`);
  const argv = ['console', '-f', 'dns', '--state', 'none', '--port', '0', '--token-file', 'token', '--no-open'];
  const address = await printed(startZone53(where, argv), /^Console (http:\S+)$/m);
  expect(new URL(address).searchParams.get('token')).toBe(token);
  expect(await namesAt(address)).toEqual(['www.example.org. Pending']);
  expect(await namesAt(address, 'bad')).toEqual(['bad.example.org. InvalidSpec']);
});

test('a taken port is an error, and so is a token file that is missing', {
  timeout: 240_000,
}, async () => {
  const where = place();
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => taken.close(() => resolve())));
  const { port } = taken.address() as { readonly port: number };
  const said = await zone53(where, ['console', '--state', 'none', '--port', String(port), '--no-open']);
  expect([said.code, said.err]).toEqual([1, expect.stringContaining(`Cannot serve the console on port ${port}`)]);
  const named = await zone53(where, [...LOCAL, '--console-port', String(port)]);
  expect([named.code, named.err]).toEqual([1, expect.stringContaining(`Cannot serve the console on port ${port}`)]);
  const empty = await zone53(where, ['console', '--port', '0', '--token-file', 'nosuch']);
  expect([empty.code, empty.err]).toEqual([1, expect.stringContaining('Cannot read the token file "nosuch"')]);
});
