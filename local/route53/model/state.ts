// The local Route 53 as a state machine: one synchronous method for each operation, so that every request sees a
// consistent state. The clock and the randomness are arguments. Refusals are Route53Errors. The HTTP endpoint
// (local/route53/api/server.ts) and the DNS server use it. Names are in the form that Route 53 returns (see
// local/route53/values/domain-name.ts).

import { applyChangeBatch, type LocalChange } from '../records/change-batch.ts';
import type { BatchTarget } from '../records/change-rules.ts';
import type { LocalRecordSet } from '../records/record-set.ts';
import { parseDomainName } from '../values/domain-name.ts';
import { invalidInput, Route53Error } from '../values/route53-error.ts';
import {
  type Account,
  type AccountZone,
  addZone,
  type ChangeInfo,
  type CountedZone,
  checkIsIdle,
  countedZone,
  findZone,
  newId,
  openAccount,
  type Route53StateOptions,
  snapshotAccount,
  submitChange,
  tellListeners,
  type ZoneChange,
} from './account.ts';
import {
  type CidrBlock,
  type CidrChange,
  changeCidrCollection,
  cidrBlocks,
  createCidrCollection,
  deleteCidrCollection,
  findCidrCollection,
} from './cidr-collections.ts';
import { apexRecordSets, assignNameServers, PRIVATE_NAME_SERVERS } from './delegation-set.ts';
import {
  changeHealthCheckTags,
  createHealthCheck,
  deleteHealthCheck,
  findHealthCheck,
  type HealthCheckUpdate,
  pageOfHealthChecks,
  setHealth,
  updateHealthCheck,
} from './health-checks.ts';
import {
  type HostedZonesByNameStart,
  type HostedZonesStart,
  type Page,
  pageOfHostedZones,
  pageOfHostedZonesByName,
  pageOfRecordSets,
  type RecordSetStart,
} from './pages.ts';
import {
  createProtections,
  deleteProtections,
  listProtections,
  type ProtectionsPage,
  type ProtectionsStart,
  protectionProblem,
} from './protections.ts';
import type {
  CidrCollectionSnapshot,
  ConfigValue,
  HealthCheckSnapshot,
  Protection,
  Route53Snapshot,
  Vpc,
} from './snapshot.ts';
import { applyTags, type TagChange } from './tags.ts';
import {
  associateVpc,
  checkVpcIsFree,
  disassociateVpc,
  type VpcZonesPage,
  type VpcZonesStart,
  zonesOfVpc,
} from './vpcs.ts';

export type CreateHostedZoneInput = {
  /** The id of the real hosted zone that this one replaces. Default: a new id. No request can set it. */
  readonly id?: string;
  readonly name: string;
  readonly callerReference: string;
  readonly comment: string | null;
  readonly vpc: Vpc | null;
};

/** One zone as a DNS server needs it: record sets in Route 53's order, the same array until the zone changes. */
type ServedZone = {
  readonly id: string;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly recordSets: readonly LocalRecordSet[];
};

export type Route53State = {
  createHostedZone(input: CreateHostedZoneInput): { zone: CountedZone; change: ChangeInfo };
  getHostedZone(id: string): CountedZone;
  listHostedZones(start: HostedZonesStart): Page<CountedZone>;
  listHostedZonesByName(start: HostedZonesByNameStart): Page<CountedZone>;
  countHostedZones(): number;
  deleteHostedZone(id: string): ChangeInfo;
  changeResourceRecordSets(id: string, comment: string | null, changes: readonly LocalChange[]): ChangeInfo;
  listResourceRecordSets(id: string, start: RecordSetStart): Page<LocalRecordSet>;
  createProtections(id: string, entries: readonly Protection[]): void;
  deleteProtections(id: string, entries: readonly Protection[]): void;
  listProtections(id: string, start: ProtectionsStart): ProtectionsPage;
  getChange(id: string): ChangeInfo;
  listTags(hostedZoneId: string): Readonly<Record<string, string>>;
  changeTags(hostedZoneId: string, change: TagChange): void;
  associateVpc(hostedZoneId: string, vpc: Vpc, comment: string | null): ChangeInfo;
  disassociateVpc(hostedZoneId: string, vpc: Vpc, comment: string | null): ChangeInfo;
  listHostedZonesByVpc(start: VpcZonesStart): VpcZonesPage;
  createHealthCheck(callerReference: string, config: ConfigValue): HealthCheckSnapshot;
  getHealthCheck(id: string): HealthCheckSnapshot;
  listHealthChecks(start: HostedZonesStart): Page<HealthCheckSnapshot>;
  countHealthChecks(): number;
  /** `check` throws for a configuration that Route 53 refuses. */
  updateHealthCheck(
    id: string,
    update: HealthCheckUpdate,
    check: (config: Readonly<Record<string, ConfigValue>>) => void,
  ): HealthCheckSnapshot;
  changeHealthCheckTags(id: string, change: TagChange): void;
  deleteHealthCheck(id: string): void;
  setHealth(id: string, isHealthy: boolean): void;
  /** The ids of the health checks that fail. */
  failing(): ReadonlySet<string>;
  createCidrCollection(name: string, callerReference: string): CidrCollectionSnapshot;
  getCidrCollection(id: string): CidrCollectionSnapshot;
  listCidrCollections(): readonly CidrCollectionSnapshot[];
  changeCidrCollection(id: string, version: number | null, changes: readonly CidrChange[]): void;
  listCidrBlocks(id: string, location: string | null): readonly CidrBlock[];
  deleteCidrCollection(id: string): void;
  zones(): ServedZone[];
  recordSetsAt(zoneId: string, name: string): readonly LocalRecordSet[];
  /** Calls `listener` after every write. The function that it returns ends that. */
  onChange(listener: (change: ZoneChange) => void): () => void;
  snapshot(): Route53Snapshot;
};

/** A Route 53 account in memory. */
export function createRoute53State(options: Route53StateOptions): Route53State {
  const account = openAccount(options);
  const { zones, listeners } = account;
  return {
    createHostedZone: (input) => createHostedZone(account, input),
    getHostedZone: (id) => countedZone(findZone(account, id)),
    listHostedZones: (start) => {
      const listed = [...zones.values()].filter(({ zone }) => start.privateOnly !== true || zone.vpcs !== null);
      return pageOfHostedZones(listed.map(countedZone), start);
    },
    listHostedZonesByName: (start) => pageOfHostedZonesByName([...zones.values()].map(countedZone), start),
    countHostedZones: () => zones.size,
    deleteHostedZone: (id) => deleteHostedZone(account, id),
    changeResourceRecordSets: (id, comment, changes) => changeRecordSets(account, id, comment, changes),
    listResourceRecordSets: (id, start) => pageOfRecordSets(findZone(account, id).records.sorted(), start),
    createProtections: (id, entries) => createProtections(account, id, entries),
    deleteProtections: (id, entries) => deleteProtections(account, id, entries),
    listProtections: (id, start) => listProtections(account, id, start),
    getChange: (id) => getChange(account, id),
    listTags: (id) => findZone(account, id).tags,
    changeTags: (id, change) => {
      const found = findZone(account, id);
      found.tags = applyTags(found.tags, change);
      tellListeners(account, { zoneId: id, names: [], gone: false });
    },
    associateVpc: (id, vpc, comment) => associateVpc(account, id, vpc, comment),
    disassociateVpc: (id, vpc, comment) => disassociateVpc(account, id, vpc, comment),
    listHostedZonesByVpc: (start) => zonesOfVpc(account, start),
    createHealthCheck: (callerReference, config) => createHealthCheck(account, callerReference, config),
    getHealthCheck: (id) => findHealthCheck(account, id),
    listHealthChecks: (start) => pageOfHealthChecks(account, start),
    countHealthChecks: () => account.healthChecks.size,
    updateHealthCheck: (id, update, check) => updateHealthCheck(account, id, update, check),
    changeHealthCheckTags: (id, change) => changeHealthCheckTags(account, id, change),
    deleteHealthCheck: (id) => deleteHealthCheck(account, id),
    setHealth: (id, isHealthy) => setHealth(account, id, isHealthy),
    failing: () => account.failing,
    createCidrCollection: (name, callerReference) => createCidrCollection(account, name, callerReference),
    getCidrCollection: (id) => findCidrCollection(account, id),
    listCidrCollections: () => [...account.cidrCollections.values()],
    changeCidrCollection: (id, version, changes) => changeCidrCollection(account, id, version, changes),
    listCidrBlocks: (id, location) => cidrBlocks(account, id, location),
    deleteCidrCollection: (id) => deleteCidrCollection(account, id),
    zones: () => [...zones.values()].map(servedZone),
    recordSetsAt: (zoneId, name) => zones.get(zoneId)?.records.at(name) ?? [],
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    snapshot: () => snapshotAccount(account),
  };
}

function servedZone({ zone, records }: AccountZone): ServedZone {
  return { id: zone.id, name: zone.name, isPrivate: zone.vpcs !== null, recordSets: records.sorted() };
}

function createHostedZone(account: Account, input: CreateHostedZoneInput): { zone: CountedZone; change: ChangeInfo } {
  const { callerReference, comment, vpc } = input;
  const name = checkNewZone(account, input);
  if (vpc !== null) checkVpcIsFree(account, vpc, name);
  const assigned = vpc === null ? assignNameServers(account.options.random) : PRIVATE_NAME_SERVERS;
  const id = input.id ?? newId(account, 'Z');
  const nameServers = vpc === null ? assigned : [];
  const vpcs = vpc === null ? null : [vpc];
  const made = { id, name, callerReference, comment, vpcs, nameServers };
  const zone = addZone(account, made, apexRecordSets(name, assigned));
  account.callerReferences.add(callerReference);
  const change = submitChange(account, null);
  tellListeners(account, { zoneId: id, names: [name], gone: false });
  return { zone, change };
}

function checkNewZone({ callerReferences }: Account, { name, callerReference }: CreateHostedZoneInput): string {
  if (callerReferences.has(callerReference)) {
    const message = `A hosted zone has already been created with the specified caller reference: ${callerReference}`;
    throw new Route53Error('HostedZoneAlreadyExists', 409, message);
  }
  const parsed = parseDomainName(name);
  if (!parsed.ok) throw new Route53Error('InvalidDomainName', 400, parsed.problem);
  if (parsed.name === '.' || parsed.name.startsWith('\\052.')) {
    throw invalidInput(`The domain name is not valid for a hosted zone: ${name}`);
  }
  return parsed.name;
}

function deleteHostedZone(account: Account, id: string): ChangeInfo {
  const { zone, records, protections } = findZone(account, id);
  const isDefault = ({ name, type }: LocalRecordSet) => name === zone.name && (type === 'NS' || type === 'SOA');
  if (!records.sorted().every(isDefault)) {
    const message = 'The specified hosted zone contains non-required resource record sets and so cannot be deleted.';
    throw new Route53Error('HostedZoneNotEmpty', 400, message);
  }
  if (protections.size > 0) {
    const message = 'The specified hosted zone contains resource record set protections and so cannot be deleted.';
    throw new Route53Error('HostedZoneNotEmpty', 400, message);
  }
  account.zones.delete(id);
  const change = submitChange(account, null);
  tellListeners(account, { zoneId: id, names: [zone.name], gone: true });
  return change;
}

function changeRecordSets(
  account: Account,
  id: string,
  comment: string | null,
  changes: readonly LocalChange[],
): ChangeInfo {
  const found = findZone(account, id);
  const { clock, processingMs } = account.options;
  checkIsIdle(account, found);
  checkHealthChecks(account, changes);
  const names = applyChangeBatch(batchTarget(account, found), changes);
  found.busyUntilMs = clock.nowMs() + processingMs;
  const change = submitChange(account, comment);
  tellListeners(account, { zoneId: id, names, gone: false });
  return change;
}

/** A DELETE may name a health check that is gone. */
function checkHealthChecks(account: Account, changes: readonly LocalChange[]): void {
  if (account.options.takesUnknownIds) return;
  for (const { action, recordSet } of changes) {
    const id = recordSet.healthCheckId ?? null;
    if (id !== null && action !== 'DELETE') findHealthCheck(account, id);
  }
}

function batchTarget(account: Account, found: AccountZone): BatchTarget {
  const { zone, records } = found;
  return {
    zoneId: zone.id,
    zoneName: zone.name,
    isPrivate: zone.vpcs !== null,
    records,
    recordSetsMax: account.options.recordSetsMax,
    protectionProblem: (set) => protectionProblem(found, set),
    isOwnZone: (other) => account.zones.has(other),
    cidrLocations: (id) => {
      const found = account.cidrCollections.get(id);
      if (found !== undefined) return new Set(Object.keys(found.locations));
      return account.options.takesUnknownIds ? 'any' : null;
    },
  };
}

function getChange({ changes, options }: Account, id: string): ChangeInfo {
  const change = changes.get(id);
  if (change === undefined) {
    throw new Route53Error('NoSuchChange', 404, `A change with the specified change ID does not exist: ${id}`);
  }
  const inSync = options.clock.nowMs() >= change.submittedAtMs + options.insyncDelayMs;
  return { ...change, status: inSync ? 'INSYNC' : 'PENDING' };
}
