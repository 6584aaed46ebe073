// Programmed says Published only after Route 53 has accepted exactly that content.
import { describe, expect, test } from 'vitest';
import type { RecordSetContent } from '../dns/record-set.ts';
import { newHostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { newRecordSetItem, type RecordSetItem } from '../record-sets/record-set-item.ts';
import type { EndpointOutcome } from '../zones/resolve-cluster.ts';
import { endpointVerdict, type WantedItem, zoneVerdict } from './programmed.ts';

const RECORD = {
  ref: { kind: 'Record', namespace: 'p', name: 'a' },
  fqdn: 'a.e.',
  parent: 'p/e',
  programmed: null,
} as unknown as EndpointOutcome;

const OLD = { kind: 'values' as const, ttlSeconds: 60, values: ['192.0.2.1'] };
const NEW = { kind: 'values' as const, ttlSeconds: 60, values: ['192.0.2.2'] };

function wantedItem(content: RecordSetContent, item: Partial<RecordSetItem> | null): WantedItem {
  const empty = newRecordSetItem({ name: 'a.e.', type: 'A', setIdentifier: null });
  return { hostedZoneId: 'Z1', content, item: item === null ? null : { ...empty, ...item } };
}

function refusal(content: typeof OLD): RecordSetItem['refusal'] {
  return { reason: 'ForeignRecord', message: 'somebody else is here', content, atMs: 0 };
}

describe('endpointVerdict()', () => {
  test.each<[string, string, WantedItem[]]>([
    ['the ledger has no item yet', 'Pending', [wantedItem(NEW, null)]],
    ['nothing is published', 'Pending', [wantedItem(NEW, { desired: NEW })]],
    ['the former content is published', 'Pending', [wantedItem(NEW, { desired: NEW, published: OLD })]],
    [
      'the ledger still desires the former content, which is published',
      'Pending',
      [wantedItem(NEW, { desired: OLD, published: OLD })],
    ],
    ['it is published', 'Published', [wantedItem(NEW, { desired: NEW, published: NEW })]],
    ['it was refused', 'ForeignRecord', [wantedItem(NEW, { desired: NEW, refusal: refusal(NEW) })]],
    [
      'the former content was refused',
      'Pending',
      [wantedItem(NEW, { desired: NEW, published: OLD, refusal: refusal(OLD) })],
    ],
    [
      'one of two record sets is published',
      'Pending',
      [wantedItem(NEW, { desired: NEW, published: NEW }), wantedItem(NEW, { desired: NEW })],
    ],
    [
      'one of two is published, and the other was refused',
      'ForeignRecord',
      [wantedItem(NEW, { desired: NEW, published: NEW }), wantedItem(NEW, { desired: NEW, refusal: refusal(NEW) })],
    ],
  ])('%s: %s', (_, reason, wanted) => {
    expect(endpointVerdict(RECORD, wanted)?.reason).toBe(reason);
  });

  test.each([
    [
      'AccessDenied: no',
      'denies changes of hosted zone Z1, so they wait. Allow zone53 route53:ChangeResourceRecordSets',
    ],
    [
      'Cannot read record sets of hosted zone "Z1": AccessDenied: no',
      'denies reading hosted zone Z1, so changes wait that depend on what it has. Allow zone53 route53:ListResourceRecordSets',
    ],
  ])('what waits says what Route 53 denies: %s', (denied, words) => {
    const hostedZone = { ...newHostedZoneItem({ id: 'Z1', name: 'e.', zone: 'p/e', nameServers: [] }), denied };
    const verdict = endpointVerdict(RECORD, [{ ...wantedItem(NEW, { desired: NEW }), hostedZone }]);
    expect(verdict?.reason).toBe('Pending');
    expect(verdict?.message).toContain(`Route 53 ${words} there; a later run tries them again. `);
    expect(verdict?.message).toContain(denied);
  });

  test('is null for a Record that no Zone adopted', () => {
    expect(endpointVerdict({ ...RECORD, parent: null }, [wantedItem(NEW, { desired: NEW, published: NEW })])).toBe(
      null,
    );
  });
});

test.each([
  ['none', null, ''],
  ['the digest, which releases them soon', { digest: 'd'.repeat(64), state: 'weighed' as const }, ''],
  ['another digest that no run has compared yet', { digest: 'b'.repeat(64), state: 'open' as const }, ''],
  [
    'another digest',
    { digest: 'b'.repeat(64), state: 'weighed' as const },
    ' The annotation zone53.dev/acknowledge-plan of Zone p/e has "bbbbbbbbbbbb…", which is not the digest of these deletes: replace it.',
  ],
])(
  'zoneVerdict() says why held deletes wait, and what is wrong with the annotation: %s',
  (_, acknowledgement, said) => {
    const held = { digest: 'd'.repeat(64), reasons: ['All would be gone.'], count: 3, holds: [] };
    const hostedZone = {
      ...newHostedZoneItem({ id: 'Z1', name: 'e.', zone: 'p/e', nameServers: [] }),
      ...{ held, acknowledgements: acknowledgement === null ? [] : [acknowledgement] },
    };
    const zone = { key: 'p/e', live: {}, placed: { target: { kind: 'hosted' } } } as never;
    const verdict = zoneVerdict(zone, hostedZone, [], [], []);
    expect(verdict).toEqual({ reason: 'HeldByGuard', message: `All would be gone.${said}` });
  },
);
