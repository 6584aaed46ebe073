// Aliases and routing from manifests to dig, through `zone53 local` and our own Route 53. The tests look at what
// examples/aliases-and-routing publishes, and then at edits: another weight, another policy, an alias whose target is
// deleted. The API of that Route 53 shows what was written.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  ListHostedZonesCommand,
  ListResourceRecordSetsCommand,
  type ResourceRecordSet,
} from '@aws-sdk/client-route-53';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithEngine } from '../engines/engines.ts';
import { type RunningLocal, startLocal } from '../support/running-local.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../examples/aliases-and-routing');

describeWithEngine('dig', 'aliases and routing through zone53 local', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'zone53-routing-'));
  const routing = path.join(folder, 'dns', 'routing.yaml');
  let local: RunningLocal;

  const standing = async (name: string): Promise<ResourceRecordSet[]> => {
    const { HostedZones: [zone] = [] } = await local.route53.send(new ListHostedZonesCommand({}));
    const page = await local.route53.send(new ListResourceRecordSetsCommand({ HostedZoneId: zone?.Id }));
    return (page.ResourceRecordSets ?? []).filter((set) => set.Name === name);
  };
  /** Replaces each text by the next one, in one write: zone53 must not read a part of it. */
  const edit = (...edits: readonly (readonly [before: string, after: string])[]) => {
    let text = readFileSync(routing, 'utf8');
    for (const [before, after] of edits) {
      if (!text.includes(before)) throw new Error(`${routing} has no ${before}`);
      text = text.replaceAll(before, after);
    }
    writeFileSync(routing, text);
  };

  beforeAll(async () => {
    cpSync(EXAMPLE, path.join(folder, 'dns'), { recursive: true });
    local = await startLocal(folder, '-f', 'dns');
  });
  afterAll(async () => {
    const code = await local?.stop();
    rmSync(folder, { recursive: true, force: true });
    expect(code).toBe(0);
  });

  it.each([
    ['the primary of a failover', 'api.example.org', ['192.0.2.11']],
    ['the default of a geolocation', 'shop.example.org', ['192.0.2.23']],
    ['all of a few multivalue answers', 'pool.example.org', ['192.0.2.31', '192.0.2.32']],
    ['the default location of a CIDR collection', 'intranet.example.org', ['192.0.2.42']],
    ['the first place of geoproximity', 'play.example.org', ['192.0.2.51']],
    ['the first region, whose CNAME leads elsewhere', 'mirror.example.org', ['ireland.example.net.']],
  ])('%s answers', async (_, name, expected) => {
    expect(await local.answers(name)).toEqual(expected);
  });

  it('answer with one weighted set at a time, by chance, also through an alias', async () => {
    const [blue, green] = ['192.0.2.1 192.0.2.2', '192.0.2.3 192.0.2.4'];
    for (const name of ['app.example.org', 'www.example.org']) {
      const drawn = await Promise.all(Array.from({ length: 25 }, () => local.answers(name)));
      const counted = drawn.map((addresses) => addresses.join(' '));
      expect(new Set([...counted, blue, green])).toEqual(new Set([blue, green]));
      // Nine of ten are expected. So few blue answers happen once in a million runs.
      expect(counted.filter((one) => one === blue).length).toBeGreaterThan(12);
    }
  });

  it('keep the hosted zones of AWS aliases, and dig shows their targets', async () => {
    const { AliasTarget } = (await standing('example.org.')).find(({ Type }) => Type === 'A') ?? {};
    expect(AliasTarget).toEqual({
      HostedZoneId: 'Z32O12XQLNTSW2',
      DNSName: 'web-1.eu-west-1.elb.amazonaws.com.',
      EvaluateTargetHealth: true,
    });
    const told = await local.dig('example.org', 'A');
    expect(told).toContain('status: NOERROR');
    expect(told).toMatch(/EDE: 0 .*alias of web-1\.eu-west-1\.elb\.amazonaws\.com\. \(A, hosted zone Z32O12XQLNTSW2\)/);
    expect(await local.dig('cdn.example.org', 'A')).toMatch(/EDE: 0 .*d111111abcdef8\.cloudfront\.net\./);
  });

  it('follow a changed weight: one record set changes, and so do the answers', async () => {
    edit(['weight: 9', 'weight: 0']);
    await local.until(async () => (await standing('app.example.org.')).some(({ Weight }) => Weight === 0));
    const sets = await standing('app.example.org.');
    expect(sets.map(({ SetIdentifier, Weight }) => `${SetIdentifier} ${Weight}`)).toEqual(['blue 0', 'green 1']);
    for (let count = 0; count < 10; count += 1)
      expect(await local.answers('www.example.org')).toEqual(['192.0.2.3', '192.0.2.4']);
  });

  it('have an answer at every moment of a change of policy', async () => {
    const seen: string[] = [];
    let changed = false;
    const asking = (async () => {
      while (!changed) seen.push((await local.answers('shop.example.org')).join(' '));
    })();
    try {
      await local.until(() => seen.length > 0);
      edit(
        ['geolocation: { country: DE }', 'failover: PRIMARY, healthCheckId: 01234567-89ab-cdef-0123-456789abcdef'],
        ['geolocation: { continent: EU }', 'failover: SECONDARY'],
        [', geolocation: { country: "*" } }', ', failover: SECONDARY }'],
      );
      await local.until(async () =>
        (await standing('shop.example.org.')).some(({ Failover }) => Failover === 'PRIMARY'),
      );
      await local.until(() => seen.at(-1) === '192.0.2.21');
    } finally {
      changed = true;
      await asking;
    }
    expect(new Set(seen)).toEqual(new Set(['192.0.2.23', '192.0.2.21']));
    // Of two secondaries the older one is published; the other is a conflict.
    expect((await standing('shop.example.org.')).map(({ Failover }) => Failover).toSorted()).toEqual([
      'PRIMARY',
      'SECONDARY',
    ]);
  });

  it('answer with the secondary while the health check of the primary fails', async () => {
    for (const [health, expected] of [
      ['unhealthy', ['192.0.2.22']],
      ['healthy', ['192.0.2.21']],
    ] as const) {
      expect(await local.putHealth('01234567-89ab-cdef-0123-456789abcdef', health)).toBe(204);
      expect(await local.answers('shop.example.org')).toEqual(expected);
    }
  });

  it('keep one record set after a change from routed to simple', async () => {
    edit(
      ['  routing: { setIdentifier: node-1, multivalue: true }\n', ''],
      ['  routing: { setIdentifier: node-2, multivalue: true }\n', ''],
    );
    await local.until(async () => (await standing('pool.example.org.')).length === 1);
    expect(await local.answers('pool.example.org')).toEqual(['192.0.2.31', '192.0.2.32']);
    const [set] = await standing('pool.example.org.');
    expect([set?.SetIdentifier, set?.MultiValueAnswer, set?.ResourceRecords?.length]).toEqual([
      undefined,
      undefined,
      2,
    ]);
  });
});
