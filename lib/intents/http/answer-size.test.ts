// Lambda gives back 6 MB at most: an answer that would be larger is a page.
import { expect, test } from 'vitest';
import { CLOUD, intentClient, listBody, RECORDS, recordBody } from '../../../test/support/intent-client.ts';

/** What Lambda takes of a function: the answer as JSON. */
const LAMBDA_OCTETS_MAX = 6 * 1024 * 1024;
const APP = '/v2/projects/shop/apps/web';

type Client = ReturnType<typeof intentClient>;

/** All items of a list from a URL on, and the size of its largest page as Lambda counts it. */
async function follow({ ask }: Client, target: string) {
  const items: unknown[] = [];
  let largest = 0;
  for (let next: string | undefined = target; next !== undefined; ) {
    const { body, headers } = await ask('GET', next);
    items.push(...body);
    largest = Math.max(largest, octets(body));
    next = linksIn(headers.link)[0];
  }
  return { items, largest };
}

const octets = (body: unknown) => Buffer.byteLength(JSON.stringify(JSON.stringify(body)));
const linksIn = (link = '') => [...link.matchAll(/<([^>]*)>; rel="next"/g)].map(([, target]) => target as string);

test('a page of large records ends early, and its Link leads to the rest', async () => {
  const client = intentClient();
  const names = Array.from({ length: 30 }, (_, index) => `record-${String(index).padStart(2, '0')}`);
  const filters = Array.from({ length: 1_000 }, (_, index) => `${'x'.repeat(230)}${index}.example`);
  for (const name of names) await client.ask('POST', RECORDS, recordBody(name, 'aws', { 'domain-filter': filters }));
  const { items, largest } = await follow(client, `${RECORDS}?limit=200`);
  expect(items.map((one) => (one as { metadata: { name: string } }).metadata.name)).toEqual(names);
  expect(largest).toBeLessThan(LAMBDA_OCTETS_MAX);
});

test('instantiate answers with the first pages if its rows do not fit, and its Links lead to the rest', async () => {
  const reason = '"'.repeat(8_000);
  const client = intentClient({
    statusOf: async (_, bindings) =>
      bindings.map(({ service, record }) => ({ service: service.name, record, state: 'Error' as const, reason })),
  });
  const records = ['one', 'two'];
  for (const name of records) await client.ask('POST', RECORDS, recordBody(name));
  await client.ask('POST', CLOUD, listBody(...records));
  const services = Array.from({ length: 300 }, (_, index) => ({
    name: `s${index}`,
    dnsName: `s${index}.example.org`,
    clusters: [{ provider: 'edge', cluster: 'one', publicAddresses: ['192.0.2.1'] }],
  }));
  const app = { version: 'v1', profile: 'p', logicalCloud: 'main', services };
  const told = await client.ask('POST', `${APP}/instantiate`, app);
  expect(told.status).toBe(202);
  expect(octets(told.body)).toBeLessThan(LAMBDA_OCTETS_MAX);
  const [status = '', manifests = ''] = linksIn(told.headers.link);
  const rest = await follow(client, `${status}&limit=200`);
  expect(rest.largest).toBeLessThan(LAMBDA_OCTETS_MAX);
  const rows = [...told.body.status, ...rest.items].map(({ service, record }) => `${service}/${record}`);
  expect(rows).toEqual(services.flatMap(({ name }) => records.map((record) => `${name}/${record}`)).toSorted());
  const endpoints = [...told.body.manifests, ...(await follow(client, manifests)).items];
  expect(endpoints).toHaveLength(rows.length);
});

test('an answer quotes only the beginning of a key', async () => {
  const { ask } = intentClient();
  const { status, body } = await ask('POST', RECORDS, { [`${'ä'.repeat(2_000_000)}`]: 1 });
  expect(status).toBe(400);
  expect(octets(body)).toBeLessThan(10_000);
});
