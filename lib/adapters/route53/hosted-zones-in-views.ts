// The hosted zones of the configuration's views. Within the engine a name carries its view (lib/dns/names/view.ts); in
// Route 53 it does not. This is the only place between the two: what goes to a hosted zone loses the mark of its view,
// and what comes from there gets it. A name of another view than that of the hosted zone is never sent.

import { inView, PUBLIC, realName, viewOf } from '../../dns/names/view.ts';
import type { RecordSet, RecordSetContent } from '../../dns/record-set.ts';
import { withoutShare } from '../../objects/share-id.ts';
import type { Config } from '../../ports/config.ts';
import type { BatchOutcome, HostedZones } from '../../ports/hosted-zones.ts';

/** The same hosted zones, with the names of their views. Without a view in the configuration: the port itself. */
export function hostedZonesInViews(port: HostedZones, { hostedZones }: Pick<Config, 'hostedZones'>): HostedZones {
  const views = new Map(
    hostedZones.flatMap(({ id, zone, view }) => (view === undefined ? [] : [[id, { zone, view }]])),
  );
  if (views.size === 0) return port;
  const viewAt = (id: string) => views.get(withoutShare(id));
  const toView = (id: string, name: string) => inView(name, viewAt(id)?.view ?? PUBLIC);
  const toRoute53 = (id: string, name: string): string => {
    const view = viewAt(id)?.view ?? PUBLIC;
    if (viewOf(name) !== view) throw new Error(`Cannot use ${name} in hosted zone ${id}: it is of view ${view}`);
    return realName(name);
  };
  const setToView = (id: string, set: RecordSet): RecordSet => ({
    ...set,
    name: toView(id, set.name),
    content: withTarget(id, set.content, (target) => toView(id, target)),
  });
  const setToRoute53 = (id: string, set: RecordSet): RecordSet => ({
    ...set,
    name: toRoute53(id, set.name),
    content: withTarget(id, set.content, (target) => toRoute53(id, target)),
  });
  return {
    ...port,
    // Those of the public view are found by name.
    list: async () => (await port.list()).filter(({ id }) => !views.has(id)),
    get: async (id, account) => {
      const found = await port.get(id, account);
      return found === null || 'unreadable' in found ? found : { ...found, name: toView(id, found.name) };
    },
    change: async (id, changes, ...asked) => {
      const sent = changes.map((change) => ({ ...change, recordSet: setToRoute53(id, change.recordSet) }));
      return outcomeInView(await port.change(id, sent, ...asked), viewAt(id));
    },
    readName: async (id, name) =>
      (await port.readName(id, toRoute53(id, name)))?.map((set) => setToView(id, set)) ?? null,
    readPage: async (id, from) => {
      const page = await port.readPage(id, from === null ? null : { ...from, name: toRoute53(id, from.name) });
      if (page === null) return null;
      const next = page.next === null ? null : { ...page.next, name: toView(id, page.next.name) };
      return { recordSets: page.recordSets.map((set) => setToView(id, set)), next };
    },
    protections: async (id, name) =>
      (await port.protections(id, name === null ? null : toRoute53(id, name)))?.map((one) => ({
        ...one,
        name: toView(id, one.name),
      })) ?? null,
  };
}

/** A content with the target of an alias within this hosted zone changed. */
function withTarget(id: string, content: RecordSetContent, change: (target: string) => string): RecordSetContent {
  if (content.kind !== 'alias' || content.alias.hostedZoneId !== withoutShare(id)) return content;
  return { ...content, alias: { ...content.alias, dnsName: change(content.alias.dnsName) } };
}

/** An outcome whose messages name record sets as the engine does. */
function outcomeInView(
  outcome: BatchOutcome,
  of: { readonly zone: string; readonly view: string } | undefined,
): BatchOutcome {
  if (of === undefined || outcome.kind !== 'refused') return outcome;
  const apex = of.zone.slice(0, -1).replaceAll(/[.\\*+?^$()|[\]{}]/g, '\\$&');
  const names = new RegExp(`(?<![\\w\\\\.*/-])((?:[\\w\\\\*/-]+\\.)*${apex})\\.?(?![\\w\\\\-]|\\.\\w)`, 'gi');
  return { ...outcome, messages: outcome.messages.map((text) => text.replace(names, `$1.@${of.view}.`)) };
}
