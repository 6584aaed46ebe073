import { expect, test } from 'vitest';
import { NOTHING_RELATED } from '../../objects/related.ts';
import type { SourceObject } from '../../objects/source.ts';
import { DEFAULT_SETTINGS } from '../../objects/source-settings.ts';
import { DNS_ENDPOINT } from '../../sources/external-dns/dns-endpoint.ts';
import { RECORD_LABEL } from '../manifests/flags.ts';
import { withIntents } from './intent-sources.ts';

const object = (labels: Readonly<Record<string, string>>): SourceObject => ({
  ref: { kind: 'DNSEndpoint', namespace: 'shop', name: 'www' },
  annotations: {},
  labels,
  spec: { endpoints: [{ dnsName: 'www.example.org', recordType: 'A', targets: ['192.0.2.1'] }] },
});

test('withIntents() reads the DNSEndpoints of intents whatever the selectors for others say', () => {
  const labelSelector = [{ key: 'team', operator: 'In' as const, values: ['dns'] }];
  const settings = { ...DEFAULT_SETTINGS, namespaces: ['bank', 'shop'], labelSelector };
  const [source] = withIntents([{ ...DNS_ENDPOINT, settings }]);
  const asked = (labels: Readonly<Record<string, string>>) =>
    source?.endpointsOf(object(labels), source.settings ?? settings, NOTHING_RELATED);
  const found = expect.objectContaining({ endpoints: [expect.objectContaining({ type: 'A' })] });
  expect(source?.settings).toEqual(DEFAULT_SETTINGS);
  expect(asked({ [RECORD_LABEL]: 'public' })).toEqual(found);
  expect(asked({ team: 'dns' })).toEqual(found);
  expect(asked({ team: 'web' })).toEqual({ ok: true, endpoints: [] });
});

test('withIntents() adds the source of DNSEndpoints when it is off', () => {
  expect(withIntents([]).map(({ kind }) => kind)).toEqual(['DNSEndpoint']);
});
