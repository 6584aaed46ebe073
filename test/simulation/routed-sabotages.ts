// Sabotages of aliases, routed record sets and takeovers from external-dns, each of which weakens one safeguard. Part
// of the list in sabotages.ts.
import { type RecordSet, recordSetId } from '../../lib/dns/record-set.ts';
import type { JsonObject } from '../../lib/ports/ledger.ts';
import { isOwnershipText, textNamesOf } from './audit-takeover.ts';
import { bend, bendReads, bendWrites, breaks, isRecordSet, type Sabotage } from './bend.ts';
import { sharedTextsOf } from './shared-texts.ts';

/** The TXT record of any owner, as if it named ours. */
function asOurs(set: RecordSet): RecordSet {
  const { content } = set;
  if (!isOwnershipText(set) || content.kind !== 'values') return set;
  return { ...set, content: { ...content, values: content.values.map((value) => value.replace('=other', '=ours')) } };
}

export const ROUTED_SABOTAGES: readonly Sabotage[] = [
  breaks(
    'I1',
    bend('every owner of external-dns counts as configured', ({ hostedZones }) => ({
      hostedZones: { readName: async (id, name) => (await hostedZones.readName(id, name))?.map(asOurs) ?? null },
    })),
  ),
  breaks(
    'I1',
    bendReads(
      'every record set with the desired content counts as ours',
      (key, run) => isRecordSet(key) && run.kind === 'publish',
      (item) => ({ ...item, body: { ...item.body, late: [{ content: item.body.desired ?? null, atMs: 0 }] } }),
    ),
  ),
  breaks(
    'Q1',
    bend('a takeover does not delete the TXT records of external-dns', ({ hostedZones }) => ({
      hostedZones: {
        change: async (id, changes, ...rest) => {
          const others = changes.filter(({ action, recordSet }) => action !== 'DELETE' || !isOwnershipText(recordSet));
          if (others.length === 0) return { kind: 'accepted' };
          return hostedZones.change(id, others, ...rest);
        },
      },
    })),
  ),
  {
    ...breaks(
      'I1',
      bend(
        'a shared TXT record of external-dns is deleted with the first of its record sets',
        ({ hostedZones }, _, { route53 }) => ({
          hostedZones: {
            change: (id, changes, ...rest) => {
              const names = changes.flatMap(({ recordSet }) => textNamesOf(recordSet));
              const isIn = (text: RecordSet) =>
                changes.some(({ recordSet }) => recordSetId(recordSet) === recordSetId(text));
              const more = route53
                .recordSets(id)
                .filter((text) => isOwnershipText(text) && names.includes(text.name) && !isIn(text))
                .map((recordSet) => ({ action: 'DELETE' as const, recordSet }));
              return hostedZones.change(id, [...changes, ...more], ...rest);
            },
          },
        }),
      ),
    ),
    concerns: (seed) => sharedTextsOf(seed) !== null,
  },
  {
    ...breaks(
      'Q1',
      bendWrites('TXT records that stay for other record sets are forgotten', isRecordSet, (body) => ({
        ...body,
        sharedTexts: [],
      })),
    ),
    concerns: (seed) => sharedTextsOf(seed) !== null,
  },
  breaks(
    'Q1',
    bendWrites('an alias is not tried again when its target is created', isRecordSet, (body) => ({
      ...body,
      awaitedBy: [],
    })),
  ),
  breaks(
    'Q5',
    bendWrites(
      'the substitute of an endpoint that may be invalid is lost',
      (key) => key.partition.startsWith('objects#'),
      (body) => {
        const endpoints = (body.endpoints ?? null) as readonly JsonObject[] | null;
        return { ...body, endpoints: endpoints?.filter(({ standsInFor }) => standsInFor === undefined) ?? null };
      },
    ),
  ),
  breaks(
    'Q1',
    bendReads(
      'a changed weight is not noticed',
      (key, run) => isRecordSet(key) && run.kind === 'publish',
      (item) => {
        const [desired, published] = [item.body.desired, item.body.published] as (JsonObject | null)[];
        if (desired?.routing === undefined || published?.routing === undefined) return item;
        return { ...item, body: { ...item.body, desired: { ...desired, routing: published.routing } } };
      },
    ),
  ),
];
