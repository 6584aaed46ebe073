// Arguments that make the API server send its audit events to a webhook, under the policy of crds/examples.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { CRDS } from './apply.ts';

/** How long the API server collects events before it sends them; its own default is 30 s. */
export const AUDIT_BATCH_MS = 50;

/** The arguments; the configuration is written into `folder`. `url` takes audit EventLists by POST. */
export function auditArgs(folder: string, url: string): string[] {
  const config = path.join(folder, 'audit-webhook');
  writeFileSync(
    config,
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'zone53',
      clusters: [{ name: 'zone53', cluster: { server: url } }],
      users: [{ name: 'zone53', user: {} }],
      contexts: [{ name: 'zone53', context: { cluster: 'zone53', user: 'zone53' } }],
    }),
  );
  return [
    `--audit-policy-file=${path.join(CRDS, 'examples', 'audit-policy.yaml')}`,
    `--audit-webhook-config-file=${config}`,
    `--audit-webhook-batch-max-wait=${AUDIT_BATCH_MS}ms`,
  ];
}
