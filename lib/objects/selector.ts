// Label selectors as in Kubernetes: `matchLabels` and `matchExpressions`. Also used for annotations, and for the
// selectors in other APIs (a Gateway's listeners select Namespaces).

import type { Texts } from '../dns/own-text.ts';
import { isMapping, mapping } from './plain.ts';

type Requirement = {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
};

/** Requirements that must all hold. An empty selector selects everything. */
export type Selector = readonly Requirement[];

/** True when the labels (or annotations) meet all requirements of the selector. */
export function matchesSelector(selector: Selector, texts: Texts): boolean {
  return selector.every(({ key, operator, values }) => {
    const value = Object.hasOwn(texts, key) ? texts[key] : undefined;
    if (operator === 'Exists') return value !== undefined;
    if (operator === 'DoesNotExist') return value === undefined;
    // As in Kubernetes, NotIn also selects objects without the label.
    return (value !== undefined && values.includes(value)) === (operator === 'In');
  });
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
const FIELDS = ['matchLabels', 'matchExpressions'];

/** Parses an untrusted value; null when it is no selector. An empty mapping selects everything. */
export function parseSelector(value: unknown): Selector | null {
  if (!isMapping(value) || Object.keys(value).some((key) => !FIELDS.includes(key))) return null;
  const labels = value.matchLabels ?? {};
  const expressions = value.matchExpressions ?? [];
  if (!isMapping(labels) || !Array.isArray(expressions)) return null;
  const requirements: Requirement[] = [];
  for (const [key, text] of Object.entries(labels)) {
    if (typeof text !== 'string') return null;
    requirements.push({ key, operator: 'In', values: [text] });
  }
  for (const expression of expressions) {
    const requirement = parseRequirement(expression);
    if (requirement === null) return null;
    requirements.push(requirement);
  }
  return requirements;
}

function parseRequirement(value: unknown): Requirement | null {
  const { key, operator, values = [] } = mapping(value);
  const known = OPERATORS.find((one) => one === operator);
  const list = values === null ? [] : values;
  if (typeof key !== 'string' || key === '' || known === undefined || !Array.isArray(list)) return null;
  if (!list.every((one) => typeof one === 'string')) return null;
  const takesValues = known === 'In' || known === 'NotIn';
  return takesValues === list.length > 0 ? { key, operator: known, values: list } : null;
}

const KEY = String.raw`[^\s,()!=]+`;
const SET = new RegExp(String.raw`^(${KEY})\s+(in|notin)\s*\(([^()]*)\)$`);
const EQUAL = new RegExp(String.raw`^(${KEY})\s*(==|=|!=)\s*([^\s,()!=]*)$`);
const PRESENT = new RegExp(String.raw`^(!?)\s*(${KEY})$`);

/** Parses a selector as `kubectl -l` takes it: `app=web,tier in (a, b),!internal`. null when it is none. */
export function parseSelectorText(text: string): Selector | null {
  const requirements: Requirement[] = [];
  for (const part of text.split(/,(?![^(]*\))/)) {
    const requirement = parsePart(part.trim());
    if (requirement === null) return null;
    requirements.push(requirement);
  }
  return requirements;
}

function parsePart(part: string): Requirement | null {
  const [, inKey, word, list] = SET.exec(part) ?? [];
  if (inKey !== undefined) {
    const values = (list ?? '').split(',').map((value) => value.trim());
    return { key: inKey, operator: word === 'in' ? 'In' : 'NotIn', values };
  }
  const [, key, sign, value = ''] = EQUAL.exec(part) ?? [];
  if (key !== undefined) return { key, operator: sign === '!=' ? 'NotIn' : 'In', values: [value] };
  const [, not, present] = PRESENT.exec(part) ?? [];
  if (present === undefined) return null;
  return { key: present, operator: not === '!' ? 'DoesNotExist' : 'Exists', values: [] };
}
