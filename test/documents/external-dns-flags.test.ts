// Every flag of external-dns that concerns AWS or Kubernetes has a row in docs/migrate-from-external-dns.md, and every
// row is of an existing flag. The flags are those of docs/flags.md of external-dns 0.21.0 and of 0.22.0, which are the
// same without those of other DNS providers. Last verified 2026-11-29.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const PAGE = path.resolve(import.meta.dirname, '../../docs/migrate-from-external-dns.md');

const FLAGS = `
  always-publish-not-ready-addresses annotation-filter annotation-prefix aws-api-retries aws-assume-role aws-assume-role-external-id
  aws-batch-change-interval aws-batch-change-size aws-batch-change-size-bytes aws-batch-change-size-values aws-evaluate-target-health
  aws-prefer-cname aws-profile aws-sd-create-tag aws-sd-service-cleanup aws-zone-match-parent aws-zone-tags aws-zone-type
  aws-zones-cache-duration batch-change-interval batch-change-size combine-fqdn-annotation compatibility connector-source-server
  crd-source-apiversion crd-source-kind create-ptr default-targets domain-filter dry-run dynamodb-region dynamodb-table events events-emit
  exclude-domains exclude-record-types exclude-target-net exclude-unschedulable expose-internal-ipv6 force-default-targets
  fqdn-target-template fqdn-template gateway-label-filter gateway-listener-sets gateway-name gateway-namespace gloo-namespace
  ignore-hostname-annotation ignore-ingress-rules-spec ignore-ingress-tls-spec ignore-non-host-network-pods ingress-class interval
  kube-api-burst kube-api-qps kube-api-request-timeout kubeconfig label-filter listen-endpoint-events log-format log-level
  managed-record-types metrics-address migrate-from-txt-owner min-event-sync-interval min-ttl namespace nat64-networks once
  openshift-router-name pod-source-domain policy prefer-alias provider-cache-time publish-host-ip publish-internal-services
  regex-domain-exclusion regex-domain-filter registry request-timeout resolve-service-load-balancer-hostname server service-type-filter
  skipper-routegroup-groupversion source target-net-filter target-template traefik-disable-new traefik-enable-legacy txt-cache-interval
  txt-encrypt-aes-key txt-encrypt-enabled txt-owner-id txt-prefix txt-suffix txt-wildcard-replacement unstructured-resource
  zone-id-filter zone-name-filter
`
  .trim()
  .split(/\s+/);

test('every flag of external-dns has a row, and every row is of a flag', () => {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| (`--[^|]*) \|/gm);
  const named = [...rows].flatMap(([, cell]) =>
    [...(cell ?? '').matchAll(/`--(?:no-)?([a-z0-9-]+)/g)].map(([, flag]) => flag),
  );
  expect([...new Set(named)].toSorted()).toEqual(FLAGS.toSorted());
});
