// DNS Update Records over HTTP.

import { readItem } from '../../ledger/item-codec.ts';
import { ignoredOf } from '../manifests/ignored.ts';
import type { Problem } from '../model/problem.ts';
import { buildRecord, type DnsUpdateRecord, recordBody, recordProblems } from '../model/record.ts';
import { recordCodec } from '../state/items.ts';
import { noteRemoval } from '../state/projects.ts';
import { referencesTo } from '../state/references.ts';
import { create, page, remove, replace } from '../state/store.ts';
import type { IntentDeps } from './deps.ts';
import { type Answer, badBody, exists, NO_CONTENT, problem, type Request } from './message.ts';
import { type PageQuery, pageAnswer } from './pages.ts';
import { ifNew, preconditionOf, withEtag } from './precondition.ts';
import { readBody, tooLargeToKeep } from './read-body.ts';

/** A record as answers show it, without its secrets. */
function shown(record: DnsUpdateRecord): object {
  const { metadata, provider, parameters } = record;
  return {
    metadata,
    spec: { provider, 'external-dns-parameters': parameters },
    ignored: ignoredOf(record),
  };
}

const missing = (project: string, name: string) => problem(404, `Project ${project} has no DNS Update Record ${name}`);
const changed = (name: string) => problem(412, `DNS Update Record ${name} is another version by now: read it again`);

export async function listRecords({ state }: IntentDeps, project: string, query: PageQuery): Promise<Answer> {
  const range = { partition: state.keys.partitions.records, prefix: `${project}/` };
  const found = await page(state.ledger, range, recordCodec, query);
  return pageAnswer(found, found.items.map(shown), ({ metadata }) => metadata.name, query);
}

export async function readRecord(
  { state }: IntentDeps,
  project: string,
  name: string,
  { headers }: Request,
): Promise<Answer> {
  const stored = await readItem(state.ledger, state.keys.record(project, name), recordCodec);
  return stored === null
    ? missing(project, name)
    : ifNew(headers, stored.revision, withEtag(200, shown(stored.item), stored));
}

export async function createRecord(deps: IntentDeps, project: string, request: Request): Promise<Answer> {
  const read = readBody(request, recordBody);
  if (!read.ok) return read.answer;
  const { state } = deps;
  const record = buildRecord(read.value, null);
  const problems = recordProblems(record, state.limits);
  if (problems.length > 0) return badBody(problems);
  const large = tooLargeToKeep('record', record);
  if (large !== null) return large;
  const { name } = record.metadata;
  const written = await create(state.ledger, state.keys.record(project, name), recordCodec, record);
  // Also if it exists: the call that created it may have been cut off.
  await deps.follow({ kind: 'project', project });
  if (written.kind !== 'written') return exists(`Project ${project} has a DNS Update Record ${name} already`);
  return withEtag(201, shown(record), written.stored, `/v2/projects/${project}/dns-update-records/${name}`);
}

export async function putRecord(deps: IntentDeps, project: string, name: string, request: Request): Promise<Answer> {
  const { state } = deps;
  const key = state.keys.record(project, name);
  if ((await readItem(state.ledger, key, recordCodec)) === null) return missing(project, name);
  const read = readBody(request, recordBody);
  if (!read.ok) return read.answer;
  const body = read.value;
  if (body.metadata.name !== name) return otherName(name);
  const large = tooLargeToKeep('record', body);
  if (large !== null) return large;
  let problems: readonly Problem[] = [];
  const precondition = preconditionOf(request.headers);
  const written = await replace(state.ledger, key, recordCodec, precondition, (before) => {
    const record = buildRecord(body, before);
    problems = recordProblems(record, state.limits);
    return problems.length > 0 ? null : record;
  });
  if (written.kind === 'written') {
    await deps.follow({ kind: 'project', project });
    return withEtag(200, shown(written.stored.item), written.stored);
  }
  if (written.kind === 'refused') return badBody(problems);
  return written.kind === 'changed' ? changed(name) : missing(project, name);
}

/** The answer to a body whose name differs from the one in the path. */
export function otherName(name: string): Answer {
  return badBody([{ path: ['metadata', 'name'], detail: `it must be the name in the address, ${name}` }]);
}

export async function deleteRecord(deps: IntentDeps, project: string, name: string, request: Request): Promise<Answer> {
  const { state } = deps;
  const key = state.keys.record(project, name);
  const stored = await readItem(state.ledger, key, recordCodec);
  if (stored === null) return missing(project, name);
  const precondition = preconditionOf(request.headers);
  if (precondition?.(stored.revision) === false) return changed(name);
  const references = await referencesTo(state, project, name);
  if (references.length > 0) {
    const detail = `DNS Update Record ${name} is on the list of ${references.slice(0, 10).join(', ')}: remove it there first`;
    return problem(409, detail);
  }
  await noteRemoval(state, project);
  const removed = await remove(state.ledger, key, recordCodec, precondition);
  if (removed === 'changed') return changed(name);
  if (removed === 'missing') return missing(project, name);
  await deps.follow({ kind: 'project', project });
  return NO_CONTENT;
}
