// What `render` prints: each Zone with its entries as a table, then every condition that is not True, last, where the
// eye is. Pure: from the JSON shape to text.
import { formatZoneText } from '../../lib/dns/zone-file.ts';
import type { Condition, Entry } from '../../lib/objects/conditions.ts';
import type { RecordOutput, ZoneOutput } from '../../lib/report/describe-cluster.ts';
import type { WorldOutput } from './output.ts';
import { jsonErrors } from './print-errors.ts';
import { counted, formatColumns, type Paint, safeText } from './terminal-text.ts';

/** The stable JSON of `render -o json`: these keys, in this order, and no others. */
export function jsonWorld(world: WorldOutput): object {
  return { zones: world.zones.map(jsonZone), records: world.records.map(jsonRecord), errors: jsonErrors(world.errors) };
}

function jsonZone({ namespace, name, fqdn, parent, hash, serial, entries, conditions }: ZoneOutput): object {
  return {
    namespace,
    name,
    fqdn,
    parent,
    hash,
    serial,
    entries: entries.map(jsonEntry),
    conditions: conditions.map(jsonCondition),
  };
}

function jsonRecord({ namespace, name, fqdn, parent, conditions }: RecordOutput): object {
  return { namespace, name, fqdn, parent, conditions: conditions.map(jsonCondition) };
}

function jsonEntry({ fqdn, type, class: recordClass, ttl, rdata }: Entry): object {
  return { fqdn, type, class: recordClass, ttl, rdata };
}

function jsonCondition({ type, status, reason, message }: Condition): object {
  return { type, status, reason, message };
}

/** Zones with their entries, the conditions that are not True, and a summary. */
export function printRender(world: WorldOutput, paint: Paint): string {
  const zones = world.zones.filter(({ fqdn, entries }) => fqdn !== null && entries.length > 0);
  const blocks = zones.map((zone) => printZone(zone, paint));
  const complaints = printConditions(world, paint);
  if (complaints !== '') blocks.push(complaints);
  blocks.push(printSummary(world, paint));
  return blocks.join('\n');
}

function printZone(zone: ZoneOutput, paint: Paint): string {
  const parent = zone.parent === null ? 'root' : `under ${safeText(zone.parent)}`;
  const head = `${paint('bold', safeText(zone.fqdn ?? ''))}  Zone ${refOf(zone)}, ${parent}, serial ${zone.serial}`;
  const rows = zone.entries.map(({ fqdn, ttl, class: recordClass, type, rdata }) => [
    safeText(fqdn),
    String(ttl),
    recordClass,
    type,
    safeText(rdata),
  ]);
  const table = formatColumns(rows, '  ', (text, column) =>
    column === 3 ? paint('cyan', text) : column === 4 ? text : dimUnless(column === 0, text, paint),
  );
  return `${head}\n${paint('dim', `  ${zone.hash}`)}\n${table.join('\n')}\n`;
}

function dimUnless(plain: boolean, text: string, paint: Paint): string {
  return plain ? text : paint('dim', text);
}

/** Every condition that is not True, an object a line. Empty when there is none. */
export function printConditions(world: Pick<WorldOutput, 'zones' | 'records'>, paint: Paint): string {
  const objects = [
    ...world.zones.map((zone) => ({ kind: 'Zone', object: zone })),
    ...world.records.map((record) => ({ kind: 'Record', object: record })),
  ];
  const lines = objects.flatMap(({ kind, object }) =>
    object.conditions
      .filter(({ status }) => status !== 'True')
      .map(({ type, status, reason, message }) => {
        const mark = type === 'Accepted' ? paint('red', '✗') : paint('yellow', '!');
        const name = object.fqdn === null ? '' : ` (${safeText(object.fqdn)})`;
        return `${mark} ${kind} ${refOf(object)}${name}: ${type}=${status}, ${paint('bold', reason)}\n    ${safeText(message)}\n`;
      }),
  );
  return lines.join('');
}

function printSummary(world: WorldOutput, paint: Paint): string {
  const live = world.zones.filter(isAccepted).length;
  const adopted = world.records.filter(isAccepted).length;
  const parts = [
    `${live} of ${counted(world.zones.length, 'Zone')} live`,
    `${adopted} of ${counted(world.records.length, 'Record')} adopted`,
    counted(world.errors.length, 'error'),
  ];
  const well = live === world.zones.length && adopted === world.records.length && world.errors.length === 0;
  return `${paint(well ? 'green' : 'yellow', parts.join(', '))}\n`;
}

/** True when the object's Accepted condition is. */
export function isAccepted(object: RecordOutput): boolean {
  return object.conditions.some(({ type, status }) => type === 'Accepted' && status === 'True');
}

function refOf({ namespace, name }: RecordOutput): string {
  return safeText(`${namespace}/${name}`);
}

/** Every live Zone as a master file (RFC 1035), each under a comment that names it. */
export function printZoneFiles(world: WorldOutput): string {
  return world.zones
    .filter(({ fqdn, entries }) => fqdn !== null && entries.length > 0)
    .map((zone) => `; Zone ${refOf(zone)}\n${formatZoneText(zone.fqdn ?? '', zone.entries)}`)
    .join('\n');
}
