// The examples of `-o json` on docs/plan-and-apply.md have the keys that the commands print, in their order.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { jsonExplanation } from '../../cli/account/print-explanation.ts';
import { jsonMigration } from '../../cli/account/print-migration.ts';
import type { ClusterOutput } from '../../cli/print/output.ts';
import { jsonApply } from '../../cli/print/print-apply.ts';
import { jsonPlan } from '../../cli/print/print-plan.ts';
import { jsonCluster } from '../../cli/print/print-render.ts';
import { formatJson } from '../../cli/print/terminal-text.ts';
import { accepted, change, hostedZone, world } from '../support/output-samples.ts';

const PAGE = readFileSync(path.join(import.meta.dirname, '..', '..', 'docs', 'plan-and-apply.md'), 'utf8');
const EXAMPLES = new Map(
  [...PAGE.matchAll(/^`(\w+) -o json`[^`]*(?:`[^`]+`[^`]*)*?```json\n([\s\S]*?)^```$/gm)].map(([, command, json]) => [
    command,
    JSON.parse(json ?? '') as unknown,
  ]),
);

const content = { kind: 'values', ttlSeconds: 60, values: ['192.0.2.1'] } as const;
const asked = { name: 'w.e.', type: 'A', setIdentifier: null, objects: ['Record a/w'] };
const cluster: ClusterOutput = {
  zones: world.zones.map((zone) => ({ ...zone, entries: zone.entries.slice(1) })),
  records: world.records,
  sources: [
    {
      ...{ kind: 'Ingress', namespace: 'a', name: 'i', problems: [], notes: [] },
      endpoints: [
        {
          ...{
            fqdn: 'w.e.',
            type: 'A',
            ttl: 60,
            values: ['192.0.2.1'],
            alias: null,
            setIdentifier: null,
            routing: null,
          },
          ...{ parent: 'a/z', conditions: [accepted] },
        },
      ],
    },
  ],
  waiting: [{ kind: 'Service', namespace: 'a', name: 's', fqdn: 's.e.', why: 'no address' }],
  errors: world.errors,
};
const read = change('update', { cluster: 'default', standing: 'none', message: '' });

const PRINTED: Readonly<Record<string, object>> = {
  render: jsonCluster(cluster),
  plan: jsonPlan({
    ...{ hostedZones: [hostedZone([read])], errors: [] },
    resolved: { zones: [], records: world.records, sources: [] },
  }),
  apply: jsonApply({
    hostedZones: [hostedZone([{ ...read, outcome: 'published', message: 'Published.' }])],
    ...{ zones: [], records: [], sources: [], errors: [] },
  }),
  explain: jsonExplanation({
    ...{
      name: 'w.e.',
      type: null,
      zone: 'a/z',
      hostedZone: { id: 'Z1', name: 'e.' },
      pending: [],
      held: [],
      advice: '',
    },
    objects: [
      {
        ...{ object: 'Record a/w', type: 'A', accepted: { reason: 'Adopted', message: '' }, parent: null },
        programmed: { reason: 'Published', message: '' },
      },
    ],
    route53: [{ type: 'A', setIdentifier: null, content, owner: 'zone53' }],
    protections: [{ type: 'A', comment: null }],
    claims: [
      {
        ...{ cluster: 'default', type: 'A', setIdentifier: null, content, objects: ['Record a/w'] },
        ...{ standby: false, sinceMs: 0, owns: true, reason: 'Published' },
      },
    ],
    published: [{ type: 'A', setIdentifier: null, content, atMs: 0 }],
    delegation: { path: [{ id: 'Z1', name: 'e.' }], cut: null, answer: [], unread: null, problem: null },
  }),
  migrate: jsonMigration({
    hostedZones: [
      {
        ...{ id: 'Z1', name: 'e.', owner: 'o', update: [], unwanted: [], foreign: [] },
        adopt: [{ ...asked, standing: content, wanted: content }],
      },
    ],
  } as unknown as Parameters<typeof jsonMigration>[0]),
};

/** A value with its keys alone: of a list, those of its first item. */
function keysOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(keysOf);
  if (typeof value !== 'object' || value === null) return null;
  return Object.entries(value).map(([key, of]) => [key, keysOf(of)]);
}

test.each(Object.entries(PRINTED))('%s', (command, printed) => {
  expect(keysOf(EXAMPLES.get(command))).toEqual(keysOf(JSON.parse(formatJson(printed))));
});
