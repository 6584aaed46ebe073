// For which namespace a record set counts at the guard, and which of its changes the guard may hold. Pure.
import { type RecordSetContent, sameContent } from '../dns/record-set.ts';
import { OUTSIDER } from './flip-breaker.ts';
import type { RecordSetItem } from './record-set-item.ts';

/** The namespace of what no object asks for. It is no name of a namespace. */
const NO_NAMESPACE = '-';

type Asked = Pick<RecordSetItem, 'publishedObjects' | 'objects'> &
  Partial<Pick<RecordSetItem, 'takenFrom' | 'inherits'>>;

function publishedFor({ publishedObjects }: Asked): readonly string[] {
  return publishedObjects.filter((one) => one !== OUTSIDER);
}

/** The namespace of the first of these objects ("Record ns/name"). */
export function guardedNamespace(objects: readonly string[]): string {
  return /^\S+ ([^/]+)\//.exec(objects[0] ?? '')?.[1] ?? NO_NAMESPACE;
}

/**
 * True for what the guard neither counts nor holds: the SOA; what a Zone derives from the addresses of hosts, with
 * which it comes and goes; what came from another cluster, to be replaced; and what a view inherits.
 */
export function isUncounted(item: Pick<RecordSetItem, 'type'> & Asked): boolean {
  if (item.type === 'SOA') return true;
  const asked = publishedFor(item);
  const isNobodys = item.takenFrom !== undefined || item.inherits === true;
  if (isNobodys && asked.length === 0 && item.objects.length === 0) return true;
  return isDerived({ type: item.type, objects: asked.length > 0 ? asked : item.objects });
}

/** Only a Zone itself asks for these: CNAMEs that delegate ACME challenges, HTTPS and PTR records of addresses. */
const DERIVED_TYPES = ['CNAME', 'HTTPS', 'PTR'];

/** True for a record set that a Zone derives from the addresses of hosts: `spec.acme`, `spec.https`, `spec.ptr`. */
export function isDerived({ type, objects }: Pick<RecordSetItem, 'type' | 'objects'>): boolean {
  return DERIVED_TYPES.includes(type) && objects.length > 0 && objects.every((object) => object.startsWith('Zone '));
}

/** True for a CNAME with which a Zone delegates an ACME challenge. It never takes over: a TXT there is in use. */
export function isDelegation(item: Pick<RecordSetItem, 'type' | 'objects'>): boolean {
  return item.type === 'CNAME' && isDerived(item);
}

/** The namespace for which an item counts: of those who ask for what is published, or was; else for what is desired. */
export function countedNamespace(item: Asked): string {
  const asked = publishedFor(item);
  return guardedNamespace(asked.length > 0 ? asked : item.objects);
}

type Sides = Pick<RecordSetItem, 'type' | 'desired' | 'published'>;

/** True for a record set that changes, and that less than half of the objects ask for that asked for it before. */
export function losesObjects(item: Sides & Asked): boolean {
  const { desired, published, objects } = item;
  if (desired === null || published === null || sameContent(desired, published)) return false;
  return 2 * objects.length < publishedFor(item).length;
}

/** True for an NS record set that would lose a server. */
export function losesServer(type: string, before: RecordSetContent | null, after: RecordSetContent | null): boolean {
  if (type !== 'NS' || before?.kind !== 'values' || after?.kind !== 'values') return false;
  return before.values.some((server) => !after.values.includes(server));
}

/** True for what the guard may hold: a delete, and a change by which objects or name servers are lost. */
export function mayBeHeld(item: Sides & Asked & Pick<RecordSetItem, 'lost'>): boolean {
  const { type, desired, published, lost } = item;
  if (lost !== undefined || losesObjects(item) || losesServer(type, published, desired)) return true;
  return desired === null && published !== null && !isUncounted(item);
}
