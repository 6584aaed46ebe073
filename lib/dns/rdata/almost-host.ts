// Texts that look like an address or a host name and are neither. Characters alone do not tell them from names, because
// a label may have digits and "/" (RFC 2317). The last label of a host name is never a number (RFC 1123 §2.1), and no
// top-level domain has a "/".
//
//   192.0.2.300, 10.0.0.1.2, 0x7f.1, 192.0.2.1/32     a number at the end
//   lb.example.net/path                               a path
//   1.0/25.2.0.192.in-addr.arpa                       a host name (RFC 2317)
import { labelsOf } from '../names/name.ts';

/** Why a canonical name is no host name, as "is …"; null if it is one. */
export function whyNoHost(name: string): string | null {
  const labels = labelsOf(name);
  const last = labels.at(-1) ?? '';
  if (/^[0-9]+$/.test(last) && labels.length === 4 && labels.every((label) => /^[0-9]+$/.test(label)))
    return 'is an address; a host name is required (RFC 1123 §2.1)';
  if (/^(?:[0-9]+|0x[0-9a-f]*)$/.test(last))
    return `is no host name: its last label, "${last}", is a number (RFC 1123 §2.1)`;
  const path = labels.find((label, index) => label.includes('/') && !isNetwork(label, index === labels.length - 1));
  if (path === undefined) return null;
  return 'is no host name: remove "/" and what follows';
}

/** True for a label such as `0/25`, which delegates a part of a network in the reverse tree (RFC 2317 §4). */
function isNetwork(label: string, isLast: boolean): boolean {
  return !isLast && /^[0-9]+\/[0-9]+$/.test(label);
}

/** What looks like an address, whether or not it is one. */
const ADDRESS = /^(?:(?:[0-9]{1,3}\.){3}[0-9]{1,3}|(?=.*:.*:)[0-9a-f:.]+)$/i;

/** What to remove from a text that has an address or a host name in it; empty if nothing is known to be wrong. */
export function whatToRemove(text: string): string {
  const trimmed = text.trim();
  if (/\{\{|\$\{/.test(trimmed)) return 'it has a template in it: render it before, or write the value itself';
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return 'it is a URL: write its host alone';
  const bare = /^\[(.*)\](?::[0-9]*)?$/.exec(trimmed)?.[1];
  if (bare !== undefined && ADDRESS.test(bare)) return `write ${bare}, without brackets and port`;
  const [, host = '', port] = /^([^:/]+):([0-9]+)$/.exec(trimmed) ?? [];
  if (port !== undefined) return `remove the port: write ${host}`;
  const [address = '', ...path] = trimmed.split('/');
  if (path.length > 0 && ADDRESS.test(address)) return `it is a network; write one address, such as ${address}`;
  return path.length > 0 ? 'remove "/" and what follows' : '';
}
