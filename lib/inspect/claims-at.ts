// What each cluster asks for at a name of a hosted zone, as the ledger has it, and which of them own it.
import { agesCodec, agesKey } from '../directory/name-ages-item.ts';
import type { RecordSetContent } from '../dns/record-set.ts';
import { readItem } from '../ledger/item-codec.ts';
import { whereReadable } from '../ledger/skip-unreadable.ts';
import type { ProgrammedReason } from '../objects/conditions.ts';
import type { Context } from '../ports/context.ts';
import { standbyAmong } from '../record-sets/cluster-item.ts';
import { fellowsOf } from '../record-sets/fellows.ts';
import type { HostedZoneItem } from '../record-sets/hosted-zone-item.ts';
import { isStandby } from '../record-sets/judge-claims.ts';
import type { RecordSetItem } from '../record-sets/record-set-item.ts';
import { samePublishing } from '../record-sets/same-content.ts';
import { isBegun } from '../record-sets/state.ts';
import { readName } from '../record-sets/store.ts';

export type ExplainedClaim = {
  readonly cluster: string;
  readonly type: string;
  readonly setIdentifier: string | null;
  readonly content: RecordSetContent;
  readonly objects: readonly string[];
  /** It is published only where no other cluster asks for the name. */
  readonly standby: boolean;
  /** Since when the cluster has asked for the name; null: the ledger does not know. */
  readonly sinceMs: number | null;
  readonly owns: boolean;
  readonly reason: ProgrammedReason;
};

/** The claims at a name: of the cluster that is explained, by `items`, and of all others. */
export async function claimsAt(
  { ledger, log, clock, config }: Pick<Context, 'ledger' | 'log' | 'clock' | 'config'>,
  hostedZone: HostedZoneItem,
  name: string,
  items: readonly RecordSetItem[],
): Promise<readonly ExplainedClaim[]> {
  const fellows = await fellowsOf(ledger, hostedZone);
  const others = await Promise.all(
    fellows.map(async ({ id, cluster }) => {
      return { cluster, items: (await readName(ledger, id, name)).map(({ item }) => item) };
    }),
  );
  const all = [{ cluster: hostedZone.cluster, items }, ...others];
  const onStandby = await standbyAmong(
    { ledger, clock },
    config,
    all.map(({ cluster }) => cluster),
  );
  const claims = await Promise.all(
    all.map(async (one) => {
      const readAges = () => readItem(ledger, agesKey(one.cluster, name), agesCodec);
      const ages = one.items.length === 0 ? null : await whereReadable({ log }, readAges);
      const since = (ages?.item.ages ?? []).map(({ sinceMs }) => sinceMs);
      const sinceMs = since.length === 0 ? null : Math.min(...since);
      const asked = one.items.flatMap(({ type, desired, standbyMs }) =>
        desired === null ? [] : [{ type, standby: standbyMs !== undefined }],
      );
      return one.items.flatMap((item) => {
        const standby = onStandby.has(one.cluster) || isStandby(item, { claims: asked });
        return claimOf(one.cluster, { sinceMs, standby }, item);
      });
    }),
  );
  return claims.flat();
}

function claimOf(
  cluster: string,
  known: Pick<ExplainedClaim, 'sinceMs' | 'standby'>,
  item: RecordSetItem,
): readonly ExplainedClaim[] {
  const { type, setIdentifier, desired, objects, published, refusal, inherits } = item;
  if (desired === null || inherits === true) return [];
  const isDone = samePublishing(type, desired, published);
  const reason = isDone ? 'Published' : (refusal?.reason ?? 'Pending');
  const owns = published !== null && !isBegun(item);
  return [{ cluster, type, setIdentifier, content: item.claimed ?? desired, objects, ...known, owns, reason }];
}
