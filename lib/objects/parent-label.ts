// The label with an object's parent Zone, for `kubectl get records -l kubi.zone/parent-zone=…`. Kubizone defined it:
// `<name>.<namespace>`. A label value has at most 63 characters. A longer one is cut and gets a hash, and an annotation
// with the same key has it in full. zone53 only writes the label and decides nothing by it.
import { hash } from 'node:crypto';
import type { Texts } from '../dns/own-text.ts';
import type { ZoneKey } from './object-ref.ts';

/** The key of the label and of the annotation. */
export const PARENT_KEY = 'kubi.zone/parent-zone';

/** Maximum length of a label's value (Kubernetes "Labels and Selectors"). Last verified 2026-11-21. */
const LABEL_CHARACTERS_MAX = 63;

/** The values of label and annotation for a parent; null when there is to be none. */
export function parentLabel(parent: ZoneKey | null): {
  readonly label: string | null;
  readonly annotation: string | null;
} {
  if (parent === null) return { label: null, annotation: null };
  const slash = parent.indexOf('/');
  const whole = `${parent.slice(slash + 1)}.${parent.slice(0, slash)}`;
  if (whole.length <= LABEL_CHARACTERS_MAX) return { label: whole, annotation: null };
  const digest = hash('sha256', whole, 'hex').slice(0, 8);
  return { label: `${whole.slice(0, 54)}-${digest}`, annotation: whole };
}

/** True when label and annotation are exactly those of this parent. */
export function showsParent(
  shown: { readonly labels: Texts; readonly annotations: Texts },
  parent: ZoneKey | null,
): boolean {
  const { label, annotation } = parentLabel(parent);
  return (shown.labels[PARENT_KEY] ?? null) === label && (shown.annotations[PARENT_KEY] ?? null) === annotation;
}
