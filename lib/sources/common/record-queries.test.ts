import { expect, test } from 'vitest';
import { NOTHING_RELATED, queryText } from '../../objects/related.ts';
import { DEFAULT_SETTINGS } from '../../objects/source-settings.ts';
import { queriesOf } from './record-queries.ts';

const OBJECT = { ref: { kind: 'Service', namespace: 'n', name: 's' }, annotations: {}, labels: {}, spec: null };

test.each([
  ['a name', 'n', 'p-1.x', ['get Pod n/p-1.x']],
  ['no namespace, as of a Node', '', 'p', ['get Pod /p']],
  ...['..', '.', '', 'a/b', 'a%2fb', 'A', 'a'.repeat(254)].map(
    (name) => [`the name "${name}"`, 'n', name, []] as const,
  ),
  ['a namespace that is no label', '..', 'p', []],
] as const)('queriesOf() asks only for names that an object may have: %s', (_title, namespace, name, expected) => {
  const relatedOf = queriesOf((_object, _settings, related) => {
    related.get('Pod', namespace, name);
    return { ok: true, endpoints: [] };
  });
  expect(relatedOf(OBJECT, DEFAULT_SETTINGS, NOTHING_RELATED).map(queryText)).toEqual(expected);
});

test.each([
  ['n', ['list Pod n']],
  [null, ['list Pod *']],
  ['../x', []],
])('queriesOf() lists only namespaces that there may be: %s', (namespace, expected) => {
  const relatedOf = queriesOf((_object, _settings, related) => {
    related.list('Pod', namespace, null);
    return { ok: true, endpoints: [] };
  });
  expect(relatedOf(OBJECT, DEFAULT_SETTINGS, NOTHING_RELATED).map(queryText)).toEqual(expected);
});
