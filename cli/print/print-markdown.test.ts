import { expect, test } from 'vitest';
import { bare, change, denied, error, hostedZone, invalid, plan, record } from '../../test/support/output-samples.ts';
import type { ChangeOutput, PlanOutput } from './output.ts';
import { printMarkdown } from './print-markdown.ts';

const planOf = (...changes: readonly ChangeOutput[]): PlanOutput => ({
  hostedZones: [hostedZone(changes)],
  errors: [],
});
const creates = (count: number, parts: Partial<ChangeOutput> = {}): readonly ChangeOutput[] =>
  Array.from({ length: count }, (_, at) => change('create', { name: `n${at}.example.org.`, ...parts }));

/** The page without its code spans: what GitHub would read as Markdown. */
function outsideSpans(markdown: string): string {
  return markdown
    .split('\n')
    .flatMap((line) => (line.startsWith('|') ? line.split(/(?<!\\)\|/) : [line]))
    .map((part) => part.replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, ''))
    .join('\n');
}

test('printMarkdown() has a summary, and a table for each hosted zone with both sides of a change', () => {
  const text = printMarkdown(planOf(change('update'), change('create', { name: 'new.example.org.' })));
  expect(text).toBe(`## DNS plan

1 to create, 1 to update, 0 to delete, in 1 hosted zone.

### \`example.org.\`

hosted zone \`Z1\`, Zone \`default/example\`

| change | name | type | before | after | objects |
|---|---|---|---|---|---|
| update | \`www.example.org.\` | \`A\` | \`ttl 300\`<br>\`192.0.2.1\`<br>\`192.0.2.2\` | \`ttl 60\`<br>\`192.0.2.2\`<br>\`192.0.2.3\` | \`Record default/www\` |
| create | \`new.example.org.\` | \`A\` |  | \`ttl 60\`<br>\`192.0.2.2\`<br>\`192.0.2.3\` | \`Record default/www\` |
`);
});

test('printMarkdown() says so if there is nothing to do', () => {
  expect(printMarkdown(planOf())).toBe('## DNS plan\n\nNothing to do.\n');
});

test('printMarkdown() puts what is held, refused, invalid and unread before all tables', () => {
  const records = [record(denied), { ...invalid, name: 'bad', origin: { file: 'dns/a.yaml', line: 7 } }];
  const text = printMarkdown({ ...plan, errors: [error], resolved: { ...bare, records } });
  const parts = ['### Held', '3 of 4 record sets', '### Delegations', 'DelegationDenied', '### Not accepted'];
  const order = [...parts, 'InvalidSpec', '### Not read', '### `example.org.`', 'delete: **held**'];
  expect(order.map((part) => text.indexOf(part))).toEqual(order.map((part) => text.indexOf(part)).toSorted(byNumber));
  expect(text).toContain('- `example.org.`: 1 change held\n- `3 of 4 record sets would be deleted.`\n');
  expect(text).toContain('`Record a/bad` (`dns/a.yaml:7`), InvalidSpec: `no rule\\027[2J`');
  expect(text).toContain('- `a:1`: `b`');
});

function byNumber(a: number, b: number): number {
  return a - b;
}

test('printMarkdown() says what stands in the way, and what is deleted with a change', () => {
  const also = [{ action: 'delete' as const, name: 'txt.example.org.', type: 'TXT' }];
  const text = printMarkdown(planOf(change('create', { standing: 'foreign', message: 'Somebody has it.', also })));
  expect(printMarkdown(planOf(change('create', { standing: 'equal' })))).toContain('| create: **foreign** |');
  expect(text).toContain('<br>delete `txt.example.org. TXT`<br>`Somebody has it.` |');
});

test.each([
  ['20 changes', [20], 0],
  ['21 changes', [21], 1],
  ['ten hosted zones', Array.from({ length: 10 }, () => 1), 0],
  ['eleven hosted zones', Array.from({ length: 11 }, () => 1), 11],
])('printMarkdown() folds what is long: %s', (_, sizes, folded) => {
  const text = printMarkdown({ hostedZones: sizes.map((size) => hostedZone(creates(size))), errors: [] });
  expect(text.match(/<details><summary>\d+ to create<\/summary>\n\n\| change/g) ?? []).toHaveLength(folded);
  expect(text.match(/\n\n<\/details>/g) ?? []).toHaveLength(folded);
});

test.each([
  ['in one hosted zone', [10_000]],
  ['in a large and many small ones', [9_900, ...Array.from({ length: 100 }, () => 1)]],
  ['in as many hosted zones', Array.from({ length: 10_000 }, () => 1)],
])('printMarkdown() has at most 65,000 characters for 10,000 changes %s', (_, sizes) => {
  const text = printMarkdown({ hostedZones: sizes.map((size) => hostedZone(creates(size))), errors: [] });
  expect(text.length).toBeLessThanOrEqual(65_000);
  expect(text.length).toBeGreaterThan(55_000);
  expect(text).toContain('10000 to create');
  expect(text).toMatch(/… and \d+ more/);
  expect(text.match(/<details>/g)).toHaveLength(text.match(/<\/details>/g)?.length ?? 0);
});

test('printMarkdown() shows deletes of a long table first', () => {
  const text = printMarkdown(planOf(...creates(10_000), change('delete', { name: 'last.example.org.' })));
  expect(text).toContain('| delete | `last.example.org.`');
});

test('printMarkdown() has at most 65,000 characters for long values, messages and errors', () => {
  const long = '\u202e'.repeat(5_000);
  const records = Array.from({ length: 2_000 }, (_, at) => ({
    ...record({ ...denied, message: long }),
    name: `r${at}`,
  }));
  const text = printMarkdown({
    hostedZones: [hostedZone(creates(50, { after: { ttl: 1, values: Array.from({ length: 400 }, () => long) } }))],
    errors: Array.from({ length: 500 }, (_, line) => ({ file: long, line, message: long })),
    resolved: { ...bare, records },
  });
  expect(text.length).toBeLessThanOrEqual(65_000);
  expect(text).toContain('### `example.org.`');
});

const HOSTILE = [
  '@everyone',
  '<img src=x onerror=alert(1)>',
  '</details>',
  '[click](https://evil.example)',
  'https://evil.example',
  '![x](https://evil.example/x.png)',
  '`@everyone`',
  '`` @everyone ``|@everyone',
  'a|@everyone|b',
  '\\|@everyone\\',
  '\n# @everyone',
  '\r\n\r\n- @everyone',
  '\u2028@everyone',
  '-->\u0085<!--',
  '**evil**',
  '#1 GH-1',
];

test.each(HOSTILE)('printMarkdown() has only in code spans what comes from an object: %j', (text) => {
  const hostile = change('create', {
    ...{ name: text, type: text, setIdentifier: text, objects: [text], standing: 'foreign', message: text },
    after: { ttl: 1, values: [text], routing: { weight: text }, healthCheckId: text },
    also: [{ action: 'delete', name: text, type: text }],
  });
  const alias = { hostedZoneId: text, dnsName: text, evaluateTargetHealth: true };
  const changes = [hostile, change('delete', { why: text }), change('create', { after: { alias } })];
  const page = printMarkdown({
    hostedZones: [
      { ...hostedZone(changes), id: text, name: text, zone: text, held: true, reasons: [text], notes: [text] },
      { ...hostedZone(changes), reasons: [text], changes: [...changes, ...creates(30)] },
    ],
    errors: [{ file: text, line: 1, message: text }],
    ledger: { zones: [text], says: text },
    resolved: {
      ...bare,
      records: [
        { ...record({ ...denied, message: text }), namespace: text, name: text, origin: { file: text, line: 1 } },
      ],
      sources: [{ kind: 'Ingress', namespace: text, name: text, endpoints: [], problems: [text], notes: [] }],
    },
  });
  const rest = outsideSpans(page);
  expect(rest).not.toMatch(/everyone|evil|<img|-->|<!--|#1|\[|\]|[^\n -~…]/);
  expect(rest.match(/<[^>]*>/g)?.filter((tag) => !/^<(br|\/?details|\/?summary)>$/.test(tag))).toEqual([]);
  const columns = page.split('\n').filter((line) => line.startsWith('|'));
  expect(columns.length).toBeGreaterThan(6);
  for (const line of columns) expect(line.match(/(?<!\\)\|/g), line).toHaveLength(7);
});
