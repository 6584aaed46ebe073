// Our CRDs as other projects have them: without a schema, or without our rules.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { CRDS } from '../engines/kubernetes/apply.ts';

/** CRDs of the same names that accept any object. */
export function shapelessTypes(): string {
  const anything = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const version = { name: 'v1alpha1', served: true, storage: true, subresources: { status: {} }, schema: anything };
  const items = ['Zone', 'Record'].map((kind) => {
    const singular = kind.toLowerCase();
    const names = { kind, singular, plural: `${singular}s` };
    const spec = { group: 'kubi.zone', scope: 'Namespaced', names, versions: [version] };
    const metadata = { name: `${names.plural}.kubi.zone` };
    return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec };
  });
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

/** Our CRDs as Kubizone has them: the same fields without the rules. */
export async function withoutRules(): Promise<string> {
  const files = await Promise.all(
    ['zones.yaml', 'records.yaml'].map((name) => readFile(path.join(CRDS, name), 'utf8')),
  );
  const items = files.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as unknown));
  const rules = ['x-kubernetes-validations', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, (key, value: unknown) =>
    rules.includes(key) && typeof value !== 'string' ? undefined : value,
  );
}
