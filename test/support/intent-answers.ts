// Checks that an answer of the intent API follows its OpenAPI document, with a validator of another project (Ajv).
// Every answer that a test of intents gets is checked.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openapi } from '../../lib/intents/http/openapi.ts';

type Schema = Readonly<Record<string, unknown>>;
type Content = Readonly<Record<string, { readonly schema: Schema }>>;
type Response = { readonly headers?: Readonly<Record<string, unknown>>; readonly content?: Content };
type Operation = { readonly responses: Readonly<Record<string, Response>> };
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
type OpenApi = { readonly paths: Paths; readonly components: { readonly schemas: Readonly<Record<string, Schema>> } };

export type HttpAnswer = {
  readonly status: number;
  header(name: string): string | null;
  /** Null: there is none. */
  readonly body: unknown;
};

/** Answers that the document describes for no operation: an unknown path, another method, a server in trouble. */
const ANYWHERE = [404, 405, 500];
/** The answer to a body that is too large, for any operation. */
const TOO_LARGE = 413;

const PROBLEM: Content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

const document = openapi() as OpenApi;
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ $id: 'openapi', components: document.components });
const compiled = new Map<string, ValidateFunction>();

/** Throws an Error that says where an answer differs from the document. */
export function checkAnswer(method: string, target: string, answer: HttpAnswer): void {
  const what = `${method} ${target} ${answer.status}`;
  const operation = operationOf(method, target);
  const response = operation?.responses[String(answer.status)];
  if (response === undefined) {
    if (answer.status !== TOO_LARGE && (operation !== null || !ANYWHERE.includes(answer.status)))
      throw new Error(`${what}: the document has no such answer`);
    checkBody(what, answer, PROBLEM);
    return;
  }
  if (response.content !== undefined) checkBody(what, answer, response.content);
  else if (answer.body !== null) throw new Error(`${what}: a body where the document has none`);
  const promised = Object.keys(response.headers ?? {}).filter((name) => name !== 'Link');
  const missing = promised.find((name) => answer.header(name) === null);
  const isValue = target.includes('key=');
  const unsaid = ['ETag', 'Link', 'Location'].find((name) => answer.header(name) !== null && !response.headers?.[name]);
  if (unsaid !== undefined) throw new Error(`${what}: header ${unsaid} is not in the document`);
  if (missing !== undefined && !isValue) throw new Error(`${what}: header ${missing} is missing`);
}

function checkBody(what: string, answer: HttpAnswer, content: Content): void {
  const type = answer.header('content-type') ?? '';
  const schema = content[type]?.schema;
  if (schema === undefined) throw new Error(`${what}: content type "${type}" is not in the document`);
  const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
  const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
  compiled.set(text, validate);
  if (!validate(answer.body)) throw new Error(`${what}: ${ajv.errorsText(validate.errors)}`);
}

function operationOf(method: string, target: string): Operation | null {
  const path = target
    .replace(/\?.*/, '')
    .replace(/(.)\/$/, '$1')
    .replace(/^\/v2\/project\//, '/v2/projects/')
    .split('/');
  const template = Object.keys(document.paths).find((one) => {
    const parts = one.split('/');
    return parts.length === path.length && parts.every((part, index) => part.startsWith('{') || part === path[index]);
  });
  return document.paths[template ?? '']?.[method.toLowerCase()] ?? null;
}
