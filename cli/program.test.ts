import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Imported } from '../lib/import/import-hosted-zone.ts';
import { smallDigest as digest, smallPlan as plan } from '../test/support/output-samples.ts';
import { testFolder } from '../test/support/test-folder.ts';
import type { UseCases } from './commands/run-command.ts';
import type { PlanOutput } from './print/output.ts';
import type { Terminal } from './print/terminal.ts';
import { plainPaint } from './print/terminal-text.ts';
import { runProgram } from './program.ts';
import type { ApplyRequest, ApplyResult, LocalRequest, PlanRequest, RenderRequest } from './run/requests.ts';

let folder: string;
beforeEach(() => {
  folder = testFolder();
});
type Calls = { render: RenderRequest[]; plan: PlanRequest[]; apply: ApplyRequest[]; local: LocalRequest[] };

/** Runs the command line against use cases that note what they were asked. */
async function run(
  argv: readonly string[],
  options: {
    answer?: string;
    result?: ApplyResult;
    failure?: unknown;
    imported?: Imported;
    planOf?: (request: PlanRequest) => PlanOutput;
  } = {},
) {
  const out: string[] = [];
  const err: string[] = [];
  const calls: Calls = { render: [], plan: [], apply: [], local: [] };
  const { answer } = options;
  const terminal: Terminal = {
    write: (text) => out.push(text),
    writeError: (text) => err.push(text),
    paint: plainPaint,
    paintError: plainPaint,
    fit: (text) => text,
    fitError: (text) => text,
    columns: () => null,
    isTerminal: false,
    showsProgress: false,
    ask: answer === undefined ? null : async () => answer,
    untilStopped: () => new AbortController().signal,
  };
  const applied: ApplyResult = {
    kind: 'applied',
    output: { hostedZones: [], zones: [], records: [], sources: [], errors: [] },
  };
  const useCases: UseCases = {
    render: async (request) => {
      calls.render.push(request);
      if (options.failure !== undefined) throw options.failure;
      return { zones: [], records: [], sources: [], errors: [] };
    },
    plan: async (request) => {
      calls.plan.push(request);
      return options.planOf?.(request) ?? plan;
    },
    apply: async (request) => {
      calls.apply.push(request);
      if (request.reviewed === null && !(await request.confirm(plan))) return { kind: 'declined', plan };
      return options.result ?? applied;
    },
    local: async (request) => {
      calls.local.push(request);
      request.print('serving');
    },
    console: async (request) => request.print('Console http://127.0.0.1:1/'),
    consoleOfLocal: async () => Promise.reject(new Error('no such use case here')),
    applyObjects: async () => {},
    readSenderSecret: async () => 'secret',
    importHostedZone: async () => options.imported ?? 'gone',
    importZoneFile: async () => Promise.reject(new Error('no such use case here')),
    explain: async () => Promise.reject(new Error('no such use case here')),
    migrate: async () => Promise.reject(new Error('no such use case here')),
    forget: async () => Promise.reject(new Error('no such use case here')),
    history: async () => Promise.reject(new Error('no such use case here')),
    doctor: async () => Promise.reject(new Error('no such use case here')),
    clusters: async () => Promise.reject(new Error('no such use case here')),
    standby: async () => Promise.reject(new Error('no such use case here')),
    rebuilt: async () => Promise.reject(new Error('no such use case here')),
    retire: async () => Promise.reject(new Error('no such use case here')),
    checkLedger: async () => Promise.reject(new Error('no such use case here')),
    template: async () => Promise.reject(new Error('no such use case here')),
  };
  const code = await runProgram(argv, terminal, useCases);
  return { code, out: out.join(''), err: err.join(''), calls };
}

test.each<[string, string[], RegExp]>([
  ['no -f', ['render'], /Missing input: use -f FILE or FOLDER/],
  [
    'a folder without -f',
    ['plan', 'dns/'],
    /too many arguments for 'plan'.*: dns\/\.\n\(Files and folders are read with -f\)\n/,
  ],
  ['help for an unknown command', ['help', 'pln'], /unknown command 'pln'[\s\S]*Did you mean plan/],
  ['an unknown command', ['pln'], /unknown command 'pln'[\s\S]*Did you mean plan/],
  ['an unknown flag', ['render', '-f', 'a', '--stict'], /unknown option '--stict'[\s\S]*Did you mean --strict/],
  ['an unknown format', ['render', '-f', 'a', '-o', 'xml'], /Allowed choices are json, zonefile/],
  ['a base of a cluster', ['plan', '--context', 'a', '--base', 'b'], /--base needs -f/],
  [
    'what a branch leaves unmanaged',
    ['plan', '-f', 'a', '--base', 'b', '--unmanaged'],
    /leave out --base and --no-read/,
  ],
  ['a plan file of a part', ['plan', '-f', 'a', '--base', 'b', '--out', 'c'], /leave them out with --out/],
  ['a word that --fail-on lacks', ['plan', '-f', 'a', '--fail-on', 'held,bad'], /"bad" is not one of held, invalid, f/],
  ['a --fail-on without a word', ['plan', '-f', 'a', '--fail-on', ''], /"" is not one of held, invalid, foreign/],
  ['a zone file of a plan', ['plan', '-f', 'a', '-o', 'zonefile'], /Allowed choices are json/],
  ['a folder and a cluster', ['plan', '-f', 'a', '--context', 'b'], /cannot be used with option/],
  ['two ledgers', ['plan', '-f', 'a', '--state', 'b', '--table', 'c'], /cannot be used with option/],
  ['an empty state folder', ['local', '-f', 'a', '--state', ''], /argument '' is invalid. It is empty/],
  ['an empty table', ['explain', 'a.example', '--table', ''], /argument '' is invalid. It is empty/],
  ['--create-table alone', ['plan', '-f', 'a', '--create-table'], /--create-table needs --table/],
  ['an invalid time', ['render', '-f', 'a', '--now', '2026-13-01T00:00:00Z'], /Write a time such as/],
  ['30 February', ['render', '-f', 'a', '--now', '2026-02-30T00:00:00Z'], /Write a time such as/],
  ['a date without a time', ['render', '-f', 'a', '--now', '2026-01-01'], /Write a time such as/],
  ['an invalid port', ['local', '-f', 'a', '--dns-port', '65536'], /Write a port from 0 to 65535/],
  [
    'a port where nothing is served',
    ['local', '-f', 'a', '--route53', 'aws', '--route53-port', '5380'],
    /--route53-port has no effect with --route53 aws/,
  ],
  ['the address of no webhook', ['local', '-f', 'a', '--webhook-host', 'b'], /--webhook-host needs --webhook-port/],
  ['a webhook without a cluster', ['local', '-f', 'a', '--webhook-port', '0'], /--webhook-port needs --context/],
  ['an invalid digest', ['apply', '-f', 'a', '--acknowledge', 'abc'], /64 hex digits/],
  ['an invalid timeout', ['apply', '-f', 'a', '--yes', '--timeout', '0'], /Write a time such as 30s, 5m or 1h/],
  ['a question without a terminal', ['apply', '-f', 'a'], /pass --yes, or --plan/],
  [
    'a plan file that does not exist',
    ['apply', '-f', 'a', '--plan', 'nowhere.json'],
    /Cannot read plan "nowhere.json": there is no such file/,
  ],
  [
    'a configuration that does not exist',
    ['render', '-f', 'a', '--config', 'nowhere.yaml'],
    /Cannot read configuration "nowhere.yaml"/,
  ],
])('runProgram() with %s: exit code 1, and says what to do', async (_, argv, message) => {
  const { code, out, err, calls } = await run(argv);
  expect(code).toBe(1);
  expect(out).toBe('');
  expect(err).toMatch(message);
  expect(Object.values(calls).flat()).toEqual([]);
});

test.each([
  [['--help']],
  [['render', '--help']],
  [['plan', '--help']],
  [['apply', '-h']],
  [['local', '--help']],
  [['explain', '--help']],
  [['import', '--help']],
  [['export', '--help']],
  [['ledger', 'check', '--help']],
  [['config', 'check', '--help']],
  [['migrate', '--help']],
  [['completion', '--help']],
  [['manifests-for-cluster', '--help']],
  [['help', 'plan']],
])('runProgram() %j: exit code 0, with examples and the exit codes', async (argv) => {
  const { code, out, err } = await run(argv);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^Exit codes[:;]/m);
  expect(out).toMatch(/\n {2}zone53 ([\w-]+) [\s\S]*\n$/);
});

test('runProgram() --version: the version of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(await run(['--version'])).toMatchObject({ code: 0, out: `${version}\n` });
});

test('runProgram() passes the values of all flags on', async () => {
  const config = path.join(folder, 'zone53.yaml');
  await writeFile(config, 'clusterId: prod\n');
  const { calls } = await run([
    'render',
    '-f',
    'a',
    '-f',
    'b',
    'c',
    '-f',
    '-',
    '--now',
    '2026-01-31T12:00:00+01:00',
    '--config',
    config,
  ]);
  expect(calls.render[0]).toMatchObject({
    source: { kind: 'manifests', paths: ['a', 'b', 'c', '-'] },
    config: { clusterId: 'prod', createHostedZones: 'never' },
  });
  const lateMs = (calls.render[0]?.clock.nowMs() ?? 0) - Date.parse('2026-01-31T11:00:00Z');
  expect(lateMs).toBeGreaterThanOrEqual(0);
  expect(lateMs).toBeLessThan(10_000);
  const other = await run(['plan', '--context', 'prod', '--table', 't', '--create-table', '--acknowledge', digest]);
  expect(other.calls.plan[0]).toMatchObject({
    source: { kind: 'context', name: 'prod' },
    store: { kind: 'table', table: 't', create: true },
    acknowledged: [digest],
  });
  const stack = await run(['local', '-f', 'a', '--dns-port', '0']);
  expect(stack.out).toBe('serving\n');
  expect(stack.calls.local[0]).toMatchObject({
    dnsPort: 0,
    route53Port: 5380,
    folder: '.zone53/local',
    config: { createHostedZones: 'all' },
  });
});

test('local serves several clusters, each from the input that begins with its id', async () => {
  const file = path.join(folder, 'zone53.yaml');
  await writeFile(file, 'clusters: { prod-eu: { roots: [] }, prod-us: {} }');
  const local = async (...argv: string[]) => {
    const { calls, code, err } = await run(['local', ...argv, '--config', file]);
    const asked = calls.local.flatMap(({ config, source, others = [] }) => [{ config, source }, ...others]);
    return {
      said: asked.map(({ config, source }) => [config.clusterId, config.roots, source]),
      err: code === 1 ? err : '',
    };
  };
  const folders = await local('-f', 'prod-eu=a', '-f', 'prod-us=b', 'prod-eu=c');
  expect(folders.said).toEqual([
    ['prod-eu', [], { kind: 'manifests', paths: ['a', 'c'] }],
    ['prod-us', null, { kind: 'manifests', paths: ['b'] }],
  ]);
  const contexts = await local('--context', 'prod-eu=arn:aws:eks:a=b', '--context', 'prod-us=kind-us');
  expect(contexts.said.map(([, , source]) => source)).toEqual([
    { kind: 'context', name: 'arn:aws:eks:a=b' },
    { kind: 'context', name: 'kind-us' },
  ]);
  expect((await local('--context', 'kind-us', '--cluster', 'prod-us')).said.map(([id]) => id)).toEqual(['prod-us']);
  const refused = [
    [
      ['-f', 'prod-eu=a', '-f', 'b'],
      'error: -f b: write the cluster of the configuration before it, such as -f prod-eu=b',
    ],
    [['-f', 'eu=a'], 'such as -f prod-eu=a; its clusters are prod-eu, prod-us'],
    [['-f', 'prod-eu=a', '--cluster', 'prod-eu'], '--cluster has no effect where -f names the clusters'],
    [['--context', 'prod-eu=a', '--context', 'prod-eu=b'], '--context b: a cluster has one context'],
    [['-f', 'prod-eu=a', '-f', 'prod-us=b', '--intents-port', '0'], '--intents-port is for one cluster'],
    [['-f', 'a'], 'there are 2 clusters: choose one with --cluster: prod-eu, prod-us'],
  ] as const;
  for (const [argv, message] of refused) expect((await local(...argv)).err).toContain(message);
});

test('runProgram() gives the exit code of the result, results on standard output only', async () => {
  expect(await run(['plan', '-f', 'a'])).toMatchObject({ code: 0, err: '' });
  expect(await run(['plan', '-f', 'a', '--detailed-exitcode'])).toMatchObject({ code: 2 });
  const json = await run(['plan', '-f', 'a', '-o', 'json']);
  const hostedZones = plan.hostedZones.map((one) => {
    return {
      ...one,
      heldDigest: null,
      holds: [],
      changes: one.changes.map((change) => ({ ...change, view: 'public', held: false })),
    };
  });
  expect(JSON.parse(json.out)).toEqual({ ...plan, hostedZones, problems: [], sources: [] });
});

test.each([
  ['an error', new Error('no "a\nb\u2028c\u001b[2Jd"'), 'error: no "a\\u{a}b\\u{2028}c\\u{1b}[2Jd"\n'],
  [
    'a cause',
    new Error('no', { cause: new Error('because\n  of\r\nlines') }),
    'error: no\n  because: because\\u{a}  of\\u{d}\\u{a}lines\n',
  ],
  ['anything else', 'a\nb', 'error: a\\u{a}b\n'],
])('runProgram() escapes line ends and control characters in the message of %s', async (_, failure, line) => {
  expect(await run(['render', '-f', 'a'], { failure })).toMatchObject({ code: 1, err: line });
});

test('runProgram() escapes line ends in the message of a bug, and shows where it is', async () => {
  const { err } = await run(['render', '-f', 'a'], { failure: new TypeError('a\n    at b') });
  expect(err).toMatch(/^error: TypeError: a\\u\{a\} {4}at b\n {4}at .*program\.test\.ts/);
});

test('runProgram() prints the message and the cause of an error, without control characters', async () => {
  const { code, err, out } = await run(['render', '-f', 'a'], {
    failure: new Error('no\u001b[2J', { cause: new Error('socket') }),
  });
  expect([code, out, err]).toEqual([1, '', 'error: no\\u{1b}[2J\n  because: socket\n']);
});

test.each<[string, string, string]>([
  [
    'credentials',
    'Could not load credentials from any providers',
    'There are no credentials for AWS: set AWS_PROFILE to a profile that has them, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. "zone53 local" needs none.',
  ],
  ['region', 'Region is missing', 'Set AWS_REGION, or write a region into the profile.'],
])('runProgram() says once that the SDK has no %s, and what to set', async (_, fault, advice) => {
  const failure = new Error(`Cannot list hosted zones: ${fault}`, { cause: new Error(fault) });
  const { code, err } = await run(['render', '-f', 'a'], { failure });
  expect([code, err]).toEqual([1, `error: Cannot list hosted zones: ${fault}\n  ${advice}\n`]);
});

test.each([
  [new Error('connect ECONNREFUSED 127.0.0.1:9'), /Check that the server runs, and its address: the kubeconfig has/],
  [new Error('getaddrinfo ENOTFOUND route53.invalid'), /Check that the server runs/],
  [new TypeError('Invalid URL'), /^AWS_ENDPOINT_URL_ROUTE_53 and the like must be URLs, such as http:[/0-9.:]+$/],
])('runProgram() says what to do about %s, and shows no stack', async (cause, advice) => {
  const { err } = await run(['render', '-f', 'a'], { failure: new Error(`Cannot list: ${cause.message}`, { cause }) });
  expect(err.split('\n  ')).toEqual([`error: Cannot list: ${cause.message}`, expect.anything()]);
  expect(err.split('\n  ')[1]?.trim()).toMatch(advice);
});

test('runProgram() says of -f only where there is such a flag', async () => {
  const { code, err } = await run(['import', '--hosted-zone', 'Z1', 'dns/']);
  expect([code, err]).toEqual([1, expect.not.stringContaining('-f')]);
});

function manifest(kind: 'Zone' | 'Record') {
  return { apiVersion: 'kubi.zone/v1alpha1', kind, metadata: { name: 'x', namespace: 'y' }, spec: {} };
}

const UNPROTECTED = { remarks: new Map<object, readonly string[]>(), unlisted: null };
const others = { writers: new Map(), owners: [], mixed: [] };

test('import prints which file it wrote and what is in it, and replaces none', async () => {
  const found = {
    apex: 'e.example.',
    isPrivate: false,
    isShared: false,
    manifests: [manifest('Zone')],
    problems: [],
    ...UNPROTECTED,
    others,
  };
  const { code, out, err } = await run(['import', '--hosted-zone', 'Z1', '-o', folder], {
    imported: { ...found, manifests: [manifest('Zone'), manifest('Record')] },
  });
  const file = path.join(folder, 'e.example.yaml');
  expect([code, out, err]).toEqual([0, '', `wrote ${file}: 1 Zone and 1 Record\n`]);
  expect(await readFile(file, 'utf8')).toContain('kind: Record');
  const again = await run(['import', '--hosted-zone', 'Z1', '-o', folder], { imported: found });
  expect(again.err).toBe(`error: Cannot write "${file}": it exists already; remove it first\n`);
  const imported = { ...found, isPrivate: true };
  const { err: told } = await run(['import', '--hosted-zone', 'Z2', '-o', folder], { imported });
  expect(told).toContain(`wrote ${path.join(folder, 'e.example.Z2.yaml')}: 1 Zone and 0 Records`);
  expect(told).toContain('"hostedZones: [{ zone: e.example., id: Z2, visibility: private }]"');
  const shared = await run(['import', '--hosted-zone', 'Z3', '-o', folder], { imported: { ...found, isShared: true } });
  expect(shared.err).toContain(`wrote ${path.join(folder, 'e.example.Z3.yaml')}: 1 Zone and 0 Records`);
  expect(shared.err).toContain('"hostedZones: [{ zone: e.example., id: Z3 }]"');
  expect(await readFile(file, 'utf8')).toContain('kind: Record');
});

test('import says what is of external-dns and of ACME challenges, and what became of it', async () => {
  const writers = new Map([
    ['a', 'registry'],
    ['b', 'registry'],
    ['c', 'acme'],
  ] as const);
  const imported = {
    ...{ apex: 'e.example.', isPrivate: false, isShared: false, manifests: [manifest('Zone')], problems: [] },
    ...UNPROTECTED,
    others: { writers, owners: ['prod'], mixed: ['both.e.example.'] },
  };
  const { code, err } = await run(['import', '--hosted-zone', 'Z1'], { imported });
  expect(code).toBe(0);
  expect(err.split('\n')).toEqual([
    'note TXT records in which external-dns notes what it owns, with the owner "prod": 2 left out (--with registry imports them). What they speak for belongs to external-dns: see zone53 migrate --from external-dns --owner prod',
    'note TXT both.e.example. has a value in which external-dns notes what it owns, beside others: imported as it is',
    'note TXT records of ACME challenges, which cert-manager or the like writes: 1 left out (--with acme imports them)',
    '',
  ]);
  for (const flags of [
    ['--with', 'registry, acme'],
    ['--with', 'acme', '--with', 'registry'],
  ]) {
    const all = await run(['import', '--hosted-zone', 'Z1', ...flags], { imported });
    expect(all.err).toMatch(/2 imported\.[\s\S]*1 imported\n$/);
  }
  const wrong = await run(['import', '--hosted-zone', 'Z1', '--with', 'txt'], { imported });
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('Write registry, acme, or both with a comma.')]);
});

test.each<[string, number]>([
  ['y', 0],
  ['YES', 0],
  ['', 1],
  ['no', 1],
  ['yeah', 1],
])('apply asks, and takes %j for exit code %i', async (answer, expected) => {
  const { code, err, out } = await run(['apply', '-f', 'a'], { answer });
  expect(code).toBe(expected);
  expect(err).toContain('+ www.example.org. A');
  expect(out).toBe(expected === 0 ? 'Nothing to do.\n' : '');
});

test.each(['json', 'markdown', 'text'])(
  'plan --fail-on: exit code 4 if a word applies, printing %s',
  async (format) => {
    const held = { ...plan, hostedZones: plan.hostedZones.map((one) => ({ ...one, held: true })) };
    const flags = ['plan', '-f', 'a', '--fail-on', 'foreign, held', ...(format === 'text' ? [] : ['-o', format])];
    expect((await run(flags, { planOf: () => held })).code).toBe(4);
    expect((await run(flags)).code).toBe(0);
  },
);

test.each(['json', 'markdown', 'text'])(
  'plan --base shows and judges what the base does not have, printing %s',
  async (format) => {
    const held = { ...plan, hostedZones: plan.hostedZones.map((one) => ({ ...one, held: true })) };
    const flags = ['plan', '-f', 'new', '--base', 'old', '--fail-on', 'held', '--acknowledge', digest];
    const output = format === 'text' ? [] : ['-o', format];
    const same = await run([...flags, ...output], { planOf: () => held });
    expect([same.code, same.out.includes('www.example.org')]).toEqual([0, false]);
    expect(same.calls.plan.map(({ source, acknowledged }) => [source, acknowledged])).toEqual([
      [{ kind: 'manifests', paths: ['new'] }, [digest]],
      [{ kind: 'manifests', paths: ['old'] }, []],
    ]);
    const isOld = ({ source }: PlanRequest) => source.kind === 'manifests' && source.paths.includes('old');
    const heldChange = {
      ...held,
      hostedZones: held.hostedZones.map((one) => ({
        ...one,
        changes: one.changes.map((each) => ({ ...each, held: true })),
      })),
    };
    const planOf = (request: PlanRequest) => (isOld(request) ? { hostedZones: [], errors: [] } : heldChange);
    const more = await run([...flags, ...output], { planOf });
    expect([more.code, more.out.includes('www.example.org')]).toEqual([4, true]);
  },
);

test('plan -o markdown prints the page, and nothing else', async () => {
  expect((await run(['plan', '-f', 'a', '-o', 'markdown'])).out).toMatch(/^## DNS plan\n[\s\S]*\| create \|.* \|\n$/);
});

test('apply does not ask with --yes, nor when standard input is the manifests', async () => {
  expect(await run(['apply', '-f', 'a', '--yes'], { answer: 'no' })).toMatchObject({ code: 0, err: '' });
  expect(await run(['apply', '-f', '-'], { answer: 'y' })).toMatchObject({ code: 1, out: '' });
});

test('apply refuses a plan file if the plan has changed', async () => {
  const result: ApplyResult = {
    kind: 'stale',
    plan,
    problems: ['example.org. has other changes now than in the plan'],
  };
  const { code, out, err } = await run(['apply', '-f', 'a', '--plan', digest], { result });
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('nothing was applied:\n  example.org. has other changes');
  expect(err).toContain('Run "zone53 plan" again, and review the new plan.');
});

test('plan --out writes what apply --plan reads', async () => {
  const file = path.join(folder, 'plan.json');
  await run(['plan', '-f', 'a', '--out', file]);
  const { calls } = await run(['apply', '-f', 'a', '--plan', file]);
  expect(calls.apply[0]?.reviewed).toEqual({ kind: 'plan', digests: new Map([['example.org.', `Z1 ${digest}`]]) });
});

test.each([
  [[], 120_000],
  [['--timeout', '30s'], 30_000],
  [['--timeout', '5m'], 300_000],
  [['--timeout', '90'], 90_000],
])('apply %j gives up after %i ms without progress', async (flags, timeoutMs) => {
  const { calls } = await run(['apply', '-f', 'a', '--yes', ...flags]);
  expect(calls.apply[0]?.timeoutMs).toBe(timeoutMs);
});

test('plan and apply compare with Route 53 if --refresh is set', async () => {
  const { calls } = await run(['plan', '-f', 'a', '--refresh']);
  expect(calls.plan[0]?.refresh).toBe(true);
  for (const flags of [[], ['--refresh']]) {
    const applied = await run(['apply', '-f', 'a', '--yes', ...flags]);
    expect(applied.calls.apply[0]?.refresh).toBe(flags.length > 0);
  }
});

test('runProgram() without arguments prints the help, and -v and -V the version', async () => {
  expect(await run([])).toMatchObject({ code: 0, out: expect.stringContaining('Start here:') });
  const { out } = await run(['--version']);
  for (const flag of ['-v', '-V']) expect(await run([flag])).toMatchObject({ code: 0, out });
});

test.each([
  ['validate', 'zone53 render -f DIR --strict'],
  ['diff', 'zone53 plan -f DIR'],
  ['status', 'zone53 explain NAME'],
  ['fmt', 'manifests are plain YAML'],
])('runProgram() says what %s is called here', async (word, meant) => {
  const { code, err } = await run([word]);
  expect(code).toBe(1);
  expect(err).toContain(`zone53 has no command "${word}": ${meant}`);
});

test('completion completes every command and flag, by the commands themselves', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, out } = await run(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['manifests-for-cluster', 'detailed-exitcode', 'gatewayRoutes', 'zonefile'])
      expect(out).toContain(word);
    // Only what stands in a text may have brackets and quotes of its own.
    expect(out).not.toContain('undefined');
  }
  expect((await run(['completion', 'tcsh'])).err).toContain('Allowed choices are bash, zsh, fish');
  const { out } = await run(['completion', 'bash']);
  const asked = (words: string, at: number) =>
    execFileSync(
      'bash',
      ['-c', `source <(cat); COMP_WORDS=(${words}); COMP_CWORD=${at}; _zone53; echo "\${COMPREPLY[@]}"`],
      {
        input: out,
        encoding: 'utf8',
      },
    ).trim();
  expect(asked('zone53 ap', 1)).toBe('apply');
  expect(asked('zone53 plan --ref', 2)).toBe('--refresh');
  expect(asked('zone53 plan --source in', 3)).toBe('ingresses');
  expect(asked('zone53 completion z', 2)).toBe('zsh');
  expect(asked('zone53 import READM', 2)).toBe('README.md');
});

test('runProgram() speaks of no kubeconfig where Route 53 does not answer', async () => {
  const cause = new Error('connect ECONNREFUSED 127.0.0.1:9');
  const { err } = await run(['render', '-f', 'a'], { failure: new Error('Cannot list hosted zones: no', { cause }) });
  expect(err).toContain('Check that this Route 53 can be reached.');
  expect(err).not.toContain('kubeconfig');
});
