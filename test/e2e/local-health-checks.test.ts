// A failover through `zone53 local` with a health check that zone53 makes, from the manifest to dig. Then the Record
// wants another one, and none.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DeleteHealthCheckCommand, ListHealthChecksCommand } from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { type RunningLocal, startLocal } from '../support/running-local.ts';

const ZONE = `
apiVersion: kubi.zone/v1alpha1
kind: Zone
metadata: { name: example, namespace: shop }
spec: { domainName: example.org., delegations: [{ namespaces: [shop], records: [{ pattern: "*" }] }] }
`;
const record = (name: string, rdata: string, routing: string) => `---
apiVersion: kubi.zone/v1alpha1
kind: Record
metadata: { name: ${name}, namespace: shop }
spec: { domainName: www.example.org., type: A, ttl: 5, rdata: ${rdata}, routing: { setIdentifier: ${name}, ${routing} } }
`;

describeWithEngine('dig', 'health checks that zone53 makes, through zone53 local', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-health-'));
  let local: RunningLocal;

  const write = (primary: string) =>
    writeFileSync(
      path.join(folder, 'dns.yaml'),
      ZONE + record('one', '192.0.2.1', primary) + record('two', '192.0.2.2', 'failover: SECONDARY'),
    );
  const checks = async () => (await local.route53.send(new ListHealthChecksCommand({}))).HealthChecks ?? [];

  beforeAll(async () => {
    writeFileSync(path.join(folder, 'zone53.yaml'), 'healthChecks: { max: 1 }\n');
    write('failover: PRIMARY, healthCheck: { protocol: HTTPS, host: one.example.org, path: /health }');
    local = await startLocal(folder, '-f', 'dns.yaml', '--config', 'zone53.yaml');
  });
  afterAll(async () => {
    const code = await local?.stop();
    rmSync(folder, { recursive: true, force: true });
    expect(code).toBe(0);
  });

  it('have the secondary answer while the one of the primary fails', async () => {
    await local.until(async () => (await local.answers('www.example.org')).join() === '192.0.2.1');
    const [made, ...others] = await checks();
    expect(others).toEqual([]);
    expect(made?.CallerReference).toMatch(/^zone53\/default\/shop\//);
    expect(made?.HealthCheckConfig).toMatchObject({
      ...{ Type: 'HTTPS', FullyQualifiedDomainName: 'one.example.org', Port: 443, ResourcePath: '/health' },
    });
    for (const [health, expected] of [
      ['unhealthy', ['192.0.2.2']],
      ['healthy', ['192.0.2.1']],
    ] as const) {
      expect(await local.putHealth(made?.Id ?? '', health)).toBe(204);
      expect(await local.answers('www.example.org')).toEqual(expected);
    }
  });

  it('are changed in place, and replaced where Route 53 cannot change them', async () => {
    const [before] = await checks();
    write('failover: PRIMARY, healthCheck: { protocol: HTTPS, host: one.example.org, path: /ready }');
    await local.until(async () => (await checks())[0]?.HealthCheckConfig?.ResourcePath === '/ready');
    expect((await checks()).map(({ Id }) => Id)).toEqual([before?.Id]);
    write('failover: PRIMARY, healthCheck: { protocol: TCP, host: one.example.org, port: 443 }');
    await local.until(async () => (await checks()).length === 2);
    expect(await local.answers('www.example.org')).toEqual(['192.0.2.1']);
  });

  it('are refused beyond the quota, and the first one stays in force', async () => {
    write('failover: PRIMARY, healthCheck: { protocol: HTTP, host: one.example.org }');
    await local.until(() => local.said().includes('has had too many within a quarter of an hour'));
    expect(await checks()).toHaveLength(2);
    expect(await local.answers('www.example.org')).toEqual(['192.0.2.1']);
  });

  it('are no reason to keep a record set: it goes although its health check was deleted by hand', async () => {
    for (const { Id } of await checks()) await local.route53.send(new DeleteHealthCheckCommand({ HealthCheckId: Id }));
    write('weight: 1');
    await local.until(async () => (await local.answers('www.example.org')).length === 1);
    expect(await checks()).toEqual([]);
  });
});
