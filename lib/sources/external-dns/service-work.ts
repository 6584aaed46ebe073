// The state while the endpoints of a Service are collected, and its EndpointSlices and Nodes.
import { compareText } from '../../dns/names/compare-text.ts';
import { readIpv4, readIpv6 } from '../../dns/rdata/address.ts';
import { at, listAt, textAt } from '../../objects/plain.ts';
import type { RelatedObject, RelatedObjects } from '../../objects/related.ts';
import type { SourceObject } from '../../objects/source.ts';
import type { SourceSettings } from '../../objects/source-settings.ts';
import { SERVICE_LABEL } from '../common/record-queries.ts';
import type { Annotations, Written } from './annotations.ts';
import type { Asking } from './ask.ts';

export type ServiceWork = {
  readonly object: SourceObject;
  readonly settings: SourceSettings;
  readonly annotations: Annotations;
  readonly related: RelatedObjects;
  readonly asking: Asking;
};

/** One endpoint of a slice, untrusted, and its place. */
export type SliceEndpoint = { readonly path: string; readonly endpoint: unknown };

/** All endpoints of a Service's slices that have addresses, ordered by slice. */
export function sliceEndpoints({ object, related }: ServiceWork): readonly SliceEndpoint[] {
  const { namespace, name } = object.ref;
  return related.list('EndpointSlice', namespace, { key: SERVICE_LABEL, value: name }).flatMap(({ ref, facts }) => {
    const type = textAt(facts, 'addressType');
    if (type !== 'IPv4' && type !== 'IPv6') return [];
    return listAt(facts, 'endpoints').map((endpoint) => ({ path: `EndpointSlice ${ref.name}`, endpoint }));
  });
}

/** True unless the slice says that the endpoint is not ready. */
export function isReady(endpoint: unknown): boolean {
  return at(endpoint, 'conditions', 'ready') !== false;
}

/** The addresses of one type that a Node has, such as `InternalIP`. Values that are not addresses are left out. */
export function nodeAddresses(node: RelatedObject, kind: string): readonly Written[] {
  return listAt(node.facts, 'status', 'addresses').flatMap((address) => {
    const text = textAt(address, 'type') === kind ? textAt(address, 'address') : null;
    return text === null || !isAddress(text) ? [] : [{ text, path: `Node ${node.ref.name}` }];
  });
}

export function isAddress(text: string): boolean {
  return readIpv4(text) !== null || readIpv6(text) !== null;
}

export function firstOfEachFamily(targets: readonly Written[]): readonly Written[] {
  const four = targets.find(({ text }) => readIpv4(text) !== null);
  const six = targets.find(({ text }) => readIpv6(text) !== null);
  return [four, six].filter((target) => target !== undefined);
}

/** The entries of a map, ordered by key. */
export function inOrder<Value>(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] {
  return [...map].toSorted(([a], [b]) => compareText(a, b));
}
