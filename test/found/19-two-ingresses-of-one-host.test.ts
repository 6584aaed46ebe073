// From outside: two Ingresses of one host (kubernetes-sigs/external-dns#6479). docs/sources.md says what happens.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../support/run-here.ts';
import { testFolder } from '../support/test-folder.ts';

const FOLDER = path.join(import.meta.dirname, '19-two-ingresses-of-one-host');

async function rendered(folder: string) {
  const { out } = await runHere('render', '-f', folder, '--source', 'ingresses', '-o', 'json');
  const { zones, sources } = JSON.parse(out);
  return {
    entries: zones[0].entries.slice(1).map(({ type, rdata }: Record<string, string>) => `${type} ${rdata}`),
    reasons: sources.map((one: { namespace: string; endpoints: { conditions: { reason: string }[] }[] }) => [
      one.namespace,
      one.endpoints[0]?.conditions[0]?.reason,
    ]),
  };
}

/** The same Ingresses, changed. */
function changed(change: (ingresses: string) => string): string {
  const folder = testFolder();
  for (const name of ['i.yaml', 'zone.yaml']) {
    const text = readFileSync(path.join(FOLDER, name), 'utf8');
    writeFileSync(path.join(folder, name), name === 'i.yaml' ? change(text) : text);
  }
  return folder;
}

const inOneNamespace = (text: string) => text.replace('name: my, namespace: new-ns', 'name: my2, namespace: old-ns');

test('of two namespaces: the older one has the name', async () => {
  expect(await rendered(FOLDER)).toEqual({
    entries: ['A 10.0.0.1'],
    reasons: [
      ['new-ns', 'Conflict'],
      ['old-ns', 'Adopted'],
    ],
  });
});

test('of one namespace: their addresses are one record set', async () => {
  expect(await rendered(changed(inOneNamespace))).toEqual({
    entries: ['A 10.0.0.1', 'A 10.0.0.2'],
    reasons: [
      ['old-ns', 'Adopted'],
      ['old-ns', 'Adopted'],
    ],
  });
});

test('of one namespace, with host names: the older one has the name', async () => {
  const toHosts = (text: string) =>
    inOneNamespace(text).replace(/\{ ip: 10\.0\.0\.(\d) \}/g, '{ hostname: lb$1.example.net }');
  expect(await rendered(changed(toHosts))).toEqual({
    entries: ['CNAME lb1.example.net.'],
    reasons: [
      ['old-ns', 'Adopted'],
      ['old-ns', 'Conflict'],
    ],
  });
});
