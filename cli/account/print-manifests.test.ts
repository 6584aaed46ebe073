import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { printManifests } from './print-manifests.ts';

test('printManifests() writes what YAML reads as the same, whatever the texts hold', () => {
  const odd = ['yes', '1', '1e3', 'a: b', '# x', '"q"', "it's", '@', '*', '', ' ', 'null', 'é\u0001', '- x', 'n', 'A'];
  const manifests = [
    { apiVersion: 'v1', metadata: { annotations: { 'zone53.dev/takeover': 'true' } }, spec: { odd, n: 1, yes: true } },
    { spec: { rules: [{ names: ['a', 'b'], deep: [{ x: 'y' }] }] } },
  ];
  expect(parseAllDocuments(printManifests(manifests)).map((document) => document.toJS())).toEqual(manifests);
});
