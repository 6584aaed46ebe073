// The OpenAPI 3.1 document of the intent API. Its schemas are those that validate bodies.
import * as z from 'zod';
import { appBody } from '../model/app.ts';
import { keyValueBody } from '../model/key-values.ts';
import { recordBody } from '../model/record.ts';
import { LIMIT_DEFAULT, LIMIT_MAX } from './pages.ts';
import { PATHS } from './route.ts';

const ignored = z.array(z.strictObject({ parameter: z.string(), reason: z.string() }));
const row = z.strictObject({
  service: z.string(),
  record: z.string(),
  state: z.enum(['Pending', 'Published', 'Error', 'Unsupported']),
  reason: z.string(),
});
const object = z.strictObject({ kind: z.string(), namespace: z.string(), name: z.string() });
const { version, profile, logicalCloud } = appBody.shape;
const instantiated = z.strictObject({
  project: z.string(),
  app: z.string(),
  version,
  profile,
  logicalCloud,
  status: z.array(row),
  manifests: z.array(object),
});
const terminated = z.strictObject({ project: z.string(), app: z.string(), manifests: z.array(object) });
const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string() }),
});
const value = z.strictObject({ value: z.string() });
const problem = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  errors: z
    .array(z.strictObject({ pointer: z.string().optional(), parameter: z.string().optional(), detail: z.string() }))
    .optional(),
});

const SCHEMAS = {
  DnsUpdateRecord: recordBody.extend({ ignored: ignored.optional().meta({ readOnly: true }) }),
  KeyValuePair: keyValueBody,
  Value: value,
  App: appBody,
  Instantiated: instantiated,
  Terminated: terminated,
  StatusRow: row,
  Manifest: manifest,
  Problem: problem,
};

type SchemaName = keyof typeof SCHEMAS;
const ref = (name: SchemaName) => ({ $ref: `#/components/schemas/${name}` });
const content = (schema: object) => ({ 'application/json': { schema } });
const list = (name: SchemaName) => ({ type: 'array', items: ref(name) });

const ETAG = { ETag: { description: 'The version, for If-Match.', schema: { type: 'string' } } };
const LOCATION = { Location: { description: 'The address of what was created.', schema: { type: 'string' } } };
const LINK = { Link: { description: 'The next page, rel="next".', schema: { type: 'string' } } };
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The version that was seen; another one is 412. Without it, the last writer wins.',
  schema: { type: 'string' },
};
const IF_NONE_MATCH = {
  ...IF_MATCH,
  name: 'If-None-Match',
  description: 'The version that was seen: 304 when there is no other.',
};
const query = (name: string, description: string, schema: object) => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
});
const PAGES = [
  query('limit', 'How many at most.', { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT }),
  query('after', 'Where the page begins, as Link gave it.', { type: 'string' }),
];
const KEY = query('key', 'Returns only the value of this key.', { type: 'string' });

/** The error responses: these statuses, and `default` for any other. */
const problems = (...statuses: readonly number[]) => {
  const answer = {
    description: 'A problem document.',
    content: { 'application/problem+json': { schema: ref('Problem') } },
  };
  return Object.fromEntries([...statuses, 'default'].map((status) => [String(status), answer]));
};
const body = (name: SchemaName) => ({ required: true, content: content(ref(name)) });

function collection(what: string, id: string, name: SchemaName, more: readonly object[]) {
  return {
    get: {
      operationId: `list${id}s`,
      summary: `Lists ${what}s, page by page.`,
      parameters: [...PAGES, ...more],
      responses: {
        200: {
          description: 'A page.',
          headers: LINK,
          content: content(more.length === 0 ? list(name) : { anyOf: [list(name), ref('Value')] }),
        },
        ...problems(400, ...(more.length === 0 ? [] : [404])),
      },
    },
    post: {
      operationId: `create${id}`,
      summary: `Creates a ${what}.`,
      requestBody: body(name),
      responses: {
        201: { description: 'Created.', headers: { ...ETAG, ...LOCATION }, content: content(ref(name)) },
        ...problems(400, 409, 413, 422),
      },
    },
  };
}

function item(what: string, id: string, name: SchemaName, more: readonly object[]) {
  const isReferenced = name === 'DnsUpdateRecord';
  return {
    get: {
      operationId: `read${id}`,
      summary: `Reads a ${what}.`,
      parameters: [IF_MATCH, IF_NONE_MATCH, ...more],
      responses: {
        200: {
          description: 'It.',
          headers: ETAG,
          content: content(more.length === 0 ? ref(name) : { anyOf: [ref(name), ref('Value')] }),
        },
        304: { description: 'It is the version that was seen.', headers: ETAG },
        ...problems(400, 404, 412),
      },
    },
    put: {
      operationId: `replace${id}`,
      summary: `Replaces a ${what}.`,
      parameters: [IF_MATCH],
      requestBody: body(name),
      responses: {
        200: { description: 'Replaced.', headers: ETAG, content: content(ref(name)) },
        ...problems(400, 404, 412, 413, 422),
      },
    },
    delete: {
      operationId: `delete${id}`,
      summary: `Deletes a ${what}.`,
      parameters: [IF_MATCH],
      responses: { 204: { description: 'Deleted.' }, ...problems(400, 404, ...(isReferenced ? [409] : []), 412) },
    },
  };
}

function page(operationId: string, summary: string, name: SchemaName) {
  return {
    get: {
      operationId,
      summary,
      parameters: PAGES,
      responses: {
        200: { description: 'A page.', headers: LINK, content: content(list(name)) },
        ...problems(400, 404),
      },
    },
  };
}

function act(operationId: string, summary: string, taken: SchemaName | null, given: SchemaName, headers = {}) {
  return {
    post: {
      operationId,
      summary,
      ...(taken === null ? {} : { requestBody: body(taken) }),
      responses: {
        202: { description: 'What it leads to.', headers, content: content(ref(given)) },
        ...problems(400, ...(taken === null ? [404] : [409, 413, 422])),
      },
    },
  };
}

/** The pairs of a cloud and those of a cluster differ only in the ids of their operations. */
const pairs = (id: string) => ['key-value pair', id, 'KeyValuePair', [KEY]] as const;

const OPERATIONS: Readonly<Record<string, object>> = {
  '/openapi.json': {
    get: {
      operationId: 'readOpenapi',
      summary: 'This document.',
      responses: { 200: { description: 'This document.', content: content({ type: 'object' }) }, ...problems() },
    },
  },
  '/v2/projects/{project}/dns-update-records': collection('DNS Update Record', 'Record', 'DnsUpdateRecord', []),
  '/v2/projects/{project}/dns-update-records/{name}': item('DNS Update Record', 'Record', 'DnsUpdateRecord', []),
  '/v2/projects/{project}/logical-clouds/{cloud}/kv-pairs': collection(...pairs('CloudPair')),
  '/v2/projects/{project}/logical-clouds/{cloud}/kv-pairs/{kv}': item(...pairs('CloudPair')),
  '/v2/cluster-providers/{provider}/clusters/{cluster}/kv-pairs': collection(...pairs('ClusterPair')),
  '/v2/cluster-providers/{provider}/clusters/{cluster}/kv-pairs/{kv}': item(...pairs('ClusterPair')),
  '/v2/projects/{project}/manifests': page(
    'listManifests',
    'Lists the objects that a project should have in the cluster.',
    'Manifest',
  ),
  '/v2/projects/{project}/apps/{app}/manifests': page(
    'listAppManifests',
    'Lists the objects that an app should have in the cluster.',
    'Manifest',
  ),
  '/v2/projects/{project}/apps/{app}/instantiate': act(
    'instantiate',
    'Makes an app live with these services.',
    'App',
    'Instantiated',
    LINK,
  ),
  '/v2/projects/{project}/apps/{app}/terminate': act('terminate', 'Takes an app back.', null, 'Terminated'),
  '/v2/projects/{project}/apps/{app}/status': page(
    'readStatus',
    'Returns the state of publishing of each service and record.',
    'StatusRow',
  ),
};

function withNames(template: string, operations: object): object {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  if (names.length === 0) return operations;
  const schema = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' };
  return { parameters: names.map((name) => ({ name, in: 'path', required: true, schema })), ...operations };
}

function schemaOf(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

/** The OpenAPI document. */
export function openapi(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'zone53 intents: DNS Update Records',
      version: '2.0.0',
      description:
        'Which DNS providers a project has, which clouds and clusters use which, and where the services of an app are. ' +
        'Paths may also begin with /v2/project/, and end with a slash.',
    },
    paths: Object.fromEntries(PATHS.map(([template]) => [template, withNames(template, OPERATIONS[template] ?? {})])),
    components: {
      schemas: Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, schemaOf(schema)])),
    },
  };
}
