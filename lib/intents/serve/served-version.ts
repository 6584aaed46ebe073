// The version and the generation of a DNSEndpoint that an intent asks for. Both are derived from its content, so they
// tell whether the pipeline has observed, and reported, the present content.
import { digestOf } from '../../ledger/canonical-json.ts';
import type { JsonValue } from '../../ports/ledger.ts';
import type { EndpointSet } from '../manifests/served.ts';

const VERSION = 'intent-';

export function versionOf(sets: readonly EndpointSet[]): string {
  return `${VERSION}${digest(sets).slice(0, 16)}`;
}

/** True for a version that `versionOf` made. */
export function isOfIntent(version: string): boolean {
  return version.startsWith(VERSION);
}

/** Its generation, for `observedGeneration` in its conditions. It is not ordered: a later one may be smaller. */
export function generationOf(sets: readonly EndpointSet[]): number {
  // 48 bits, so that it stays an exact number in JSON.
  return Number.parseInt(digest(sets).slice(0, 12), 16);
}

function digest(sets: readonly EndpointSet[]): string {
  return digestOf(sets as unknown as JsonValue);
}
