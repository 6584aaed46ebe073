// The type of an operation of the endpoint: a method and a path, and the function from a request to an XML document.

import type { Route53State } from '../model/state.ts';
import { invalidInput } from '../values/route53-error.ts';
import { writeXml, type XmlContent } from './xml.ts';

type OperationRequest = {
  /** What the groups of the path pattern matched, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: string;
};

export type OperationResponse = {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Operation = {
  readonly name: string;
  readonly method: string;
  readonly path: RegExp;
  readonly run: (state: Route53State, request: OperationRequest) => OperationResponse;
};

/** The answer of an operation that succeeded. */
export function ok(rootName: string, content: XmlContent): OperationResponse {
  return { status: 200, body: writeXml(rootName, content) };
}

/** The answer of an operation that created something, with the path of what it created. */
export function created(rootName: string, content: XmlContent, path: string): OperationResponse {
  const headers = { Location: `https://route53.amazonaws.com/2013-04-01/${path}` };
  return { status: 201, headers, body: writeXml(rootName, content) };
}

/** How many items a page may have; null where the request does not say. */
export function maxItems(query: URLSearchParams, parameter = 'maxitems'): number | null {
  const text = query.get(parameter);
  if (text === null) return null;
  if (!/^[1-9]\d{0,9}$/.test(text)) throw invalidInput(`The value of MaxItems is not valid: '${text}'`);
  return Number(text);
}
