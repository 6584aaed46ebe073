// Notes on an MX, NS or SRV whose target is a CNAME of these objects (RFC 2181 §10.3, RFC 2782). They need other names
// than the object's own, so no status has them: it would have to change with every object at its targets.
import { targetOf } from '../../lib/dns/rdata/target-of.ts';
import type { ZoneOutput } from '../../lib/report/describe-cluster.ts';
import { counted, type Paint, safeText } from './terminal-text.ts';

const TYPES = ['MX', 'NS', 'SRV'];
/** If there are more notes than this, one line counts the others. */
const NOTES_MAX = 20;

/** One line for each such record, for standard error. */
export function printTargets(zones: readonly Pick<ZoneOutput, 'entries'>[], paint: Paint): string {
  const entries = zones.flatMap((zone) => zone.entries);
  const pointing = entries.flatMap((entry) => {
    const target = 'rdata' in entry && TYPES.includes(entry.type) ? targetOf(entry.type, entry.rdata) : null;
    return target === null ? [] : [{ said: `${entry.fqdn} ${entry.type}`, target }];
  });
  if (pointing.length === 0) return '';
  const cnames = new Set(entries.flatMap(({ type, fqdn }) => (type === 'CNAME' ? [fqdn] : [])));
  const all = pointing
    .filter(({ target }) => cnames.has(target))
    .map(({ said, target }) => `${said}: its target ${target} is a CNAME, and it needs a name with addresses`);
  const lines = [...new Set(all)];
  const more = lines.length > NOTES_MAX ? [counted(lines.length - NOTES_MAX, 'more such target')] : [];
  return [...lines.slice(0, NOTES_MAX), ...more]
    .map((line) => `${paint('cyan', 'note:')} ${safeText(line)}\n`)
    .join('');
}
