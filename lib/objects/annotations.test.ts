import { expect, test } from 'vitest';
import { annotationNotes, asksForTakeover } from './annotations.ts';

const TAKEOVER = 'zone53.dev/takeover';

test.each(['true', ' true', 'true\n'])('takeover: %j asks for takeover', (value) => {
  expect(asksForTakeover({ annotations: { [TAKEOVER]: value } })).toBe(true);
  expect(annotationNotes({ annotations: { [TAKEOVER]: value } }, true)).toEqual([]);
});

test.each(['false', 'False', 'no', '', 'off'])('takeover: %j asks for nothing, and that is said in words', (value) => {
  expect(asksForTakeover({ annotations: { [TAKEOVER]: value } })).toBe(false);
  expect(annotationNotes({ annotations: { [TAKEOVER]: value } }, true)).toEqual([]);
});

test.each(['yes', 'True', 'TRUE', 'on', '1', 'ture', 'true,false'])(
  'takeover: %j has no effect, with a note',
  (value) => {
    expect(asksForTakeover({ annotations: { [TAKEOVER]: value } })).toBe(false);
    expect(annotationNotes({ annotations: { [TAKEOVER]: value } }, true)).toEqual([
      `annotation ${TAKEOVER}: "${value}" has no effect; only "true" has`,
    ]);
  },
);

test('an annotation that is a list is a note', () => {
  expect(annotationNotes({ annotations: {}, oddAnnotations: { [TAKEOVER]: 'a list' } }, true)).toEqual([
    `annotation ${TAKEOVER}: expected a text in quotes, got a list`,
  ]);
});

test.each([
  ['zone53.dev/take-over', TAKEOVER],
  ['zone53.dev/takover', TAKEOVER],
  ['zone53.dev/Takeover', TAKEOVER],
  ['zone53.io/takeover', TAKEOVER],
  ['zone53/takeover', TAKEOVER],
  ['zone-53.dev/takeover', TAKEOVER],
  ['zone35.dev/takeover', TAKEOVER],
  ['kubi.zone/takeover', TAKEOVER],
  ['takeover', TAKEOVER],
  ['zone53.dev.takeover', TAKEOVER],
  ['zone53.dev/acknowledge_plan', 'zone53.dev/acknowledge-plan'],
  ['zone53.dev/acknowlege-plan', 'zone53.dev/acknowledge-plan'],
])('%s is not read', (key, meant) => {
  expect(annotationNotes({ annotations: { [key]: 'true' } }, true)).toEqual([
    `annotation ${key} is not read: did you mean ${meant}?`,
  ]);
});

test('a key of ours that does not exist is a note with those that do', () => {
  expect(annotationNotes({ annotations: { 'zone53.dev/owner': 'me' } }, true)).toEqual([
    `annotation zone53.dev/owner is not read: those of a Zone are ${TAKEOVER}, zone53.dev/acknowledge-plan and zone53.dev/deletion-policy`,
  ]);
});

test('a health check on a Zone or a Record is a note that says where it belongs', () => {
  const key = 'zone53.dev/health-check';
  expect(annotationNotes({ annotations: { [key]: 'https://a.example' } }, false)).toEqual([
    `annotation ${key} has no effect here: write spec.routing.healthCheck into a Record`,
  ]);
});

test('keys of others are silent', () => {
  const annotations = {
    'kubectl.kubernetes.io/last-applied-configuration': '{}',
    'argocd.argoproj.io/sync-wave': '1',
    'acme.example/takeover': 'true',
    'kubi.zone/parent': 'x',
    note: 'x',
  };
  expect(annotationNotes({ annotations }, true)).toEqual([]);
});

test('on another object than a Zone takeover has no effect, which is a note', () => {
  expect(annotationNotes({ annotations: { [TAKEOVER]: 'true' } }, false)).toEqual([
    `annotation ${TAKEOVER} has no effect here: it counts on a Zone`,
  ]);
});
