// The least that Node needs for a first publish: the Records are listed by the product's own transport, put into
// batches with no rule applied and no ledger kept, and sent by the SDK. What it takes is the limit that nothing built
// on Node and these clients goes below.
//
//   node bench/peers/bare-loop.ts CONTEXT    CONTEXT of $KUBECONFIG
//
// Prints `ready` when all is sent.
import { keepCompiled } from '../../cli/compile-cache.ts';
import { compileOnce } from '../../cli/one-compiler.ts';
import { keepHeapSmall, YOUNG_MIB } from '../../lib/adapters/system/small-heap.ts';

compileOnce();
keepHeapSmall(YOUNG_MIB);
keepCompiled();
const { ChangeResourceRecordSetsCommand, ListHostedZonesCommand } = await import('@aws-sdk/client-route-53');
const { kubeconfigContext } = await import('../../lib/adapters/kubernetes/access/access.ts');
const { kubernetesTransport } = await import('../../lib/adapters/kubernetes/transport.ts');
const { route53Client } = await import('../../lib/adapters/route53/route53-client.ts');

type Listed = {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly { readonly spec: { domainName: string; type: 'A'; ttl: number; rdata: string } }[];
};

const PAGE = '500';
const BATCH = 1_000;

const transport = kubernetesTransport({ access: kubeconfigContext(process.argv[2] ?? '') });
const client = route53Client();
const { HostedZones = [] } = await client.send(new ListHostedZonesCommand({}));
let changes: object[] = [];
for (let next: string | undefined = ''; next !== undefined; ) {
  const page = (await transport.send({
    action: 'list records',
    method: 'GET',
    path: '/apis/kubi.zone/v1alpha1/records',
    query: { limit: PAGE, ...(next === '' ? {} : { continue: next }) },
    rule: { group: 'kubi.zone', resource: 'records', verb: 'list' },
  })) as Listed;
  for (const { spec } of page.items) {
    const { domainName: Name, type: Type, ttl: TTL, rdata: Value } = spec;
    changes.push({ Action: 'CREATE', ResourceRecordSet: { Name, Type, TTL, ResourceRecords: [{ Value }] } });
    if (changes.length === BATCH) await send();
  }
  next = page.metadata.continue || undefined;
}
await send();
process.stdout.write('ready\n');
// Until whoever started it has read what it took.
process.stdin.on('end', () => process.exit(0)).resume();

/** Waits, so that Route 53 is not called too fast, as the others do. */
async function send(): Promise<void> {
  if (changes.length === 0) return;
  const batch = { Changes: changes as never };
  changes = [];
  await client.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: HostedZones[0]?.Id, ChangeBatch: batch }));
  await new Promise((resolve) => setTimeout(resolve, 300));
}
