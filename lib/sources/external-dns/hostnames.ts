// Collects the names that an object asks for: from its own hosts, annotations, or the operator's template. Each is
// canonical and appears once.
import { readName } from '../../dns/names/name.ts';
import { quote } from '../../dns/names/quote.ts';
import { whatToRemove, whyNoHost } from '../../dns/rdata/almost-host.ts';
import type { ObjectRef } from '../../objects/object-ref.ts';
import {
  type Annotation,
  type Annotations,
  aboutAnnotation,
  listOf,
  readWord,
  type Written,
  writtenIn,
} from './annotations.ts';
import type { Draft } from './draft.ts';
import { isAllHosts } from './prefixes.ts';

/** The hosts that the operator's template makes for an object. */
export function hostsOfTemplate(template: string | null, { name, namespace }: ObjectRef): readonly Written[] {
  if (template === null) return [];
  const made = template.replace(/\{(name|namespace)\}/g, (_, field) => (field === 'name' ? name : namespace));
  return listOf(made).map((text) => ({ text, path: 'hostnameTemplate' }));
}

/**
 * The hosts that the annotation `hostname` lists. What stands for the hosts in the object's own spec is left out, since
 * these count anyway; `hasOwn` false: an object without such hosts, of which a note says so.
 */
export function hostsIn(annotations: Annotations, hasOwn: boolean, { note }: Draft): readonly Written[] {
  const hosts = writtenIn(annotations('hostname'));
  const all = hosts.find(isAllHosts);
  if (all !== undefined && !hasOwn)
    note(`${all.path}: ${quote(all.text)} asks for nothing: there are no hosts in its spec`);
  return hosts.filter((host) => !isAllHosts(host));
}

/** The allowed origin of names by an annotation; null: any. An unknown value is a problem, and null. */
export function hostnameSource(
  found: Annotation | null,
  draft: Draft,
): 'defined-hosts-only' | 'annotation-only' | null {
  const word = readWord(found, ['defined-hosts-only', 'annotation-only']);
  if (found !== null && word === undefined)
    draft.problem(
      aboutAnnotation(
        found,
        'is not a source of hostnames, so both count; write defined-hosts-only or annotation-only',
      ),
    );
  return word ?? null;
}

/** The canonical names of hosts, each once. A host that is not a name is a problem and left out. */
export function namesOf(hosts: readonly Written[], draft: Draft): readonly string[] {
  const names = [...new Set(hosts.flatMap((host) => nameOf(host, draft) ?? []))];
  for (const name of names) draft.want(name);
  return names;
}

/** Notes that the object asks for these hosts in vain. What is no name among them is left out without a problem. */
export function lackNames(hosts: readonly Written[], why: string, draft: Draft): void {
  for (const { text } of hosts) {
    const parsed = readName(text, { wildcard: true });
    if (parsed.ok && isNoHost(parsed.name) === null) draft.lack(parsed.name, why);
  }
}

/** The canonical name of one host; null if it is not a name, which is a problem. */
export function nameOf({ text, path }: Written, draft: Draft): string | null {
  const parsed = readName(text, { wildcard: true });
  const advice = whatToRemove(text);
  const problems = parsed.ok ? (isNoHost(parsed.name) ?? []) : advice === '' ? parsed.problems : [advice];
  if (parsed.ok && problems.length === 0) return parsed.name;
  draft.problem(`${path}: ${quote(text)} is not a name: ${problems.join('; ')}`, null);
  return null;
}

function isNoHost(name: string): readonly string[] | null {
  if (name === '.') return ['it is the DNS root, which cannot be published'];
  if (/^(?:[0-9]+\.){4}$/.test(name)) return ['it is an IP address'];
  const wrong = whyNoHost(name);
  return wrong === null ? null : [`it ${wrong}`];
}
