// `zone53 migrate --to external-dns` and `zone53 forget` with the real adapters. They read no objects: the ledger knows
// what zone53 has published.
import { applyForgetting } from '../../lib/apply/apply-forgetting.ts';
import { type ForgetRequest, planForgetting } from '../../lib/apply/plan-forgetting.ts';
import { UsageError } from '../print/usage-error.ts';
import { doubtState } from '../run/open-ledger.ts';
import { EMBEDDED_HOLDER, publishDeps } from '../run/publish-deps.ts';
import { APPLY_TIMEOUT_MS } from '../run/requests.ts';
import { matchReviewed } from '../run/reviewed-plan.ts';
import { withContext } from '../run/with-context.ts';
import { describeForgetting, describeForgotten } from './describe-forgetting.ts';
import type { ForgettingRequest, ForgettingResult, Forgotten } from './requests.ts';

/** Plans, and carries out what was reviewed or is confirmed. */
export async function runForgetting(request: ForgettingRequest): Promise<ForgettingResult> {
  const { store, log, isDry, owner, what, progress } = request;
  refuseTakeover(request);
  const doubt = doubtState(store);
  if (doubt !== null) log('warn', doubt);
  const keeps = { keepsReadings: store.kind === 'folder' };
  return withContext({ ...request, source: null }, { readOnly: isDry, readingMsMax: 0, keeps }, async (context) => {
    progress('planning');
    const planned = await planForgetting(context, { isChosen: chosenBy(what), owner, isOfAll: request.isOfAll });
    const output = describeForgetting(planned, unknownIn(what, planned));
    if (isDry) return { kind: 'planned', output };
    const matched = request.reviewed === null ? null : matchReviewed(request.reviewed, output);
    if (matched !== null && !matched.ok) return { kind: 'stale', output, problems: matched.problems };
    const isOpen = planned.some(({ changes }) => changes.length > 0);
    if (matched === null && isOpen && !(await request.confirm(output))) return { kind: 'declined', output };
    const only = matched?.isChosen ?? (() => true);
    const signal = request.untilStopped();
    const deps = publishDeps(context, store.kind === 'folder' ? EMBEDDED_HOLDER : null);
    const options = { acknowledged: [], only, progress, timeoutMs: APPLY_TIMEOUT_MS, signal };
    const chosen = planned.filter(({ hostedZone }) => only(hostedZone));
    const applied = await applyForgetting(context, deps, chosen, options);
    return { kind: 'applied', output: describeForgotten(output, applied) };
  });
}

function chosenBy(what: Forgotten): ForgetRequest['isChosen'] {
  switch (what.kind) {
    case 'names': {
      const names = new Set(what.names);
      return ({ name }) => names.has(name);
    }
    case 'zone':
      return ({ zone }) => zone === what.zone;
    case 'all':
      return () => true;
    default:
      return what satisfies never;
  }
}

/** What was named, and of which nothing is published. */
function unknownIn(what: Forgotten, planned: Awaited<ReturnType<typeof planForgetting>>): readonly string[] {
  const found = new Set(planned.flatMap(({ changes, stays }) => [...changes, ...stays].map(({ name }) => name)));
  if (what.kind === 'names')
    return what.names
      .filter((name) => !found.has(name))
      .map((name) => `zone53 publishes nothing at ${name} by this ledger.`);
  return what.kind === 'zone' && found.size === 0
    ? [`zone53 publishes nothing for Zone ${what.zone} by this ledger.`]
    : [];
}

/** Throws UsageError if the configuration says to take over from the external-dns that gets the record sets. */
function refuseTakeover({ owner, config: { takeover } }: ForgettingRequest): void {
  if (owner === null || !takeover.externalDns.some(({ ownerId }) => ownerId === owner.ownerId)) return;
  throw new UsageError(
    `takeover.externalDns of the configuration has the owner "${owner.ownerId}", so zone53 would take everything back at once: remove it first, also where zone53 is deployed. Nothing was done.`,
  );
}
