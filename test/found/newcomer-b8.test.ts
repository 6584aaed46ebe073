// From outside: messages that led to the wrong place. A Zone that is declared and refused is what is wrong, not one
// that is missing.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../support/run-here.ts';
import { testFolder } from '../support/test-folder.ts';

const ZONE = 'apiVersion: kubi.zone/v1alpha1\nkind: Zone';
const record = (namespace: string, name: string, spec: string) =>
  `---\napiVersion: kubi.zone/v1alpha1\nkind: Record\nmetadata: { name: ${name}, namespace: ${namespace} }\nspec: { ${spec}, type: A, rdata: 192.0.2.1 }\n`;
const zone = (namespace: string, name: string, spec: string) =>
  `---\n${ZONE}\nmetadata: { name: ${name}, namespace: ${namespace} }\nspec: { ${spec} }\n`;
const ALL = 'delegations: [{ records: [{ pattern: "*" }] }]';

/** The message and reason of each object, as render prints it in JSON. */
async function rendered(yaml: string, config = ''): Promise<ReadonlyMap<string, string>> {
  const folder = testFolder();
  writeFileSync(path.join(folder, 'dns.yaml'), yaml);
  writeFileSync(path.join(folder, 'zone53.yaml'), config);
  const { out } = await runHere(
    ...['render', '-f', path.join(folder, 'dns.yaml'), '-o', 'json'],
    ...['--config', path.join(folder, 'zone53.yaml')],
  );
  type Said = { namespace: string; name: string; conditions: { reason: string; message: string }[] };
  const { zones, records } = JSON.parse(out) as Record<'zones' | 'records', Said[]>;
  return new Map(
    [...zones, ...records].map(({ namespace, name, conditions: [first] }) => [
      `${namespace}/${name}`,
      `${first?.reason}: ${first?.message.replaceAll(folder, '')}`,
    ]),
  );
}

test('Records below an invalid Zone name it, its place, and what is wrong with it', async () => {
  const wrong = ['domainName: e.test., delegation: []', 'domainName: e.test', 'domainName: " e.test. ", ttl: -1'];
  for (const spec of wrong) {
    const said = await rendered(
      zone('p', 'z', spec) +
        record('p', 'www', 'domainName: www.e.test.') +
        record('p', 'api', 'domainName: api, zoneRef: { name: z }') +
        zone('p', 'sub', 'domainName: s, zoneRef: { name: z }') +
        record('p', 'x', 'domainName: x, zoneRef: { name: sub }'),
    );
    const own = said.get('p/z');
    expect(own).toMatch(/^InvalidSpec: /);
    expect(said.get('p/www')).toBe(
      `ParentNotFound: no live Zone covers it: Zone p/z (/dns.yaml:2), which would, is not accepted: ${own?.replace(': ', ', ')}`,
    );
    const cause = `Zone p/z (/dns.yaml:2) is not accepted: ${own?.replace(': ', ', ')}`;
    for (const name of ['api', 'sub']) expect(said.get(`p/${name}`)).toBe(`ParentNotLive: spec.zoneRef: ${cause}`);
    expect(said.get('p/x')).toBe(`ParentNotLive: spec.zoneRef: Zone p/sub is not live, because ${cause}`);
  }
});

test('Records and Zones below a Zone that roots do not allow name it', async () => {
  const said = await rendered(
    zone('p', 'z', `domainName: e.test., ${ALL}`) +
      record('p', 'www', 'domainName: www.e.test.') +
      zone('p', 'sub', 'domainName: s.e.test.'),
    'roots: [{ zone: other.test. }]\n',
  );
  expect(said.get('p/www')).toContain('Zone p/z (/dns.yaml:2), which would, is not accepted: RootNotAllowed, no live');
  expect(said.get('p/sub')).toMatch(
    /^RootNotAllowed: .*; Zone p\/z \(\/dns.yaml:2\), which has the name e\.test\. above it/,
  );
});

test('a Record below a Zone that another refuses names the nearer Zone, not a rule for the Record', async () => {
  const said = await rendered(
    zone('p', 'z', 'domainName: e.test., delegations: [{ namespace: team-a, zones: [shop] }]') +
      zone('team-aa', 'shop', `domainName: shop.e.test., ${ALL}`) +
      record('team-a', 's1', 'domainName: s1.shop.e.test.') +
      record('team-a', 'other', 'domainName: other.e.test.'),
  );
  expect(said.get('team-a/s1')).toMatch(
    /^DelegationDenied: Zone team-aa\/shop \(\/dns\.yaml:7\), which has the nearer name shop\.e\.test\., is not accepted: DelegationDenied, Zone p\/z \(e\.test\.\) does not delegate Zone shop\.e\.test\. to namespace team-aa/,
  );
  expect(said.get('team-a/other')).toMatch(
    /^DelegationDenied: Zone p\/z \(e\.test\.\) does not delegate other\.e\.test\./,
  );
});

test('a Record that the other of two Zones refuses names the one in conflict, which is not called younger', async () => {
  const said = await rendered(
    zone('a', 'z', 'domainName: e.test., delegations: []') +
      zone('b', 'z', `domainName: e.test., ${ALL}`) +
      record('b', 'www', 'domainName: www.e.test.'),
  );
  expect(said.get('b/z')).toBe(
    'Conflict: Zone a/z has e.test. already and comes first; delete one of the two, or give this one another name',
  );
  expect(said.get('b/www')).toMatch(
    /^DelegationDenied: Zone a\/z .*; Zone b\/z \(\/dns\.yaml:7\), which has the name e\.test\. too, is not accepted: Conflict, /,
  );
});

test('no refused Zone is named where none is nearer, and without one the advice is to declare one', async () => {
  const said = await rendered(
    zone('a', 'z', 'domainName: e.test., delegations: []') +
      zone('a', 'bad', 'domainName: s.e.test., ttl: -1') +
      record('a', 'www', 'domainName: www.e.test.') +
      record('a', 'elsewhere', 'domainName: www.other.test.') +
      record('a', 'space', 'domainName: "www.e.test. "') +
      record('a', 'dotless', 'domainName: " www.e.test"'),
  );
  expect(said.get('a/www')).not.toContain('a/bad');
  expect(said.get('a/elsewhere')).toContain('no live Zone covers www.other.test.: declare a Zone for it');
  expect(said.get('a/space')).toBe(
    'InvalidSpec: spec.domainName: "www.e.test. " has white space around it: write "www.e.test."',
  );
  expect(said.get('a/dotless')).toContain('end it in a dot ("www.e.test.")');
});
