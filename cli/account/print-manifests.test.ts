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

test('printManifests() writes a remark as a comment of one line, whatever it holds', () => {
  const manifest = { kind: 'Record' };
  const text = printManifests([manifest], new Map([[manifest, ['a\nkind: Zone\u0085x\u2028y', 'two']]]));
  expect(text).toBe('---\n# a\ufffdkind: Zone\ufffdx\ufffdy\n# two\nkind: Record\n');
});
