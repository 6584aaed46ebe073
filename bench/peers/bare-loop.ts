// The least that Node needs for a first publish. It lists the Records over the product's own transport, puts them into
// batches without a rule or a ledger, and sends them with the SDK. Nothing built on Node and these clients can take
// less. Then it writes label, status and Event of each Record, without comparing them with what is there.
//
//   node bench/peers/bare-loop.ts CONTEXT    CONTEXT of $KUBECONFIG; prints `ready` when all is done
import { keepCompiled } from '../../cli/compile-cache.ts';
import { compileOnce } from '../../cli/one-compiler.ts';
import { keepHeapSmall, YOUNG_MIB } from '../../lib/adapters/system/small-heap.ts';

compileOnce();
keepHeapSmall(YOUNG_MIB);
keepCompiled();
const { ChangeResourceRecordSetsCommand, ListHostedZonesCommand } = await import('@aws-sdk/client-route-53');
const { kubeconfigTransport } = await import('../../lib/adapters/kubernetes/http/kubeconfig-transport.ts');
const { route53Client } = await import('../../lib/adapters/route53/route53-client.ts');
const { inParallel } = await import('../../lib/ports/in-parallel.ts');

type Listed = {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly uid: string };
    readonly spec: { domainName: string; type: 'A'; ttl: number; rdata: string };
  }[];
};

const PAGE = '500';
const BATCH = 1_000;
/** As many as the product reports at once (lib/apply/report-applied.ts). */
const REPORTS_AT_ONCE = 25;
const API_VERSION = 'kubi.zone/v1alpha1';
const RULE = { group: 'kubi.zone', resource: 'records', verb: 'patch' };

const transport = kubeconfigTransport(process.argv[2] ?? '');
const client = route53Client();
const { HostedZones = [] } = await client.send(new ListHostedZonesCommand({}));
let changes: object[] = [];
const listed: { readonly name: string; readonly uid: string }[] = [];
for (let next: string | undefined = ''; next !== undefined; ) {
  const page = (await transport.send({
    action: 'list records',
    method: 'GET',
    path: '/apis/kubi.zone/v1alpha1/records',
    query: { limit: PAGE, ...(next === '' ? {} : { continue: next }) },
    rule: { group: 'kubi.zone', resource: 'records', verb: 'list' },
  })) as Listed;
  for (const { metadata, spec } of page.items) {
    listed.push({ name: metadata.name, uid: metadata.uid });
    const { domainName: Name, type: Type, ttl: TTL, rdata: Value } = spec;
    changes.push({ Action: 'CREATE', ResourceRecordSet: { Name, Type, TTL, ResourceRecords: [{ Value }] } });
    if (changes.length === BATCH) await send();
  }
  next = page.metadata.continue || undefined;
}
await send();
await inParallel(listed, REPORTS_AT_ONCE, tell);
process.stdout.write('ready\n');
// Stays until standard input ends, so that the bench can read what this process used.
process.stdin.on('end', () => process.exit(0)).resume();

/** Sends the batch, and then waits as the other peers do, so that Route 53 is not called too fast. */
async function send(): Promise<void> {
  if (changes.length === 0) return;
  const batch = { Changes: changes as never };
  changes = [];
  await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: HostedZones[0]?.Id, ChangeBatch: batch }));
  await new Promise((resolve) => setTimeout(resolve, 300));
}

/** The product's three writes for a Record, with other texts, because the Record may have the product's already. */
async function tell({ name, uid }: (typeof listed)[number]): Promise<void> {
  const path = `/apis/${API_VERSION}/namespaces/default/records/${name}`;
  const common = { apiVersion: API_VERSION, kind: 'Record' };
  await transport.send({
    action: `label ${name}`,
    method: 'PATCH',
    path,
    query: { fieldManager: 'zone53' },
    contentType: 'application/merge-patch+json',
    body: { ...common, metadata: { uid, labels: { 'kubi.zone/parent-zone': 'bare-loop.default' } } },
    rule: RULE,
  });
  const now = new Date().toISOString();
  const since = { lastTransitionTime: now.replace(/\.\d+Z$/, 'Z'), observedGeneration: 1, status: 'True' };
  const conditions = [
    { type: 'Accepted', reason: 'Adopted', message: 'Adopted by Zone default/bare-loop', ...since },
    { type: 'Programmed', reason: 'Programmed', message: 'Sent by a bare loop', ...since },
  ];
  await transport.send({
    action: `write the status of ${name}`,
    method: 'PATCH',
    path: `${path}/status`,
    query: { fieldManager: 'zone53', force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: { ...common, metadata: { name, namespace: 'default', uid }, status: { fqdn: 'bare-loop.', conditions } },
    rule: RULE,
  });
  await transport.send({
    action: `create an Event about ${name}`,
    method: 'POST',
    path: '/apis/events.k8s.io/v1/namespaces/default/events',
    body: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: `${name}.bare-loop`, namespace: 'default' },
      eventTime: now.replace('Z', '000Z'),
      reportingController: 'zone53',
      reportingInstance: 'default',
      action: 'Publish',
      reason: 'Programmed',
      type: 'Normal',
      note: 'Sent by a bare loop; Adopted: Adopted by Zone default/bare-loop',
      regarding: { ...common, namespace: 'default', name, uid },
    },
    unread: true,
    rule: RULE,
  });
}
