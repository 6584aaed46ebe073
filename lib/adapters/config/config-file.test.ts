import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/test-folder.ts';
import { parseRootPattern } from '../../dns/names/pattern.ts';
import { DEFAULT_SETTINGS } from '../../objects/source-settings.ts';
import { DEFAULT_CONFIG } from '../../ports/config.ts';
import { guardSettings } from '../../ports/guard-limits.ts';
import { ConfigError, parseConfig, readConfigFile } from './config-file.ts';

const whole = `clusterId: prod-eu
roots: [{ zone: example.org., namespaces: [platform] }, { zone: "*.Example.net" }]
hostedZones: [{ zone: Example.org, id: /hostedzone/Z0123456789ABCDEFGHIJ }]
createHostedZones: all
soa: always
guard: { deletesMax: 5, deletesShareMax: 0.5 }
budget: { requestsPerSecond: 8, burst: 20, reserve: 0.5, changesPerSecond: 100 }
history: { days: 30, users: true }
propagation: false
healthChecks: { max: 5, namespaces: [shop] }
takeover: { namespaces: [platform], equal: true }
`;

function pattern(text: string) {
  const parsed = parseRootPattern(text);
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return parsed.pattern;
}

test('parseConfig() reads every key, with names in canonical form', () => {
  expect(parseConfig(whole, 'zone53.yaml')).toEqual({
    clusterId: 'prod-eu',
    standby: [],
    region: null,
    roots: [
      { pattern: pattern('example.org.'), namespaces: ['platform'] },
      { pattern: pattern('*.Example.net'), namespaces: null },
    ],
    hostedZones: [{ zone: 'example.org.', id: 'Z0123456789ABCDEFGHIJ' }],
    extendedViews: {},
    createHostedZones: 'all',
    soa: 'always',
    guard: guardSettings({ deletesMax: 5, deletesShareMax: 0.5 }),
    budget: { requestsPerSecond: 8, burst: 20, reserve: 0.5, changesPerSecond: 100 },
    history: { days: 30, users: true },
    intents: null,
    accounts: {},
    propagation: false,
    healthChecks: { max: 5, namespaces: ['shop'] },
    takeover: { namespaces: ['platform'], equal: true, externalDns: [] },
    sources: {},
    sourceDefaults: DEFAULT_SETTINGS,
    dnsRecords: null,
  });
});

test.each<[string, string, object]>([
  ['an empty file', '', {}],
  ['comments only', '# nothing\n', {}],
  [
    'a hosted zone of another account',
    'accounts: { dns: { role: "arn:aws:iam::111122223333:role/dns", intents: true } }\nhostedZones: [{ zone: a.b, id: Z1, account: dns }]\n',
    {
      accounts: { dns: { role: 'arn:aws:iam::111122223333:role/dns', externalId: null, intents: true } },
      hostedZones: [{ zone: 'a.b.', id: 'Z1', account: 'dns' }],
    },
  ],
  [
    'views that extend another one',
    'hostedZones: [{ zone: a.b, id: Z1, view: x }, { zone: a.b, id: Z2, view: y }]\nviews: { x: { extends: public }, y: { extends: x } }\n',
    {
      hostedZones: [
        { zone: 'a.b.', id: 'Z1', view: 'x' },
        { zone: 'a.b.', id: 'Z2', view: 'y' },
      ],
      extendedViews: { x: 'public', y: 'x' },
      sources: { views: { known: ['public', 'x', 'y'], ofInternalLoadBalancers: null } },
    },
  ],
  ['no roots: every root', 'clusterId: a\n', { clusterId: 'a', roots: null }],
  ['empty roots: no root', 'roots: []\n', { roots: [] }],
  ['half a guard', 'guard: { deletesMax: 0 }\n', { guard: guardSettings({ deletesMax: 0 }) }],
  [
    'a lead',
    'clusterId: eu\nhostedZones: [{ zone: a.b, id: Z1, lead: eu }]\n',
    { clusterId: 'eu', hostedZones: [{ zone: 'a.b.', id: 'Z1', lead: 'eu' }] },
  ],
  ['keys left blank', 'guard:\nbudget:\nhostedZones:\ncreateHostedZones:\n', {}],
])('parseConfig() fills in the defaults for %s', (_, text, expected) => {
  expect(parseConfig(text, 'zone53.yaml')).toEqual({ ...DEFAULT_CONFIG, ...expected });
});

test('parseConfig() reads the owners of external-dns to take over from, with the defaults of external-dns', () => {
  const text =
    'takeover:\n  externalDns:\n  - { ownerId: prod, txtPrefix: "%{record_type}.", aesKeySecret: "env:KEY" }\n';
  const defaults = { txtSuffix: '', wildcardReplacement: '', deleteUnwanted: false };
  expect(parseConfig(text, 'a').takeover.externalDns).toEqual([
    { ...defaults, ownerId: 'prod', txtPrefix: '%{record_type}.', aesKeySecret: 'env:KEY' },
  ]);
});

test('parseConfig() uses the given defaults', () => {
  expect(parseConfig('', 'a', { ...DEFAULT_CONFIG, createHostedZones: 'all' }).createHostedZones).toBe('all');
});

test.each<[string, string, string]>([
  ['an unknown key', 'clusterId: a\nroot: []\n', 'z.yaml:2:1: root: unknown key; known here are clusterId, roots,'],
  [
    'an unknown key inside',
    'roots:\n- { zone: a.org, namespace: [x] }\n',
    'z.yaml:2:18: roots[0].namespace: unknown key; known here are zone, namespaces',
  ],
  [
    'a view that no hosted zone has',
    'hostedZones: [{ zone: a.b, id: Z1, view: internal }]\nviews: { internl: { loadBalancerScheme: internal } }\n',
    'z.yaml:2:19: views.internl: hostedZones has no view internl that is not public: it has internal; did you mean internal?',
  ],
  [
    'two views of internal load balancers',
    'hostedZones: [{ zone: a.b, id: Z1, view: x }, { zone: a.b, id: Z2, view: y }]\nviews: { x: { loadBalancerScheme: internal }, y: { loadBalancerScheme: internal } }\n',
    'views.y.loadBalancerScheme: internal load balancers are in view x already: remove one',
  ],
  [
    'a view that extends one that is not there',
    'hostedZones: [{ zone: a.b, id: Z1, view: x }]\nviews: { x: { extends: pubic } }\n',
    'z.yaml:2:24: views.x.extends: hostedZones has no view pubic: it has public, x; did you mean public?',
  ],
  [
    'a view that extends itself',
    'hostedZones: [{ zone: a.b, id: Z1, view: x }]\nviews: { x: { extends: x } }\n',
    'views.x.extends: view x extends itself: x extends x',
  ],
  [
    'views that extend each other',
    'hostedZones: [{ zone: a.b, id: Z1, view: x }, { zone: a.b, id: Z2, view: y }]\nviews: { x: { extends: y }, y: { extends: x } }\n',
    'views.x.extends: view x extends itself: x extends y extends x',
  ],
  [
    'public, which extends nothing',
    'hostedZones: [{ zone: a.b, id: Z1, view: x }]\nviews: { public: { extends: x } }\n',
    'views.public: hostedZones has no view public that is not public: it has x',
  ],
  [
    'two hosted zones of one name in a view',
    'hostedZones: [{ zone: a.b, id: Z1, view: x }, { zone: a.b, id: Z2, view: x }]\n',
    'hostedZones[1].zone: a.b. in view x has a hosted zone already, in hostedZones[0]: remove one',
  ],
  [
    'a hosted zone in two views',
    'hostedZones: [{ zone: a.b, id: Z1 }, { zone: a.b, id: Z1, view: x }]\n',
    'hostedZones[1].id: Z1 is in another view already, in hostedZones[0]: a hosted zone has one view',
  ],
  [
    'a view that is no label',
    'hostedZones: [{ zone: a.b, id: Z1, view: In.ternal }]\n',
    'hostedZones[0].view: write an RFC 1123 label, such as internal',
  ],
  ['a misspelt key', 'hostedZone: []\n', '; did you mean hostedZones?'],
  ['a misspelt key inside', 'guard: { deleteMax: 3 }\n', '; did you mean deletesMax?'],
  ['roots left blank', 'roots:\n', 'z.yaml:1:7: roots: write a list'],
  [
    'a mapping for roots',
    'roots: { zone: a.org }\n',
    'z.yaml:1:8: roots: write a list, such as [{ zone: example.org. }]',
  ],
  ['a text for a root', 'roots: [a.org]\n', 'z.yaml:1:9: roots[0]: write a mapping'],
  ['a root without a zone', 'roots: [{}]\n', 'z.yaml:1:9: roots[0].zone: write a name or pattern'],
  ['a bad pattern', 'roots: [{ zone: "a..b." }]\n', 'z.yaml:1:17: roots[0].zone: '],
  ['a bad name', 'hostedZones: [{ zone: "a..b", id: Z1 }]\n', 'z.yaml:1:23: hostedZones[0].zone: '],
  [
    'a bad id',
    'hostedZones: [{ zone: a.b, id: "Z 1" }]\n',
    'z.yaml:1:32: hostedZones[0].id: write the id of a hosted zone',
  ],
  [
    'a zone twice',
    'hostedZones:\n- { zone: a.b, id: Z1 }\n- { zone: A.b., id: Z2 }\n',
    'z.yaml:3:11: hostedZones[1].zone: a.b. has a hosted zone already, in hostedZones[0]',
  ],
  [
    'a namespace that is not text',
    'roots: [{ zone: a.b, namespaces: [5] }]\n',
    'z.yaml:1:35: roots[0].namespaces[0]: write the name of a namespace',
  ],
  [
    'a name that no namespace can have',
    'roots: [{ zone: a.b, namespaces: [ok, Team-A] }]\n',
    'z.yaml:1:39: roots[0].namespaces[1]: no namespace can have this name',
  ],
  ['an unknown value of soa', 'soa: true\n', 'z.yaml:1:6: soa: write created, always or never'],
  [
    'an unknown value of createHostedZones',
    'createHostedZones: yes\n',
    'z.yaml:1:20: createHostedZones: write never or all',
  ],
  [
    'a count that is not a number',
    'guard: { deletesMax: many }\n',
    'z.yaml:1:22: guard.deletesMax: write a whole number',
  ],
  ['a negative count', 'guard: { deletesMax: -1 }\n', 'z.yaml:1:22: guard.deletesMax: write a whole number'],
  [
    'a share in percent',
    'guard: { deletesShareMax: 30 }\n',
    'z.yaml:1:27: guard.deletesShareMax: write a share from 0 to 1',
  ],
  [
    'no calls at all',
    'budget: { requestsPerSecond: 0 }\n',
    'z.yaml:1:30: budget.requestsPerSecond: write requests a second, more than 0',
  ],
  [
    'an external-dns without an owner',
    'takeover: { externalDns: [{ txtPrefix: txt. }] }\n',
    'z.yaml:1:27: takeover.externalDns[0].ownerId: write the --txt-owner-id of external-dns',
  ],
  [
    'an unknown key of an external-dns',
    'takeover: { externalDns: [{ ownerId: a, owner: b }] }\n',
    'takeover.externalDns[0].owner: unknown key; known here are ownerId, txtPrefix, txtSuffix,',
  ],
  [
    'prefix and suffix',
    'takeover: { externalDns: [{ ownerId: a, txtPrefix: b, txtSuffix: c }] }\n',
    'takeover.externalDns[0].txtSuffix: external-dns has txtPrefix or txtSuffix, not both',
  ],
  [
    'env: without a name',
    'takeover: { externalDns: [{ ownerId: a, aesKeySecret: "env:" }] }\n',
    'aesKeySecret: write the name of an environment variable after env:',
  ],
  [
    'everything reserved',
    'budget: { reserve: 1 }\n',
    'z.yaml:1:20: budget.reserve: write a share from 0 to below 1: 1 would leave nothing to zone53',
  ],
  ['no burst at all', 'budget: { burst: 0.5 }\n', 'z.yaml:1:18: budget.burst: write 1 or more'],
  [
    'less than one change a second',
    'budget: { changesPerSecond: 0 }\n',
    'z.yaml:1:29: budget.changesPerSecond: write 1 or more, or auto',
  ],
  [
    'the limits of before',
    'budget: { callsPerSecond: 5, reservedForOthers: 1 }\n',
    'z.yaml:1:11: budget.callsPerSecond: no key any more: write requestsPerSecond and burst',
  ],
  [
    'an account that is not declared',
    'accounts: { dns: { role: "arn:aws:iam::111122223333:role/dns" } }\nhostedZones:\n- { zone: a.b, id: Z1, account: dnss }\n',
    'z.yaml:3:33: hostedZones[0].account: accounts has no "dnss": known are dns; did you mean dns?',
  ],
  [
    'a lead that is no cluster',
    'clusters: { eu: {}, us: {} }\nhostedZones:\n- { zone: a.b, id: Z1, lead: usa }\n',
    'z.yaml:3:30: hostedZones[0].lead: there is no cluster "usa": write one of eu, us',
  ],
  [
    'an account, and none is declared',
    'hostedZones:\n- { zone: a.b, id: Z1, account: dns }\n',
    'z.yaml:2:33: hostedZones[0].account: accounts has no "dns": declare it: accounts: { dns: { role: arn:aws:iam::',
  ],
  [
    'an account without a role',
    'accounts: { dns: { externalId: abc } }\n',
    'z.yaml:1:18: accounts.dns.role: write the ARN of a role',
  ],
  [
    'a user in place of a role',
    'accounts: { dns: { role: "arn:aws:iam::111122223333:user/dns" } }\n',
    'z.yaml:1:26: accounts.dns.role: write the ARN of a role, such as arn:aws:iam::123456789012:role/dns',
  ],
  [
    'an external id that STS would refuse',
    'accounts: { dns: { role: "arn:aws:iam::111122223333:role/dns", externalId: "a b" } }\n',
    'z.yaml:1:76: accounts.dns.externalId: write 2 to 1224 letters, digits and +=,.@:/-',
  ],
  [
    'an unknown key of an account',
    'accounts: { dns: { role: "arn:aws:iam::111122223333:role/dns", extrenalId: abc } }\n',
    'accounts.dns.extrenalId: unknown key; known here are role, externalId, intents; did you mean externalId?',
  ],
  [
    'the name of an account with a space',
    'accounts: { "d n": { role: x } }\n',
    'accounts.d n: name the account with letters, digits',
  ],
  ['a list of accounts', 'accounts: []\n', 'z.yaml:1:11: accounts: write a mapping, such as { dns: { role: '],
  [
    'the roles of intents where they were',
    'intents: { assumeRoles: [] }\n',
    'z.yaml:1:12: intents.assumeRoles: no key any more: write accounts: { NAME: { role: ARN, intents: true } } at the top',
  ],
  [
    'an unknown key of intents',
    'intents: { rolse: [] }\n',
    'z.yaml:1:12: intents.rolse: unknown key; known here are cluster',
  ],
  ['an empty clusterId', 'clusterId: ""\n', 'z.yaml:1:12: clusterId: write a name for the cluster'],
  ['a clusterId with a slash', 'clusterId: a/b\n', 'z.yaml:1:12: clusterId: write letters, digits'],
  ['a list', '- clusterId: a\n', 'z.yaml:1:1: write a mapping of keys to values'],
  ['broken YAML', 'clusterId: a\n  b: [', 'z.yaml:2:'],
  [
    'two documents',
    'clusterId: a\n---\nclusterId: b\n',
    'z.yaml:2:1: a configuration is one YAML document: remove this line, or keep only one document',
  ],
  [
    'an alias without an anchor',
    'clusterId: a\nroots: *known\n',
    'z.yaml:2:8: Cannot parse YAML: the alias "*known" has no anchor "&known" before it',
  ],
  ['an alias of itself', 'roots: &a [*a]\n', 'z.yaml:1:12: Cannot parse YAML: the alias "*a" contains itself'],
  [
    'a key twice',
    'clusterId: a\nclusterId: b\n',
    'z.yaml:2:1: Cannot parse YAML: the key is there twice in one mapping, and keys must be unique: remove one of the two',
  ],
])('parseConfig() refuses %s and says where', (_, text, message) => {
  expect(() => parseConfig(text, 'z.yaml')).toThrow(ConfigError);
  expect(() => parseConfig(text, 'z.yaml')).toThrow(message);
});

test('parseConfig() reports values that are nested too deeply, in words of its own', () => {
  const deep = `roots: ${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  expect(() => parseConfig(deep, 'zone53.yaml')).toThrow(
    /^zone53\.yaml:1:\d+: Cannot parse YAML: lists and mappings are nested too deeply: write fewer levels$/,
  );
});

test('parseConfig() reports an error of YAML, and not its consequences at every later token', () => {
  const text = 'clusterId: a\n  - { zone: a.example. }\nguard: { deletesMax: 1 }\nbudget: { burst: 4 }\n';
  expect(() => parseConfig(text, 'z.yaml')).toThrow(
    /^z\.yaml:2:3: Cannot parse YAML: this line is indented deeper [^\n]+(?:\nz\.yaml:[23]:\d+: [^\n]+){0,2}$/,
  );
});

test('parseConfig() finds every problem at once', () => {
  const text = 'a: 1\nb: 2\nguard: { deletesMax: x, deletesShareMax: y }\n';
  const error = (() => {
    try {
      parseConfig(text, 'z.yaml');
    } catch (thrown) {
      return thrown as ConfigError;
    }
    throw new Error('nothing thrown');
  })();
  expect(error.problems.map(({ line }) => line).toSorted()).toEqual([1, 2, 3, 3]);
});

test('readConfigFile() reads a file, and reports a missing one', async () => {
  const folder = testFolder();
  const file = path.join(folder, 'zone53.yaml');
  const missing = `Cannot read configuration "${file}": there is no such file or folder`;
  await expect(readConfigFile(file)).rejects.toMatchObject({ message: missing });
  await writeFile(file, whole);
  expect((await readConfigFile(file)).clusterId).toBe('prod-eu');
});

test('parseConfig() refuses a million brackets at once', () => {
  const text = `clusterId: a\nroots: ${'['.repeat(1_000_000)}`;
  expect(() => parseConfig(text, 'z.yaml')).toThrow('z.yaml:2:506: Cannot parse YAML: lists and mappings are nested');
});

test('parseConfig() says of every cluster whether it is on standby', () => {
  const text = 'clusters: { eu: {}, us: { standby: true }, ap: { standby: false } }';
  for (const id of ['eu', 'us']) expect(parseConfig(text, 'zone53.yaml', undefined, { id }).standby).toEqual(['us']);
  expect(parseConfig('standby: true', 'zone53.yaml').standby).toEqual(['default']);
});
