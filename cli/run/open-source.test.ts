import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { DEFAULT_CONFIG } from '../../lib/ports/config.ts';
import { testFolder } from '../../test/support/test-folder.ts';
import { UsageError } from '../print/usage-error.ts';
import type { SourceOptions } from './open-objects.ts';
import { openSource } from './open-source.ts';
import { render } from './use-cases.ts';

let folder: string;
beforeEach(() => {
  folder = testFolder();
});
const clock = { nowMs: () => 0 };
const options: SourceOptions = { clusterId: 'a', clock, readingMsMax: 0, sources: [] };
const at = (name: string) => path.join(folder, name);
const common = { config: DEFAULT_CONFIG, clock, log: () => {}, progress: () => {} };

test('openSource() fails at once for missing paths, and names each without a line number', async () => {
  await writeFile(at('a.yaml'), '');
  const source = { kind: 'manifests', paths: [at('a.yaml'), at('b'), at('c')] } as const;
  const opening = openSource(source, { ...options, pathsMustBe: true });
  await expect(opening).rejects.toThrow(UsageError);
  await expect(opening).rejects.toThrow(
    `Cannot read "${at('b')}": there is no such file or folder\nCannot read "${at('c')}": there is no such file or folder\nNothing was done.`,
  );
});

test('openSource() describes - as what it is', async () => {
  const opened = await openSource({ kind: 'manifests', paths: [folder, '-'] }, options);
  expect(opened.described).toBe(`${folder}, standard input`);
});

test('render() reports a misspelt object as a remark, and with --strict as an error', async () => {
  const file = at('a.yaml');
  await writeFile(file, 'apiVersion: kubi.zone/v1alpha1\nkind: Recrod\nmetadata: { name: a }\n');
  const source = { kind: 'manifests', paths: [folder] } as const;
  const remark = { file, line: 1, message: expect.stringContaining('did you mean "kind: Record"?') };
  const lenient = await render({ ...common, source });
  expect(lenient).toMatchObject({ errors: [], remarks: [{ ...remark, level: 'warning' }] });
  expect(await render({ ...common, source: { ...source, strict: true } })).toMatchObject({
    errors: [remark],
    remarks: [],
  });
});

test('render() gives advice about objects that ask for names while their kinds are switched off, and no error', async () => {
  await writeFile(
    at('a.yaml'),
    `apiVersion: v1
kind: Service
metadata: { name: plain }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: shop }
spec: { rules: [{ host: www.example.org }] }
---
apiVersion: v1
kind: Service
metadata: { name: db, annotations: { external-dns.alpha.kubernetes.io/hostname: db.example.org } }
spec: { type: LoadBalancer }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: api }
spec: { hostnames: [api.example.org] }
`,
  );
  const record = 'apiVersion: kubi.zone/v1alpha1\nkind: Record\nmetadata: { name: a }\n';
  await writeFile(at('b.yaml'), record);
  const source = { kind: 'manifests', paths: [folder], strict: true } as const;
  const { errors, remarks } = await render({ ...common, source });
  expect(errors).toEqual([]);
  expect(remarks).toEqual([
    {
      ...{ level: 'advice', file: at('a.yaml'), line: 5 },
      message:
        'Ingress shop/web and 2 more ask for names and are not read. To read such objects, use --source gatewayRoutes --source ingresses --source services, or these keys below "sources" in the configuration',
    },
  ]);
  const { ingresses: on } = { ingresses: DEFAULT_CONFIG.sourceDefaults };
  const all = { ingresses: on, services: on, gatewayRoutes: on };
  expect((await render({ ...common, config: { ...DEFAULT_CONFIG, sources: all }, source })).remarks).toEqual([]);
});

test('render() gives the file and line of each object', async () => {
  const file = at('a.yaml');
  await writeFile(file, '---\napiVersion: kubi.zone/v1alpha1\nkind: Record\nmetadata: { name: a }\n');
  const { records } = await render({ ...common, source: { kind: 'manifests', paths: [folder] } });
  expect(records[0]?.origin).toEqual({ file, line: 2 });
});
