// The whole pipeline in this process, asked by node's own resolver: what `npm start` does, on free ports.

import { Resolver } from 'node:dns/promises';
import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { LocalRequest } from '../../cli/run/requests.ts';
import { runLocal, toldReports } from '../../cli/run/run-local.ts';
import { systemClock } from '../../lib/adapters/system/system-time.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { runHere } from '../support/run-here.ts';
import { testFolder } from '../support/test-folder.ts';
import { startZone53 } from '../support/zone53-command.ts';

const QUICKSTART = join(import.meta.dirname, '..', '..', 'examples', 'quickstart');

let folder: string;
let running: {
  readonly lines: string[];
  /** What the progress line said. */
  readonly said: string[];
  readonly ended: Promise<void>;
  readonly end: () => Promise<void>;
} | null = null;

beforeEach(async () => {
  folder = testFolder();
  await cp(QUICKSTART, join(folder, 'manifests'), { recursive: true });
});

afterEach(async () => {
  await running?.end();
  running = null;
});

/** A request over the manifests, on free ports, whose output goes to `lines`. */
function requestOf(lines: string[]): Omit<LocalRequest, 'signal'> {
  return {
    config: { ...DEFAULT_CONFIG, createHostedZones: 'all' },
    clock: systemClock,
    log: (_level, message) => lines.push(message),
    progress: () => {},
    source: { kind: 'manifests', paths: [join(folder, 'manifests')] },
    folder: join(folder, 'state'),
    dnsPort: 0,
    route53Port: 0,
    intentsPort: null,
    webhook: null,
    print: (line) => lines.push(line),
  };
}

/** Starts the stack and resolves when it says what it serves. */
async function start(
  ports: Partial<Pick<LocalRequest, 'dnsPort' | 'route53Port' | 'webhook'>> = {},
): Promise<Resolver> {
  const lines: string[] = [];
  const said: string[] = [];
  const ending = new AbortController();
  const ended = runLocal({
    ...requestOf(lines),
    progress: (text) => said.push(text),
    ...ports,
    signal: ending.signal,
  });
  running = {
    lines,
    said,
    ended,
    end: async () => {
      ending.abort();
      await ended.catch(() => {});
    },
  };
  const port = await Promise.race([vi.waitFor(() => portIn(lines), { timeout: 20_000 }), ended.then(() => '')]);
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers([`127.0.0.1:${port}`]);
  return resolver;
}

function portIn(lines: readonly string[]): string {
  const port = lines.map((line) => /^DNS +127\.0\.0\.1:(\d+)/.exec(line)?.[1]).find((found) => found !== undefined);
  if (port === undefined) throw new Error(`not serving yet:\n${lines.join('\n')}`);
  return port;
}

/** Saves as editors do: a new file renamed over the old one. */
async function edit(change: (text: string) => string): Promise<void> {
  const file = join(folder, 'manifests', 'records.yaml');
  await writeFile(`${file}.tmp`, change(await readFile(file, 'utf8')));
  await rename(`${file}.tmp`, file);
}

const ADDED = `---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: added }
spec: { domainName: added.example.org., type: A, rdata: 192.0.2.77 }
`;

test('every record of the quickstart is answered', async () => {
  const dns = await start();
  // Whoever serves is at nothing that would end.
  const said = running?.said ?? [];
  expect([said[0], said.at(-1)]).toEqual(['starting', '']);
  expect(said).toContain('starting: published 6 of 6 changes');
  expect(await dns.resolve4('www.example.org')).toEqual(['192.0.2.10']);
  expect(await dns.resolve6('www.example.org')).toEqual(['2001:db8::10']);
  expect(await dns.resolveMx('example.org')).toMatchObject([{ priority: 10, exchange: 'mail.example.net' }]);
  expect(await dns.resolveCname('docs.example.org')).toEqual(['www.example.org']);
  expect((await dns.resolveTxt('_dmarc.example.org')).flat().join('')).toContain('v=DMARC1');
});

test('an edit, an addition and a deletion are answered; a broken edit says so and keeps the answer', async () => {
  const dns = await start();
  await edit((text) => `${text.replace('192.0.2.10', '192.0.2.11')}${ADDED}`);
  await vi.waitFor(async () => expect(await dns.resolve4('www.example.org')).toEqual(['192.0.2.11']), {
    timeout: 10_000,
  });
  await vi.waitFor(async () => expect(await dns.resolve4('added.example.org')).toEqual(['192.0.2.77']), {
    timeout: 10_000,
  });
  await edit((text) => text.replace(ADDED, ''));
  await vi.waitFor(() => expect(dns.resolve4('added.example.org')).rejects.toMatchObject({ code: 'ENOTFOUND' }), {
    timeout: 10_000,
  });
  await edit((text) => text.replace('192.0.2.11', '999.0.2.11'));
  await vi.waitFor(
    () =>
      expect(running?.lines.join('\n')).toMatch(
        /records\.yaml:\d+: Record default\/www: Accepted is False, InvalidSpec: .*999\.0\.2\.11/,
      ),
    { timeout: 10_000 },
  );
  expect(await dns.resolve4('www.example.org')).toEqual(['192.0.2.11']);
  await edit((text) => text.replace('rdata: 999.0.2.11', 'rdata: ['));
  await vi.waitFor(() => expect(running?.lines.join('\n')).toMatch(/records\.yaml:\d+:\d+: Cannot parse YAML/), {
    timeout: 10_000,
  });
  expect(await dns.resolve4('www.example.org')).toEqual(['192.0.2.11']);
});

test('the history says that an edit of a file was the cause', async () => {
  await start();
  await edit((text) => text.replace('192.0.2.10', '192.0.2.11'));
  const kinds = async () => {
    const { out } = await runHere('history', '--state', join(folder, 'state'), 'www.example.org', '-o', 'json');
    const { entries } = JSON.parse(out) as { entries: { action: string; type: string; cause: { kind: string } }[] };
    return entries.filter(({ type }) => type === 'A').map(({ action, cause }) => `${action} ${cause.kind}`);
  };
  await vi.waitFor(async () => expect(await kinds()).toEqual(['update file', 'create schedule']), { timeout: 10_000 });
});

test('after a restart it continues from its state, with the edits made in between', async () => {
  await start();
  await running?.end();
  await edit((text) => text.replace('192.0.2.10', '192.0.2.12'));
  const dns = await start();
  expect(await dns.resolve4('www.example.org')).toEqual(['192.0.2.12']);
  const published = running?.lines.filter((line) => line.includes(': published')) ?? [];
  expect(published).toHaveLength(1);
  expect(published[0]).toContain('update www.example.org. A 60 192.0.2.12');
});

test('a problem is printed once, and so is its end', async () => {
  await start();
  const told = () => running?.lines.filter((line) => /(^|: )Record default\/www: /.test(line)) ?? [];
  await edit((text) => text.replace('192.0.2.10', '999.0.2.10'));
  await vi.waitFor(() => expect(told()).toHaveLength(1), { timeout: 10_000 });
  await edit((text) => text.replace('999.0.2.10', '192.0.2.10'));
  await vi.waitFor(() => expect(told()).toHaveLength(2), { timeout: 10_000 });
  await edit((text) => text.replace('192.0.2.10', '192.0.2.11'));
  await vi.waitFor(() => expect(running?.lines.join('\n')).toContain('192.0.2.11'), { timeout: 10_000 });
  expect(told()).toEqual([expect.stringContaining('InvalidSpec'), 'Record default/www: Accepted is True again']);
});

test('deleting records.yaml deletes nothing: all five are held, the one at the apex too', async () => {
  const dns = await start();
  await rm(join(folder, 'manifests', 'records.yaml'));
  await vi.waitFor(() => expect(running?.lines.join('\n')).toContain('HeldByGuard: All 5 record sets'), {
    timeout: 10_000,
  });
  expect(running?.lines.filter((line) => line.startsWith('delete ') && !line.endsWith(': held'))).toEqual([]);
  expect(await dns.resolveMx('example.org')).toHaveLength(1);
  expect(await dns.resolve4('www.example.org')).toEqual(['192.0.2.10']);
  // Only one process can use the state folder.
  expect(running?.lines.filter((line) => line.includes('zone53 apply'))).toEqual([]);
});

test('what is served is printed with a command that needs neither credentials nor a region', async () => {
  await start();
  const line = running?.lines.find((one) => one.startsWith('Route 53')) ?? '';
  expect(line).toMatch(/^Route 53 {2}(\S+) {3}aws --no-sign-request --endpoint-url \1 route53 list-hosted-zones$/);
  expect((await fetch(`${/http\S+/.exec(line)?.[0]}/2013-04-01/hostedzone`)).status).toBe(200);
});

test('held deletes are sent when the Zone is annotated with their digest', async () => {
  const dns = await start();
  const zone = join(folder, 'manifests', 'zone.yaml');
  const gone = () => Promise.allSettled([dns.resolve4('www.example.org'), dns.resolveMx('example.org')]);
  await edit(() => '');
  const digest = await vi.waitFor(
    () => {
      const found = /zone53\.dev\/acknowledge-plan: ([0-9a-f]{64})/.exec(running?.lines.join('\n') ?? '')?.[1];
      if (found === undefined) throw new Error('nothing is held yet');
      return found;
    },
    { timeout: 10_000 },
  );
  expect(await dns.resolve4('www.example.org')).toEqual(['192.0.2.10']);
  const annotated = `metadata:\n  annotations: { zone53.dev/acknowledge-plan: "${digest}" }\n`;
  await writeFile(zone, (await readFile(zone, 'utf8')).replace('metadata:\n', annotated));
  await vi.waitFor(async () => expect((await gone()).map(({ status }) => status)).toEqual(['rejected', 'rejected']), {
    timeout: 10_000,
  });
});

test('a report is passed on whole, with the object as it was listed, so that a first load need not read it', async () => {
  const passed: unknown[][] = [];
  const report: Cluster['report'] = async (...all) => void passed.push(all);
  const told: unknown[][] = [];
  const ref = { kind: 'Record', namespace: 'n', name: 'www' };
  const status = { fqdn: null, parent: null, conditions: [] };
  const listed = { uid: 'u', version: '1', generation: 1, labels: {}, annotations: {}, status: null };
  const cluster = toldReports({ report } as Cluster, (...all) => void told.push(all));
  await cluster.report(ref, status, null, listed);
  expect(passed).toEqual([[ref, status, null, listed]]);
  expect(told).toEqual([[ref, status, null]]);
});

test('a port in use is reported, with the flag to change', async () => {
  const taken = createServer();
  const port = await new Promise<number>((done) =>
    taken.listen(0, '127.0.0.1', () => done((taken.address() as { port: number }).port)),
  );
  const ports = [{ dnsPort: port }, { route53Port: port }];
  for (const one of ports) {
    await expect(start(one)).rejects.toThrow(/is taken.*Is another zone53 local running\? Other ports: --dns-port/);
  }
  await new Promise((done) => taken.close(done));
});

test('a state folder in use by another stack is reported', async () => {
  await start();
  const first = running;
  await expect(start()).rejects.toThrow(/is in use by another zone53/);
  running = first;
});

test('a folder without manifests is named, also when it loses the last one', async () => {
  const manifests = join(folder, 'manifests');
  for (const name of await readdir(manifests)) await rename(join(manifests, name), join(folder, name));
  await start();
  const said = () =>
    running?.lines.filter((line) => /^folder ".*manifests" has no \.yaml, \.yml or \.json file$/.test(line));
  expect(said()).toHaveLength(1);
  await rename(join(folder, 'zone.yaml'), join(manifests, 'zone.yaml'));
  await vi.waitFor(() => expect(running?.lines.join('\n')).toContain('example.org. SOA'), { timeout: 10_000 });
  await rm(join(manifests, 'zone.yaml'));
  await vi.waitFor(() => expect(said()).toHaveLength(2), { timeout: 10_000 });
});

test('an interrupt while it starts is answered at once', async () => {
  const ending = new AbortController();
  const lines: string[] = [];
  await runLocal({
    ...requestOf(lines),
    progress: () => ending.abort(),
    signal: ending.signal,
  });
  expect(lines[0]).toBe('interrupted: zone53 local starts first, then it ends; interrupt again to end at once');
  expect(lines.at(-1)).toMatch(/^Watching/);
});

test('it ends with a message when its state folder is removed', async () => {
  await start();
  await rm(join(folder, 'state'), { recursive: true });
  await expect(running?.ended).rejects.toThrow(/^State folder ".*state" was removed while zone53 local ran/);
});

test('if it cannot start, the webhook configuration of the running one stays unchanged', async () => {
  const webhook = { port: 0, host: '127.0.0.1', validate: false };
  await start({ webhook });
  const file = join(folder, 'state', 'webhook.yaml');
  const before = await readFile(file, 'utf8');
  const first = running;
  await expect(start({ webhook })).rejects.toThrow(/in use by another zone53/);
  running = first;
  expect(await readFile(file, 'utf8')).toBe(before);
});

test('it ends although its working folder with the state folder was removed', async () => {
  const { child, ended } = startZone53({ folder, route53: '' }, [
    ...['local', '-f', 'manifests', '--dns-port', '0', '--route53-port', '0'],
  ]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout?.on('data', (chunk) => `${chunk}`.includes('Watching') && resolve(null)));
  await rm(folder, { recursive: true });
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: expect.any(Number) });
});
