// The names that all Services have, with or without a cluster IP: the SRV of a named port, the PTR of an address.
import { quote } from '../../dns/names/quote.ts';
import { type Address, reverseName } from '../../dns/rdata/reverse-name.ts';
import { at, textAt } from '../../objects/plain.ts';
import type { DiscoverySettings } from '../../objects/source-settings.ts';
import type { NameTable } from './name-table.ts';

/** The state while the names of a Service are collected. */
export type Discovery = {
  readonly table: NameTable;
  readonly settings: DiscoverySettings;
  /** `<service>.<namespace>.svc.<zone>` */
  readonly base: string;
};

/** Adds the SRV of a named port for each target; none if the port has no name or no number. */
export function addPort(
  path: string,
  port: unknown,
  targets: Iterable<string>,
  { table, settings, base }: Discovery,
): void {
  const [name, number] = [textAt(port, 'name'), at(port, 'port')];
  if (name === null || typeof number !== 'number') return;
  const protocol = (textAt(port, 'protocol') ?? 'TCP').toLowerCase();
  const owner = table.name(`${path}: port ${quote(name)}`, [`_${name}`, `_${protocol}`], base);
  if (owner === null) return;
  for (const target of targets) {
    table.add(owner, 'SRV', `0 100 ${number} ${target}`, { clusterZone: settings.zone });
  }
}

export function addReverse(
  address: Address,
  name: string,
  reverse: 'clusterIP' | 'endpoint',
  { table, settings }: Discovery,
): void {
  if (settings.reverse) table.add(reverseName(address), 'PTR', name, { clusterZone: settings.zone, reverse });
}
