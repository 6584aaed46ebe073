// `zone53 config check FILE` judges a configuration as a deployment does.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../../test/support/run-here.ts';
import { testFolder } from '../../test/support/test-folder.ts';

const EXAMPLE = path.join(import.meta.dirname, '..', '..', 'examples', 'aws', 'zone53.yaml');

/** Checks this text as a file; in the output the file is zone53.yaml. */
async function check(text: string) {
  const folder = testFolder();
  writeFileSync(path.join(folder, 'zone53.yaml'), text);
  const ran = await runHere('config', 'check', path.join(folder, 'zone53.yaml'));
  return { ...ran, out: ran.out.replaceAll(`${folder}/`, ''), err: ran.err.replaceAll(`${folder}/`, '') };
}

const VALID = `roots: [{ zone: example.org., namespaces: [dns] }]
hostedZones: [{ zone: example.org., id: Z0123456789ABCDEFGHIJ }]
access: { eks: prod, endpoint: https://api.example.org, certificateAuthority: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCmV4YW1wbGUKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo= }
`;

test('a valid configuration exits with 0 and names the keys that need the stack again, and no others', async () => {
  const { code, out, err } = await check(`${VALID}soa: never\n`);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^zone53\.yaml is valid\.\nAfter a change of these keys, deploy the stack again:\n/);
  expect([...out.matchAll(/^ {2}(\w+): /gm)].map(([, key]) => key)).toEqual(['hostedZones', 'access']);
});

test('several clusters are valid, with the keys of each', async () => {
  const [roots = '', zones = '', access = ''] = VALID.split('\n');
  const clusters = `clusters:\n  eu: { ${roots}, ${access} }\n  us: { ${roots}, ${access}, sources: { services: {} } }\n`;
  const { code, out, err } = await check(`${zones}\n${clusters}`);
  expect([code, err]).toEqual([0, '']);
  expect([...out.matchAll(/^ {2}(\w+): /gm)].map(([, key]) => key)).toEqual(['hostedZones', 'access', 'sources']);
});

test('the example is valid', async () => {
  expect(await runHere('config', 'check', EXAMPLE)).toMatchObject({ code: 0, err: '' });
});

test('a missing roots is invalid, with the line where it would stand', async () => {
  const { code, out, err } = await check(VALID.split('\n').slice(1).join('\n'));
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/zone53\.yaml:1:1: roots: missing, and without it anybody/);
});

test('every mistake has its line, at once', async () => {
  const { code, err } = await check(`${VALID}soa: maybe\nwhatever: 1\naws: { region: 7 }\n`);
  expect(code).toBe(1);
  expect(err.match(/zone53\.yaml:\d+:\d+: \w+/g)).toEqual(
    expect.arrayContaining(['zone53.yaml:4:6: soa', 'zone53.yaml:5:1: whatever']),
  );
  expect((await check(`${VALID}aws: { region: 7 }\n`)).err).toMatch(/zone53\.yaml:4:\d+: aws\.region: /);
});

test('what is no YAML, and a file that is not there, are errors', async () => {
  expect((await check('roots: [\n')).err).toMatch(/zone53\.yaml:\d+:\d+: Cannot parse YAML/);
  expect(await runHere('config', 'check', '/no/such/file')).toMatchObject({ code: 1, out: '' });
});
