import { describe, expect, it } from 'vitest';
import { formatConfigProblem, parseDeployed } from './deployed-config.ts';

const ACCESS = { eks: 'prod', endpoint: 'https://x.eks.amazonaws.com', certificateAuthority: 'TFMw' };
const CONFIG = {
  roots: [{ zone: 'example.org' }],
  hostedZones: [{ zone: 'example.org', id: 'Z1' }],
  access: ACCESS,
};
const SECRET = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:token';

describe('parseDeployed()', () => {
  it.each([
    ['a complete one', {}, []],
    ['the long form', { roots: undefined, access: undefined, clusters: { a: { roots: [], access: ACCESS } } }, []],
    [
      'two clusters',
      { roots: undefined, access: undefined, clusters: { a: { roots: [], access: ACCESS }, b: {} } },
      ['clusters.b.roots: missing', 'clusters.b.access: missing'],
    ],
    [
      'two endpoints',
      {
        ...{ roots: undefined, access: undefined },
        clusters: {
          a: { roots: [], access: ACCESS, events: { webhook: {} } },
          b: { roots: [], access: ACCESS, events: { webhook: { front: 'alb' } } },
          c: { roots: [], access: ACCESS, events: { webhook: { kinds: 'all' } } },
        },
      },
      [
        'clusters.b.events.webhook: the clusters of a deployment have one endpoint, and it is { front: url, auth: secret }',
      ],
    ],
    [
      'one audit log for two clusters',
      {
        ...{ roots: undefined, access: undefined },
        clusters: {
          a: { roots: [], access: ACCESS, events: { auditLog: true } },
          b: { roots: [], access: ACCESS, events: { auditLog: true } },
        },
      },
      ['clusters.b.events.auditLog: another cluster reads the audit log of EKS cluster prod already'],
    ],
    [
      'intents of no cluster, where there are two',
      {
        ...{ roots: undefined, access: undefined, intents: {} },
        clusters: { a: { roots: [], access: ACCESS }, b: { roots: [], access: ACCESS } },
      },
      ['intents.cluster: missing: write the cluster that the intents are for, one of a, b'],
    ],
    ['intents of another cluster', { intents: { cluster: 'b' } }, ['intents.cluster: there is no cluster "b"']],
    ['no roots', { roots: undefined }, ['roots: missing']],
    ['no hosted zones', { hostedZones: [] }, ['hostedZones: missing']],
    ['no hosted zones, for DNSRecords alone', { hostedZones: [], roots: [], sources: { dnsRecords: {} } }, []],
    ['hosted zones to be created', { createHostedZones: 'all' }, ['createHostedZones: all needs']],
    ['no access', { access: undefined }, ['access: missing']],
    ['a misspelt key', { rots: [] }, ['rots: unknown key']],
    ['a wrong type', { guard: { deletesMax: 'many' } }, ['guard.deletesMax: write a whole number']],
    ['a budget of nothing', { budget: { reserve: 1 } }, ['budget.reserve: write a share']],
    ['the short form beside the long one', { clusters: { a: {} } }, ['roots: this is', 'access: this is']],
    ['a webhook that IAM guards, for verdicts', { events: { webhook: { auth: 'iam' }, validate: true } }, ['events.v']],
  ])('%s', (_title, change, starts) => {
    const parsed = parseDeployed(JSON.parse(JSON.stringify({ ...CONFIG, ...change })));
    const problems = parsed.ok ? [] : parsed.problems.map(formatConfigProblem);
    expect(problems.map((problem, index) => problem.slice(0, starts[index]?.length))).toEqual(starts);
  });

  it('lets no namespace take over, unless the configuration lists it', () => {
    const namespacesOf = (change: object) => {
      const parsed = parseDeployed({ ...CONFIG, ...change });
      return parsed.ok ? parsed.clusters[0].config.takeover.namespaces : parsed.problems;
    };
    expect(namespacesOf({})).toEqual([]);
    expect(namespacesOf({ takeover: { externalDns: [{ ownerId: 'a' }] } })).toEqual([]);
    expect(namespacesOf({ takeover: { namespaces: ['platform'] } })).toEqual(['platform']);
  });

  it('returns how the functions sign in', () => {
    const { eks: clusterName, ...server } = ACCESS;
    const accessOf = (value: object) => {
      const parsed = parseDeployed(value);
      return parsed.ok ? parsed.clusters[0].access : parsed.problems;
    };
    expect(accessOf(CONFIG)).toMatchObject({ kind: 'eks', clusterName, ...server });
    const access = { endpoint: ACCESS.endpoint, tokenSecret: SECRET };
    expect(accessOf({ ...CONFIG, access })).toMatchObject({ kind: 'token', ...access, certificateAuthority: null });
  });
});
