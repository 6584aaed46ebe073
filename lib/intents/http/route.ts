// Parses the URL of a request into a route. Both spellings of the design are accepted, /v2/project/ and /v2/projects/,
// with and without a final slash. Names in a path are DNS labels.
import { isLabel } from '../model/names.ts';
import type { PairsOf } from '../state/items.ts';

export type Route =
  | { readonly kind: 'openapi' }
  | { readonly kind: 'records'; readonly project: string }
  | { readonly kind: 'record'; readonly project: string; readonly name: string }
  | { readonly kind: 'pairs'; readonly of: PairsOf }
  | { readonly kind: 'pair'; readonly of: PairsOf; readonly name: string }
  | { readonly kind: 'manifests'; readonly project: string; readonly app: string | null }
  | { readonly kind: 'instantiate' | 'terminate' | 'status'; readonly project: string; readonly app: string };

export type Routed =
  | { readonly kind: 'found'; readonly route: Route; readonly query: URLSearchParams; readonly path: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'bad-name'; readonly parameter: string; readonly name: string };

type Names = Readonly<Record<string, string>>;

const cloud = ({ project = '', cloud = '' }: Names): PairsOf => ({ kind: 'cloud', project, cloud });
const cluster = ({ provider = '', cluster = '' }: Names): PairsOf => ({ kind: 'cluster', provider, cluster });
const ofApp =
  (kind: 'instantiate' | 'terminate' | 'status') =>
  ({ project = '', app = '' }: Names): Route => ({ kind, project, app });

/** Every path, with the names in it. */
export const PATHS: readonly (readonly [string, (names: Names) => Route])[] = [
  ['/openapi.json', () => ({ kind: 'openapi' })],
  ['/v2/projects/{project}/dns-update-records', ({ project = '' }) => ({ kind: 'records', project })],
  [
    '/v2/projects/{project}/dns-update-records/{name}',
    ({ project = '', name = '' }) => ({ kind: 'record', project, name }),
  ],
  ['/v2/projects/{project}/logical-clouds/{cloud}/kv-pairs', (names) => ({ kind: 'pairs', of: cloud(names) })],
  [
    '/v2/projects/{project}/logical-clouds/{cloud}/kv-pairs/{kv}',
    (names) => ({ kind: 'pair', of: cloud(names), name: names.kv ?? '' }),
  ],
  ['/v2/cluster-providers/{provider}/clusters/{cluster}/kv-pairs', (names) => ({ kind: 'pairs', of: cluster(names) })],
  [
    '/v2/cluster-providers/{provider}/clusters/{cluster}/kv-pairs/{kv}',
    (names) => ({ kind: 'pair', of: cluster(names), name: names.kv ?? '' }),
  ],
  ['/v2/projects/{project}/manifests', ({ project = '' }) => ({ kind: 'manifests', project, app: null })],
  [
    '/v2/projects/{project}/apps/{app}/manifests',
    ({ project = '', app = '' }) => ({ kind: 'manifests', project, app }),
  ],
  ['/v2/projects/{project}/apps/{app}/instantiate', ofApp('instantiate')],
  ['/v2/projects/{project}/apps/{app}/terminate', ofApp('terminate')],
  ['/v2/projects/{project}/apps/{app}/status', ofApp('status')],
];

const TEMPLATES = PATHS.map(([template, build]) => ({ parts: template.split('/').slice(1), build }));

/** Parses the target of a request. */
export function routeOf(target: string): Routed {
  // A request to a proxy has an absolute URL (RFC 9112, 3.2.2).
  const [, path = '', search = ''] = /^([^?]*)\??(.*)$/s.exec(target.replace(/^https?:\/\/[^/?]*/i, '')) ?? [];
  const parts = path
    .replace(/(.)\/$/, '$1')
    .split('/')
    .slice(1)
    .map(decodePart);
  if (parts[0] === 'v2' && parts[1] === 'project') parts[1] = 'projects';
  for (const { parts: template, build } of TEMPLATES) {
    const names = matched(template, parts);
    if (names === null) continue;
    const bad = Object.entries(names).find(([, name]) => !isLabel(name));
    if (bad !== undefined) return { kind: 'bad-name', parameter: bad[0], name: bad[1] };
    return { kind: 'found', route: build(names), query: new URLSearchParams(search), path };
  }
  return { kind: 'unknown' };
}

function matched(template: readonly string[], parts: readonly string[]): Names | null {
  if (template.length !== parts.length) return null;
  const names: Record<string, string> = {};
  for (const [index, wanted] of template.entries()) {
    const part = parts[index] ?? '';
    if (wanted.startsWith('{')) names[wanted.slice(1, -1)] = part;
    else if (wanted !== part) return null;
  }
  return names;
}

/** A part with a wrong escape is left as it is: then it is not a valid name. */
function decodePart(part: string): string {
  return /%(?![0-9A-Fa-f]{2})|%[89A-Fa-f]/.test(part) ? part : decodeURIComponent(part);
}
