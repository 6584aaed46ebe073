// The label that names an object's parent Zone, for `kubectl get records -l kubi.zone/parent-zone=…`. It is Kubizone's:
// `<name>.<namespace>`. A label has room for 63 characters; a longer value is cut, a hash keeps it unique, and the
// whole stands in an annotation of the same key. It is output: nobody reads it to decide anything.
import { createHash } from 'node:crypto';
import type { ZoneKey } from './object-ref.ts';

/** Key of the label and of the annotation. */
export const PARENT_KEY = 'kubi.zone/parent-zone';

/** Characters of a label's value at most (Kubernetes "Labels and Selectors"). Last verified 2026-11-21. */
const LABEL_CHARACTERS_MAX = 63;

/** What label and annotation say for a parent; null where there is none. */
export function parentLabel(parent: ZoneKey | null): {
  readonly label: string | null;
  readonly annotation: string | null;
} {
  if (parent === null) return { label: null, annotation: null };
  const slash = parent.indexOf('/');
  const whole = `${parent.slice(slash + 1)}.${parent.slice(0, slash)}`;
  if (whole.length <= LABEL_CHARACTERS_MAX) return { label: whole, annotation: null };
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 8);
  return { label: `${whole.slice(0, 54)}-${hash}`, annotation: whole };
}

type Texts = Readonly<Record<string, string>>;

/** True when labels and annotations name this parent, and no other. */
export function showsParent(
  shown: { readonly labels: Texts; readonly annotations: Texts },
  parent: ZoneKey | null,
): boolean {
  const { label, annotation } = parentLabel(parent);
  return (shown.labels[PARENT_KEY] ?? null) === label && (shown.annotations[PARENT_KEY] ?? null) === annotation;
}
