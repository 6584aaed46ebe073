// The page of a name: `explain` of it, its history, and its rows. It reads its record sets in Route 53; no list does.

import { isAtOrBelow } from '../../lib/dns/names/name.ts';
import { queryHistory } from '../../lib/history/query-history.ts';
import { explainPlanned } from '../../lib/inspect/explain-name.ts';
import { planName } from '../../lib/inspect/focus-on-name.ts';
import { withDnsRecords } from '../../lib/inspect/with-dns-records.ts';
import { readableHostedZones } from '../../lib/record-sets/list-hosted-zones.ts';
import { jsonExplanation } from '../account/print-explanation.ts';
import { askingIn, withAnyExternalDns } from '../account/run-explain.ts';
import { type NameAnswer, nameAnswer } from './answers.ts';
import type { KnownNames } from './known-names.ts';
import { type ConsoleWorld, noting } from './world.ts';

const ENTRIES_SHOWN = 50;

/** Explains a canonical name. */
export async function nameAnswerOf(world: ConsoleWorld, known: KnownNames, name: string): Promise<NameAnswer> {
  const noted = noting(world.context);
  const context = withAnyExternalDns(noted.context);
  const { plan, unread } = world.isResolved
    ? { plan: await planName(context, await world.reading(), (await world.asked()).at, name), unread: null }
    : await world.plan();
  const explained = await explainPlanned(context, plan, name, null);
  const whole = withDnsRecords(explained, await askingIn(context, null, { source: world.source, name, type: null }));
  const question = { name, sinceMs: null, untilMs: null, limit: ENTRIES_SHOWN };
  const { entries: history } = await queryHistory(context, question);
  const rows = [];
  for (const hostedZone of await readableHostedZones(context.ledger, context.log)) {
    if (!isAtOrBelow(name, hostedZone.name)) continue;
    const { names } = await known.of(hostedZone);
    rows.push(...names.flatMap(({ row }) => (row.name === name ? [row] : [])));
  }
  return nameAnswer.parse({ ...jsonExplanation({ ...whole, history }), rows, unread: noted.unread() ?? unread });
}
